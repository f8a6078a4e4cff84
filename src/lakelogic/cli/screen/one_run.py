"""One run of the log: who ran it when, and its result as it was told when it ended."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.text import Text

from lakelogic.cli.screen.layout import grid, joined, line, place, section
from lakelogic.cli.screen.result import Told, result_view
from lakelogic.cli.screen.runs import moment, sign, status
from lakelogic.observe.history import Run, RunDetail
from lakelogic.run.result import result_from
from lakelogic.wording import one_line, seconds


def run_view(detail: RunDetail, console: Console) -> RenderableType:
    """The result, and below it what the log knows besides. A run that wrote nothing is told by its reason."""
    run = detail.run
    if run.status in ("succeeded", "no_new_data") and detail.report:
        result = result_from(detail.report)
        told = result_view(result, Told(result.timings, all_rules=True), console)
    else:
        told = Group(_head(run, console), line(f"  {run.error or run.reason or ''}", "red" if run.error else ""))
    return Group(told, section("Recorded", _recorded(run, console)))


def _head(run: Run, console: Console) -> Text:
    took = "" if run.duration_seconds is None else seconds(run.duration_seconds)
    about = joined([run.layer or "", run.engine or "", status(run), took])
    return Text.assemble(sign(run, console), " ", (one_line(run.contract), "bold"), (f"  {about}", "dim"))


def _recorded(run: Run, console: Console) -> RenderableType:
    table = grid("left", "wrap")
    attempts = f" (attempt {run.attempt})" if (run.attempt or 1) > 1 else ""
    version = f" (v{run.contract_version})" if run.contract_version else ""
    window = joined([moment(run.window_start), moment(run.window_end)], " to ") if run.window_start else ""
    known = (
        ("run", run.run_id + attempts),
        ("pipeline", run.pipeline_run_id if run.pipeline_run_id != run.run_id else ""),
        ("started", f"{moment(run.started_at)} UTC"),
        ("window", window),
        ("plan", run.plan or ""),
        ("watermark", run.watermark or ""),
        ("by", run.actor or ""),
    )
    for name, value in known:
        if value:
            table.add_row(Text(name, style="dim"), line(value))
    for name, path in (("contract", run.contract_file), ("source", run.source)):
        if path:
            shown = place(path, console.width - 20)
            table.add_row(Text(name, style="dim"), Text.assemble(shown, version if name == "contract" else ""))
    return table
