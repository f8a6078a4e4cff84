"""What each strategy makes of some batches, as a table: the same on every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from tests.conformance.strategies.models import FIRST, LAST
from tests.conformance.strategies.target import Row, at

_NOW = at(1001), at(1002), at(1003)


@dataclass(frozen=True)
class Case:
    """Batches of rows `(id, value)`, `(id, value, hour)` or `(id, value, hour, op)`, and what the target holds then."""

    name: str
    materialization: Mapping[str, object]
    batches: Sequence[Sequence[tuple[Any, ...]]]
    columns: tuple[str, ...]
    after: Sequence[tuple[Any, ...]]
    source: Mapping[str, object] | None = None
    spark_in_ci: bool = False

    @property
    def contract(self) -> Mapping[str, object]:
        source = {"path": "in", "format": "csv", **(self.source or {})}
        return {
            "source": source,
            "primary_key": ["id"],
            "materialization": {"target_path": "out", **self.materialization},
        }

    def rows(self) -> list[list[Row]]:
        return [[_row(*row) for row in batch] for batch in self.batches]


def _row(key: int | None, value: str | None, hour: int | None = None, op: str | None = None) -> Row:
    return {"id": key, "value": value, "at": None if hour is None else at(hour), "op": op}


CDC = {"load_mode": "cdc", "cdc_op_field": "op", "cdc_timestamp_field": "at"}
_OPS = {"load_mode": "cdc", "cdc_op_field": "op"}
_VERSION = ("id", "value", "effective_from", "effective_to", "is_current", "_version", "_change_reason")

CASES = (
    Case(
        "replace_partitions by the batch's partitions",
        {"strategy": "replace_partitions", "partition_by": ["value"]},
        [[(1, "a"), (2, "b"), (3, None)], [(4, "a"), (5, None)]],
        ("id", "value"),
        [(2, "b"), (4, "a"), (5, None)],
        spark_in_ci=True,
    ),
    Case(
        "replace_partitions by a condition",
        {"strategy": "replace_partitions", "replace_where": "value >= 'b' AND at < '2026-01-01 05:00:00'"},
        [[(1, "a", 1), (2, "b", 1), (3, "c", 9)], [(4, "b", 2)]],
        ("id", "value"),
        [(1, "a"), (3, "c"), (4, "b")],
    ),
    Case(
        "snapshot keeps a state of each day",
        {"strategy": "snapshot"},
        [[(1, "a"), (2, "b")], [(1, "A")]],
        ("id", "value", "_snapshot_date"),
        [(1, "A", date(2026, 2, 11))],
    ),
    Case(
        "merge in the order of changes, with deletes and late rows",
        {"strategy": "merge"},
        [
            [(1, "a", 3, "c"), (1, "old", 1, "u"), (2, "b", 1, "c"), (3, "c", 1, None)],
            [(2, None, 5, "d"), (1, "late", 2, "u")],
            [(2, "late", 4, "u"), (3, "C", 2, "u"), (4, None, 2, "delete"), (4, "never", 1, "u")],
        ],
        ("id", "value", "at"),
        [(1, "a", at(3)), (3, "C", at(2))],
        source=CDC,
        spark_in_ci=True,
    ),
    Case(
        "merge of changes without a time, as they come",
        {"strategy": "merge"},
        [
            [(1, "a", None, "c"), (2, "b", None, "c")],
            [(1, None, None, "D"), (2, "B", None, "u")],
            [(1, "A", None, "c")],
        ],
        ("id", "value"),
        [(1, "A"), (2, "B")],
        source=_OPS,
    ),
    Case(
        "merge marks what the source deleted",
        {
            "strategy": "merge",
            "soft_delete_column": "state",
            "soft_delete_value": "gone",
            "soft_delete_time_column": "gone_at",
            "soft_delete_reason_column": "why",
        },
        [
            [(1, "a", 1, "c"), (2, "b", 1, "c")],
            [(1, None, 5, "d"), (2, None, 3, "d"), (2, "B", 4, "u"), (3, None, 9, "d")],
            [(1, "late", 2, "u"), (3, "late", 1, "c")],
        ],
        ("id", "value", "state", "gone_at", "why"),
        [
            (1, "late", "gone", at(5), "deleted at the source"),
            (2, "B", None, None, None),
            (3, "late", "gone", at(9), "deleted at the source"),
        ],
        source=CDC,
    ),
    Case(
        "snapshot_reconcile takes out what a full batch lacks",
        {"strategy": "merge", "deletion": {"strategy": "snapshot_reconcile", "max_delete_ratio": 0.5}},
        [[(1, "a"), (2, "b"), (3, "c")], [(2, "B"), (3, "c"), (4, "d")]],
        ("id", "value"),
        [(2, "B"), (3, "c"), (4, "d")],
    ),
    Case(
        "snapshot_reconcile marks what a full batch lacks, within its scope",
        {
            "strategy": "merge",
            "deletion": {"max_delete_ratio": 1, "scope": ["value"]},
            "soft_delete_column": "gone",
            "soft_delete_time_column": "gone_at",
        },
        [[(1, "a"), (2, "b"), (3, "b")], [(3, "b")], [(3, "b"), (4, "c")]],
        ("id", "value", "gone", "gone_at"),
        [(1, "a", False, None), (2, "b", True, _NOW[1]), (3, "b", False, None), (4, "c", False, None)],
    ),
    Case(
        "scd2 by the time of the run",
        {"strategy": "scd2"},
        [[(1, "a"), (2, None)], [(1, "a"), (2, None), (3, "c")], [(1, "A"), (2, None), (3, None)]],
        _VERSION,
        [
            (1, "A", _NOW[2], LAST, True, 2, "changed"),
            (1, "a", FIRST, _NOW[2], False, 1, "initial"),
            (2, None, FIRST, LAST, True, 1, "initial"),
            (3, None, _NOW[2], LAST, True, 2, "changed"),
            (3, "c", FIRST, _NOW[2], False, 1, "initial"),
        ],
    ),
    Case(
        "scd2 by a column, with late rows, repeated rows and deletes",
        {"strategy": "scd2", "scd2": {"timestamp_field": "at", "start_date_default": "2000-01-01"}},
        [
            [(1, "a", 1, "c"), (1, "a", 3, "u"), (2, "x", 2, "c"), (3, None, 7, "d")],
            [(1, "b", 2, "u"), (2, None, 5, "d")],
            [(2, "x", 6, "c"), (3, "late", 4, "c"), (1, "a", 3, "u")],
        ],
        _VERSION,
        [
            (1, "a", at(3), LAST, True, 3, "changed"),
            (1, "a", datetime(2000, 1, 1, tzinfo=UTC), at(2), False, 1, "initial"),
            (1, "b", at(2), at(3), False, 2, "changed"),
            (2, "x", at(6), LAST, True, 2, "returned"),
            (2, "x", datetime(2000, 1, 1, tzinfo=UTC), at(5), False, 1, "initial"),
            (3, "late", datetime(2000, 1, 1, tzinfo=UTC), at(7), False, 1, "initial"),
        ],
        source=CDC,
        spark_in_ci=True,
    ),
    Case(
        "a row for the member that is missing, once",
        {
            "strategy": "merge",
            "scd1": {"surrogate_key": "sk", "unknown_member": {"default_values": {"id": -1, "value": "unknown"}}},
        },
        [[(1, "a")], [(1, "b")]],
        ("id", "value", "at"),
        [(-1, "unknown", None), (1, "b", None)],
    ),
    Case(
        "a row for the member that is missing from a history, once",
        {"strategy": "scd2", "unknown_member": {}},
        [[(1, "a")], [(1, "b")]],
        ("id", "value", "is_current", "_version"),
        [(1, "a", False, 1), (1, "b", True, 2), (None, None, True, 1)],
    ),
)
