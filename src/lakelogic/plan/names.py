"""Columns that the product itself brings; those of a run's inside are hidden and never written."""

from __future__ import annotations

from lakelogic.sql.types import BIGINT, STRING, Column

FILE = Column("_ll_file", STRING, hidden=True)
POSITION = Column("_ll_position", BIGINT, hidden=True)
MALFORMED = Column("_ll_malformed", STRING, hidden=True)
RAW = Column("_ll_raw", hidden=True)
# Rows of quarantine that run once more keep the id under which they stand there.
ROW = Column("_ll_row", STRING, hidden=True)
ORIGIN = (FILE, POSITION, MALFORMED, RAW, ROW)
FAILED = "_ll_failed"
KEYS = "_ll_keys"

ERRORS = "_lakelogic_errors"
CATEGORIES = "_lakelogic_categories"
RULES = "_lakelogic_rules"
REASON = "rejection_reason"
STATE = "quarantine_state"
REPROCESSED = "quarantine_reprocessed"
SOURCE_FILE = "_lakelogic_source_file"
SOURCE_POSITION = "_lakelogic_source_position"
QUARANTINE_RUN = "_lakelogic_run_id"
QUARANTINED_AT = "_lakelogic_quarantined_at"
ORIGINAL = "_lakelogic_raw"
ROW_ID = "_lakelogic_row_id"
STATE_RUN = "_lakelogic_state_run"

REASONS = (CATEGORIES, ERRORS, RULES, REASON)

RESERVED = frozenset(
    {
        ERRORS,
        CATEGORIES,
        RULES,
        REASON,
        STATE,
        REPROCESSED,
        SOURCE_FILE,
        SOURCE_POSITION,
        QUARANTINE_RUN,
        QUARANTINED_AT,
        ORIGINAL,
        ROW_ID,
        STATE_RUN,
    }
)


def as_read(name: str) -> Column:
    """The hidden column that keeps a value as it was before its cast."""
    return Column(f"_ll_read_{name}", hidden=True)
