"""A run's page: where its rows went, how long it took, what its rules said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from lakelogic.observe.history import Run, RunDetail
from lakelogic.observe.service_levels import ServiceLevelResult
from lakelogic.run.result import RunResult, StepCount, result_from
from lakelogic.serve.pages.charts.flow import Flow, Share, flow
from lakelogic.serve.pages.links import review_link
from lakelogic.serve.pages.states import State, level_state
from lakelogic.serve.pages.views.rules import RuleRow, rule_rows
from lakelogic.wording import counted, number, share, shortened

_BAR = 160.0
_PLACE = 46


@dataclass(frozen=True)
class Timing:
    """A part of a run, how long it took, and the length of its bar."""

    name: str
    took: str
    width: float


@dataclass(frozen=True)
class RunPage:
    """All that the page shows."""

    run: Run
    title: str
    about: tuple[tuple[str, str], ...]
    flow: Flow | None
    rows_in: int | None
    no_flow: str
    timings: tuple[Timing, ...]
    rules: tuple[RuleRow, ...]
    levels: tuple[tuple[ServiceLevelResult, State], ...]
    steps: tuple[StepCount, ...]
    plan: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    review_link: str | None

    @property
    def flow_label(self) -> str:
        """The picture in words, for those who can't see it."""
        bands = self.flow.bands if self.flow else ()
        told = ", ".join(f"{number(band.share.rows)} {band.share.name}" for band in bands)
        return f"{number(self.rows_in)} rows came in: {told}"

    @property
    def account(self) -> str:
        """Whether both sides of the picture are equal."""
        out = sum(band.share.rows for band in self.flow.bands) if self.flow else 0
        return "every row is accounted for" if self.flow and out == self.rows_in else ""

    @property
    def timings_label(self) -> str:
        """The bars in words."""
        return ", ".join(f"{timing.name} {timing.took}" for timing in self.timings)


def run_page(detail: RunDetail, folder: str) -> RunPage:
    """The page of a run; paths are told as seen from the project's folder."""
    run, result = _seen_from(folder, detail.run), result_from(detail.report) if detail.report else None
    rows_in = None if run.counts_source is None else run.counts_source + (run.counts_expanded or 0)
    return RunPage(
        run=run,
        title=f"{(run.mode or 'run').capitalize()} of {run.contract}" if run.is_command else f"Run of {run.contract}",
        about=_about(run),
        flow=flow(_shares(run, result)),
        rows_in=rows_in,
        no_flow=_no_flow(run),
        timings=_timings(result),
        rules=rule_rows(result),
        levels=tuple((level, level_state(level)) for level in (result.service_levels if result else ())),
        steps=result.steps if result else (),
        plan=_plan(run),
        notes=result.notes if result else (),
        review_link=f"{review_link(run.contract or '')}&run={run.run_id}" if run.counts_quarantined else None,
    )


def _seen_from(folder: str, run: Run) -> Run:
    places = {name: getattr(run, name) for name in ("source", "target", "quarantine")}
    return replace(run, **{name: place and place.removeprefix(f"{folder}/") for name, place in places.items()})


def _shares(run: Run, result: RunResult | None) -> list[Share]:
    """Where the rows went; steps after the split may make more or fewer rows of the good ones."""
    split = result.counts.good_at_split if result else None
    good = run.counts_good if split is None else split
    total = sum(count or 0 for count in (good, run.counts_quarantined, run.counts_filtered, run.counts_deduplicated))
    target = shortened(run.target or "", _PLACE)
    written = f"{counted(run.counts_good, 'row')} in {target}" if run.counts_good != good and target else target
    told = (
        ("good", "good", good, written),
        ("quarantined", "bad", run.counts_quarantined, shortened(run.quarantine or "", _PLACE)),
        ("filtered", "idle", run.counts_filtered, "left out by filters"),
        ("deduplicated", "warn", run.counts_deduplicated, "an older or repeated record of a key"),
    )
    return [Share(f"{name}, {share(rows, total)}", kind, rows, where) for name, kind, rows, where in told if rows]


def _no_flow(run: Run) -> str:
    if run.status == "failed":
        return "The run failed before its rows were counted."
    if run.status == "no_new_data":
        return "Nothing new was there to read."
    return "No row was read." if run.counts_source == 0 else "This run counted no rows."


def _about(run: Run) -> tuple[tuple[str, str], ...]:
    told = (("Engine", run.engine), ("Layer", run.layer), ("Environment", run.environment), ("By", run.actor))
    return tuple((key, value) for key, value in told if value)


def _timings(result: RunResult | None) -> tuple[Timing, ...]:
    found = {name: value for name, value in (result.timings if result else {}).items() if value > 0}
    longest = max(found.values(), default=1.0)
    return tuple(
        Timing(name.replace("_", " "), _took(value), round(max(_BAR * value / longest, 2), 1))
        for name, value in found.items()
    )


def _took(seconds: float) -> str:
    """Parts of a run are short: their tenths of a second would all be alike."""
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _plan(run: Run) -> tuple[tuple[str, str], ...]:
    """What the run set out to do, as its plan and its claim said."""
    window = " to ".join(f"{moment:%Y-%m-%d %H:%M}" for moment in (run.window_start, run.window_end) if moment)
    told = (
        ("Reads", run.source),
        ("How", f"{run.mode}: {run.reason}" if run.reason else run.mode),
        ("Files", None if run.input_files is None else number(run.input_files)),
        ("Window", window),
        ("Up to", _up_to(run.watermark)),
        ("Good rows to", _table(run.target, run.target_version)),
        ("Bad rows to", _table(run.quarantine, run.quarantine_version)),
        ("Contract", run.contract_version),
        ("Number", None if run.sequence is None else f"{run.sequence}, attempt {run.attempt}"),
        ("Pipeline run", run.pipeline_run_id if run.pipeline_run_id != run.run_id else None),
    )
    return tuple((key, value) for key, value in told if value)


def _up_to(watermark: str | None) -> str | None:
    """Up to where the source was read; the time of a file is kept to the nanosecond."""
    word, _, moment = (watermark or "").rpartition(" ")
    if word != "newest file" or not moment.isdecimal():
        return watermark
    return f"files of {datetime.fromtimestamp(int(moment) / 1e9, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _table(location: str | None, version: int | None) -> str | None:
    return location if location is None or version is None else f"{location}, version {version}"
