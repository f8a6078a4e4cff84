"""`lakelogic-driver`: a whole lakehouse with one command."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.ending import ended, invoke
from lakelogic.cli.options import overrides_of
from lakelogic.errors import UsageError

if TYPE_CHECKING:
    from lakelogic.driver.drive import Settings
    from lakelogic.driver.nodes import Selection
    from lakelogic.driver.summary import Summary

_NAME = "lakelogic-driver"
_Registries = list[Path] | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the driver; the exit code."""
    return ended(arguments, _invoke)


def command(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="[PATH]...", help="Contracts, registries or folders of them.")
    ] = None,
    registry: Annotated[_Registries, typer.Option("--registry", help="A registry of contracts; repeatable.")] = None,
    reference_registry: Annotated[
        _Registries, typer.Option("--reference-registry", help="A registry of reference data.")
    ] = None,
    gold_registry: Annotated[_Registries, typer.Option("--gold-registry", help="A registry of the gold layer.")] = None,
    layers: Annotated[str | None, typer.Option("--layers", help="Only these layers, such as bronze,silver.")] = None,
    entities: Annotated[str | None, typer.Option("--entities", help="Only these entities, such as policies.")] = None,
    env: options.Environment = None,
    overrides: options.Overrides = None,
    policy_packs: Annotated[
        list[str] | None, typer.Option("--policy-pack", help="A policy pack for every contract; repeatable.")
    ] = None,
    policy_pack_dir: Annotated[Path | None, typer.Option("--policy-pack-dir", help="The folder of the packs.")] = None,
    engine: options.Engine = None,
    master: options.Master = None,
    max_workers: Annotated[int, typer.Option("--max-workers", min=1, help="How many contracts run side by side.")] = 4,
    window: Annotated[
        str | None, typer.Option("--window", help="last_success (the default), range, yesterday or none.")
    ] = None,
    window_start: Annotated[str | None, typer.Option("--window-start-date", help="First day of the range.")] = None,
    window_end: Annotated[str | None, typer.Option("--window-end-date", help="Last day of the range.")] = None,
    backfill_start: Annotated[str | None, typer.Option("--backfill-start-date", help="First day to backfill.")] = None,
    backfill_end: Annotated[str | None, typer.Option("--backfill-end-date", help="Last day to backfill.")] = None,
    granularity: Annotated[
        str, typer.Option("--backfill-granularity", help="Windows of a day, a week or a month.")
    ] = "day",
    reprocess_start: Annotated[
        str | None, typer.Option("--reprocess-start-date", help="First day to process again.")
    ] = None,
    reprocess_end: Annotated[
        str | None, typer.Option("--reprocess-end-date", help="Last day to process again.")
    ] = None,
    state_path: Annotated[Path | None, typer.Option("--state-path", help="The file that keeps what succeeded.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Run only what has not succeeded yet.")] = False,
    retries: Annotated[int, typer.Option("--retries", min=0, help="More attempts after errors that can pass.")] = 0,
    retry_backoff: Annotated[
        float, typer.Option("--retry-backoff", min=0, help="Seconds before the first retry; then doubled.")
    ] = 1.0,
    retry_max_delay: Annotated[
        float, typer.Option("--retry-max-delay", min=0, help="The most seconds before a retry.")
    ] = 60.0,
    timeout: Annotated[
        str | None, typer.Option("--timeout", help="The longest time for one contract, such as 30min.")
    ] = None,
    max_failures: Annotated[
        int, typer.Option("--max-consecutive-failures", min=0, help="Stop after so many in a row; 0 never stops.")
    ] = 0,
    cache_references: Annotated[
        bool, typer.Option("--cache-references", help="Read reference data once for all contracts.")
    ] = False,
    approval_required: Annotated[
        bool, typer.Option("--approval-required", help="Ask before publishing what drifts or has many bad rows.")
    ] = False,
    approval_file: Annotated[Path | None, typer.Option("--approval-file", help="The file of approvals.")] = None,
    continue_on_error: Annotated[
        bool, typer.Option("--continue-on-error", help="Run what can, though contracts or windows fail.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Run again on input that was committed before.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would run, and write nothing.")] = False,
    as_json: options.AsJson = False,
    verbose: options.Verbose = False,
) -> None:
    """Run the contracts of registries layer by layer, side by side where they are independent."""
    from lakelogic.driver.drive import Settings
    from lakelogic.driver.nodes import Selection
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
        _words("--layers", layers),
        _words("--entities", entities),
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
    summary = _drive(selection, settings)
    _print(summary, as_json=as_json)
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


def _words(option: str, text: str | None) -> tuple[str, ...]:
    words = tuple(word.strip() for word in (text or "").split(",") if word.strip())
    if text is not None and not words:
        raise UsageError(f"{option} is empty.", cure="Name some, or leave it out.")
    return words


def _seconds(timeout: str | None) -> float | None:
    from lakelogic.contract.values import parse_duration

    try:
        return parse_duration(timeout).total_seconds() if timeout else None
    except ValueError as error:
        raise UsageError(f"--timeout {error}.") from None


def _drive(selection: Selection, settings: Settings) -> Summary:
    from lakelogic.cli.logging import log_to
    from lakelogic.cli.screen.consoles import messages
    from lakelogic.cli.screen.driver import Board, drawn
    from lakelogic.driver.drive import drive

    console = messages()
    log_to(console, verbose=settings.verbose)
    board = Board()
    with _terminable(), drawn(console, board, draws=not settings.verbose):
        return drive(selection, settings, board)


@contextmanager
def _terminable() -> Iterator[None]:
    """Inside, SIGTERM does what Ctrl-C does: the contracts at work are stopped, and the summary is printed."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _print(summary: Summary, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(summary.to_dict(), indent=2, ensure_ascii=False, default=str))
        return
    from lakelogic.cli.screen.consoles import output, show
    from lakelogic.cli.screen.driver import summary_view

    console = output()
    gap = [""] if console.is_terminal else []
    show(console, *gap, summary_view(summary, console))
