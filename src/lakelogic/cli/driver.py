"""`lakelogic-driver`: a whole lakehouse with one command."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import typer

from lakelogic.cli import driver_options as given
from lakelogic.cli import options
from lakelogic.cli.ending import ended, invoke, terminable
from lakelogic.cli.options import overrides_of
from lakelogic.cli.output import write_json
from lakelogic.errors import UsageError

if TYPE_CHECKING:
    from lakelogic.driver.drive import Settings
    from lakelogic.driver.nodes import Selection
    from lakelogic.driver.observing import Observed
    from lakelogic.driver.summary import Summary

_NAME = "lakelogic-driver"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the driver; the exit code."""
    return ended(arguments, _invoke)


def command(
    paths: given.Paths = None,
    registry: given.Registry = None,
    reference_registry: given.ReferenceRegistry = None,
    gold_registry: given.GoldRegistry = None,
    layers: given.Layers = None,
    entities: given.Entities = None,
    env: options.Environment = None,
    overrides: options.Overrides = None,
    policy_packs: given.PolicyPacks = None,
    policy_pack_dir: given.PolicyPackDir = None,
    engine: options.Engine = None,
    master: options.Master = None,
    max_workers: given.MaxWorkers = 4,
    window: given.Window = None,
    window_start: given.WindowStart = None,
    window_end: given.WindowEnd = None,
    backfill_start: given.BackfillStart = None,
    backfill_end: given.BackfillEnd = None,
    granularity: given.Granularity = "day",
    reprocess_start: given.ReprocessStart = None,
    reprocess_end: given.ReprocessEnd = None,
    state_path: given.StatePath = None,
    resume: given.Resume = False,
    retries: given.Retries = 0,
    retry_backoff: given.RetryBackoff = 1.0,
    retry_max_delay: given.RetryMaxDelay = 60.0,
    timeout: given.Timeout = None,
    max_failures: given.MaxFailures = 0,
    cache_references: given.CacheReferences = False,
    approval_required: given.ApprovalRequired = False,
    approval_file: given.ApprovalFile = None,
    continue_on_error: given.ContinueOnError = False,
    force: given.Force = False,
    summary_table: given.SummaryTable = None,
    summary_backend: given.SummaryBackend = None,
    summary_database: given.SummaryDatabase = None,
    metrics_path: given.MetricsPath = None,
    metrics_backend: given.MetricsBackend = None,
    metrics_host: given.MetricsHost = "127.0.0.1",
    metrics_port: given.MetricsPort = 9100,
    metrics_linger: given.MetricsLinger = 0.0,
    dry_run: given.DryRun = False,
    as_json: options.AsJson = False,
    verbose: options.Verbose = False,
) -> None:
    """Run the contracts of registries layer by layer, side by side where they are independent."""
    from lakelogic.driver.drive import Settings
    from lakelogic.driver.nodes import Selection
    from lakelogic.driver.observing import Observation, Observed
    from lakelogic.driver.windows import Dates
    from lakelogic.driver.working import Patience
    from lakelogic.run.approval import ApprovalAsk

    if resume and state_path is None:
        raise UsageError("--resume needs the state of an earlier run.", cure="Add --state-path FILE.")
    selection = Selection(
        tuple(paths or ()),
        tuple(registry or ()),
        tuple(reference_registry or ()),
        tuple(gold_registry or ()),
        given.words("--layers", layers),
        given.words("--entities", entities),
        env,
        overrides_of(overrides),
        tuple(policy_packs or ()),
        policy_pack_dir,
        continue_on_error=continue_on_error,
    )
    settings = Settings(
        engine,
        master,
        max_workers,
        Dates(
            window, window_start, window_end, backfill_start, backfill_end, granularity, reprocess_start, reprocess_end
        ),
        force=force,
        dry_run=dry_run,
        state_path=state_path,
        resume=resume,
        patience=Patience(retries, retry_backoff, retry_max_delay, _seconds(timeout)),
        max_consecutive_failures=max_failures,
        cache_references=cache_references,
        approval=ApprovalAsk(approval_required, approval_file),
        verbose=verbose,
    )
    asked = Observation(
        summary_table, summary_backend, summary_database, metrics_path, metrics_backend, metrics_host, metrics_port
    )
    observed = Observed.of(asked, engine, dry_run=dry_run)
    try:
        summary = _drive(selection, settings, observed)
        _print(summary, as_json=as_json)
        _linger(observed, metrics_linger)
    finally:
        observed.close()
    if summary.exit_code:
        raise typer.Exit(summary.exit_code)


def build_program() -> typer.Typer:
    """The program, with its one command."""
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.command()(command)
    return app


def _invoke(arguments: list[str]) -> int:
    return invoke(typer.main.get_command(build_program()), arguments, _NAME, _NAME)


def _seconds(timeout: str | None) -> float | None:
    from lakelogic.contract.values import parse_duration

    try:
        return parse_duration(timeout).total_seconds() if timeout else None
    except ValueError as error:
        raise UsageError(f"--timeout {error}.") from None


def _drive(selection: Selection, settings: Settings, observed: Observed) -> Summary:
    from lakelogic.cli.logging import log_to
    from lakelogic.cli.screen.consoles import messages
    from lakelogic.cli.screen.live import drawn
    from lakelogic.driver.drive import drive
    from lakelogic.observe.traces import exporting

    console = messages()
    log_to(console, verbose=settings.verbose)
    with terminable(), exporting(), observed, drawn(console, draws=not settings.verbose) as listener:
        observed.summary = drive(selection, settings, observed.heard_by(listener))
    return observed.summary


def _linger(observed: Observed, seconds: float) -> None:
    """Leave time for one more scrape; Ctrl-C ends it."""
    if seconds and observed.exporter is not None and observed.exporter.serves:
        with terminable(), suppress(KeyboardInterrupt):
            time.sleep(seconds)


def _print(summary: Summary, *, as_json: bool) -> None:
    if as_json:
        write_json(summary.to_dict())
        return
    from lakelogic.cli.screen.consoles import output, show
    from lakelogic.cli.screen.driver import summary_view

    console = output()
    gap = [""] if console.is_terminal else []
    show(console, *gap, summary_view(summary, console))
