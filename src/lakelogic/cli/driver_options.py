"""Options of `lakelogic-driver`, and of what looks at the same contracts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lakelogic.errors import UsageError

Paths = Annotated[list[Path] | None, typer.Argument(metavar="PATH", help="Contracts, registries or folders of them.")]
Registry = Annotated[
    list[Path] | None, typer.Option("--registry", metavar="FILE", help="A registry of contracts; repeatable.")
]
ReferenceRegistry = Annotated[
    list[Path] | None, typer.Option("--reference-registry", metavar="FILE", help="A registry of reference data.")
]
GoldRegistry = Annotated[
    list[Path] | None, typer.Option("--gold-registry", metavar="FILE", help="A registry of the gold layer.")
]
Layers = Annotated[
    str | None, typer.Option("--layers", metavar="NAMES", help="Only these layers, such as bronze,silver.")
]
Entities = Annotated[
    str | None, typer.Option("--entities", metavar="NAMES", help="Only these entities, such as policies.")
]
PolicyPacks = Annotated[
    list[str] | None,
    typer.Option("--policy-pack", metavar="NAME", help="A policy pack for every contract; repeatable."),
]
PolicyPackDir = Annotated[
    Path | None, typer.Option("--policy-pack-dir", metavar="FOLDER", help="The folder of the packs.")
]
MaxWorkers = Annotated[int, typer.Option("--max-workers", min=1, help="How many contracts run side by side.")]
Window = Annotated[
    str | None, typer.Option("--window", metavar="NAME", help="last_success (the default), range, yesterday or none.")
]
WindowStart = Annotated[str | None, typer.Option("--window-start-date", metavar="DATE", help="First day of the range.")]
WindowEnd = Annotated[str | None, typer.Option("--window-end-date", metavar="DATE", help="Last day of the range.")]
BackfillStart = Annotated[
    str | None, typer.Option("--backfill-start-date", metavar="DATE", help="First day to backfill.")
]
BackfillEnd = Annotated[str | None, typer.Option("--backfill-end-date", metavar="DATE", help="Last day to backfill.")]
Granularity = Annotated[
    str, typer.Option("--backfill-granularity", metavar="NAME", help="Windows of a day, a week or a month.")
]
ReprocessStart = Annotated[
    str | None, typer.Option("--reprocess-start-date", metavar="DATE", help="First day to process again.")
]
ReprocessEnd = Annotated[
    str | None, typer.Option("--reprocess-end-date", metavar="DATE", help="Last day to process again.")
]
StatePath = Annotated[
    Path | None, typer.Option("--state-path", metavar="FILE", help="The file that keeps what succeeded.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Run only what has not succeeded yet.")]
Retries = Annotated[int, typer.Option("--retries", min=0, help="More attempts after errors that can pass.")]
RetryBackoff = Annotated[
    float, typer.Option("--retry-backoff", min=0, help="Seconds before the first retry; then doubled.")
]
RetryMaxDelay = Annotated[float, typer.Option("--retry-max-delay", min=0, help="The most seconds before a retry.")]
Timeout = Annotated[
    str | None, typer.Option("--timeout", metavar="TIME", help="The longest time for one contract, such as 30min.")
]
MaxFailures = Annotated[
    int, typer.Option("--max-consecutive-failures", min=0, help="Stop after so many in a row; 0 never stops.")
]
CacheReferences = Annotated[
    bool, typer.Option("--cache-references", help="Read reference data once for all contracts.")
]
ApprovalRequired = Annotated[
    bool, typer.Option("--approval-required", help="Ask before publishing what drifts or has many bad rows.")
]
ApprovalFile = Annotated[Path | None, typer.Option("--approval-file", metavar="FILE", help="The file of approvals.")]
ContinueOnError = Annotated[
    bool, typer.Option("--continue-on-error", help="Run what can, though contracts or windows fail.")
]
Force = Annotated[bool, typer.Option("--force", help="Run again on input that was committed before.")]
SummaryTable = Annotated[str | None, typer.Option("--summary-table", help="Keep what the run came to in schema.table.")]
SummaryBackend = Annotated[
    str | None, typer.Option("--summary-backend", help="duckdb (the default), sqlite, delta or postgres.")
]
SummaryDatabase = Annotated[str | None, typer.Option("--summary-database", help="Its file, folder or address.")]
MetricsPath = Annotated[Path | None, typer.Option("--metrics-path", help="Write what it came to as JSON.")]
MetricsBackend = Annotated[
    str | None, typer.Option("--metrics-backend", help="json (a file), or prometheus (a page while it runs).")
]
MetricsHost = Annotated[str, typer.Option("--metrics-host", help="Where the page is served.")]
MetricsPort = Annotated[int, typer.Option("--metrics-port", min=0, max=65535, help="At which port; 0 is any.")]
MetricsLinger = Annotated[float, typer.Option("--metrics-linger", min=0, help="Serve the page so many seconds longer.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would run, and write nothing.")]


def words(option: str, text: str | None) -> tuple[str, ...]:
    """Names that are given as one text.

    Raises:
        UsageError: the option is there, and empty.
    """
    found = tuple(word.strip() for word in (text or "").split(",") if word.strip())
    if text is not None and not found:
        raise UsageError(f"{option} is empty.", cure="Name some, or leave it out.")
    return found
