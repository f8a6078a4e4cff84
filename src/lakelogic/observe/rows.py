"""The rows that tell of a pipeline run: their columns, which are the same in every table and in the metrics file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

FORMAT = 1

Kind = Literal["text", "integer", "real", "moment"]
Value = str | int | float | datetime | None
Row = Mapping[str, Value]


@dataclass(frozen=True)
class Column:
    """A column, and what it means."""

    name: str
    kind: Kind
    meaning: str


# New ones are only ever added at the end, and FORMAT changes when the meaning of one does.
COLUMNS = (
    Column("format", "integer", "version of these columns"),
    Column("kind", "text", "`pipeline` for the run as a whole, `contract` for each of its contracts and windows"),
    Column("pipeline_run_id", "text", "the run of the driver; the run log has it too"),
    Column("run_id", "text", "the contract's run in the run log; empty where none came to an end"),
    Column("contract", "text", "dataset of the contract; empty for the pipeline"),
    Column("layer", "text", "its layer"),
    Column("entity", "text", "its entity in the registry"),
    Column("engine", "text", "what it ran on; of the pipeline, what `--engine` says"),
    Column("window", "text", "`last_success`, `none`, or the days"),
    Column("mode", "text", "how the source was read"),
    Column("status", "text", "how it ended; of the pipeline: succeeded, failed, awaiting_approval or interrupted"),
    Column("reason", "text", "why it ended so"),
    Column("blocked_by", "text", "the contract that kept this one from running"),
    Column("exit_code", "integer", "0 done, 1 the data said no, 2 a contract is wrong, 3 approval, 130 interrupted"),
    Column("attempts", "integer", "how often it was tried; empty for the pipeline"),
    Column("contracts", "integer", "how many rows of contracts the pipeline has; empty for a contract"),
    Column("started_at", "moment", "UTC; empty where it never began"),
    Column("ended_at", "moment", "UTC"),
    Column("duration_seconds", "real", "wall time, retries included"),
    Column("timings", "text", "seconds of each phase, as JSON; empty for the pipeline"),
    Column("counts_source", "integer", "rows read; of the pipeline, the sum over its contracts"),
    Column("counts_expanded", "integer", "rows that came in by expanding others"),
    Column("counts_good", "integer", "rows written to the target"),
    Column("counts_quarantined", "integer", "rows written to quarantine"),
    Column("counts_filtered", "integer", "rows that a filter left out"),
    Column("counts_deduplicated", "integer", "rows that had a newer or better twin"),
    Column("quarantine_ratio", "real", "share of quarantined rows among those judged"),
)
