"""What pages say, from what runs and contracts say."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from threading import Event

import pytest

from lakelogic.errors import WriteError
from lakelogic.observe.history import RuleOutcome, RulePoint, Run, RunDetail
from lakelogic.observe.service_levels import ServiceLevelResult
from lakelogic.quarantine.lifecycle import Resolved
from lakelogic.run.result import Counts, DatasetRuleResult, RuleResult, RunResult
from lakelogic.serve.pages.jobs import Job, Jobs
from lakelogic.serve.pages.render import assets
from lakelogic.serve.pages.states import State, freshness, health
from lakelogic.serve.pages.views.contract import _line
from lakelogic.serve.pages.views.overview import Asked, overview
from lakelogic.serve.pages.views.parts import paging
from lakelogic.serve.pages.views.rules import rule_rows
from lakelogic.serve.pages.views.run import run_page
from lakelogic.serve.reading.contracts import ContractSummary, Health

NOW = datetime(2026, 3, 28, 12, tzinfo=UTC)


def summary(name: str = "orders", health: Health = "healthy", **told: object) -> ContractSummary:
    defaults = dict.fromkeys(("layer", "domain", "system", "entity", "title", "owner"), None) | {"file": f"{name}.yaml"}
    return ContractSummary(name=name, health=health, **(defaults | told))  # type: ignore[arg-type]


def run(**told: object) -> Run:
    return Run("r1", **({"contract": "orders", "status": "succeeded", "mode": "full"} | told))  # type: ignore[arg-type]


def result(**told: object) -> RunResult:
    defaults: dict[str, object] = {
        "run_id": "r1",
        "pipeline_run_id": "r1",
        "contract": "orders",
        "layer": None,
        "engine": "duckdb",
    }
    defaults |= {"status": "succeeded", "reason": "", "mode": "full", "started": NOW, "ended": NOW}
    defaults |= {"fingerprint": "", "location": "in"}
    return RunResult(**(defaults | told))  # type: ignore[arg-type]


def enough(severity: str) -> DatasetRuleResult:
    return DatasetRuleResult("enough", "failed", 3.0, severity, "volume", "Rule failed: enough")


def test_a_contract_that_blocks_others_is_not_healthy_though_its_run_succeeded() -> None:
    last = result(dataset_rules=(enough("error"),))
    assert health(summary(), last) == State("bad", "blocks others", "dataset rules failed: enough")


def test_a_dataset_rule_that_only_warns_leaves_a_contract_healthy() -> None:
    last = result(dataset_rules=(enough("warning"),))
    assert health(summary(), last).kind == "good"


def test_a_broken_promise_needs_a_look() -> None:
    last = result(
        service_levels=(ServiceLevelResult("row_count_min", "failed", 3, 4, "3 rows, promised are at least 4"),)
    )
    assert health(summary(), last) == State("warn", "promise broken", "row_count_min")


def test_a_failed_run_tells_its_error() -> None:
    failed = summary(health="failed", last_run=run(status="failed", error="the disk is full"))
    assert health(failed, None) == State("bad", "failed", "the disk is full")


@pytest.mark.parametrize(("hours", "kind"), [(1, "good"), (25, "bad")])
def test_freshness_is_told_as_of_now(hours: int, kind: str) -> None:
    told = freshness(summary(fresh_for_hours=24.0, last_success=NOW - timedelta(hours=hours)), NOW)
    assert told is not None
    assert told.kind == kind


def test_the_overview_finds_by_every_word_and_counts_what_it_does_not_show() -> None:
    names = [f"bronze_orders_{number}" for number in range(250)]
    found = overview([summary(name, layer="bronze") for name in names], {}, {}, {}, Asked("orders bronze_"), NOW)
    assert (found.found, found.shown, found.groups[0].total) == (250, 100, 250)
    assert found.more == "/?q=orders+bronze_&shown=200"
    assert overview([summary(name) for name in names], {}, {}, {}, Asked("orders_249"), NOW).found == 1


def test_the_last_rows_are_told_also_after_a_run_that_found_nothing_new() -> None:
    runs = [run(status="no_new_data", counts_good=0), run(mode="drop"), run(counts_good=7)]
    found = overview([summary()], {"orders": runs}, {}, {"orders": (100.0, 70.0)}, Asked(), NOW)
    row = found.groups[0].rows[0]
    assert row.wrote is not None
    assert (row.wrote.counts_good, row.trend) == (7, (100.0, 70.0))


def test_a_rule_has_its_pass_rate_of_every_run_oldest_first() -> None:
    rule = RuleOutcome("positive", "failed", "error", stage="pre", failed=1)
    points = [RulePoint("r2", NOW, 4, rule), RulePoint("r1", NOW, 2, rule)]
    last = RuleResult("positive", "failed", 1, "correctness", "error", "pre", "Rule failed: positive")
    (row,) = rule_rows(result(counts=Counts(source=4), rules=(last,)), points)
    assert (row.rate, row.trend) == (0.75, (50.0, 75.0))


def test_a_flow_tells_rows_at_the_split_and_rows_that_were_written() -> None:
    counted = run(counts_source=130, counts_expanded=0, counts_good=25, counts_quarantined=5, target="/here/out")
    detail = RunDetail(counted, result(counts=Counts(good_at_split=125)).to_dict())
    shown = run_page(detail, "/here")
    assert shown.flow is not None
    assert [band.share.rows for band in shown.flow.bands] == [125, 5]
    assert shown.flow.bands[0].share.where == "25 rows in out"
    assert shown.account == "every row is accounted for"


def test_an_account_that_does_not_add_up_is_not_called_one() -> None:
    counted = run(counts_source=9, counts_expanded=0, counts_good=5, counts_quarantined=1)
    assert run_page(RunDetail(counted, {}), "/here").account == ""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("source:  # where from", ("source:", "  ", "# where from")),
        ("  - name: 'a # b'", ("  - name:", " 'a # b'", "")),
        ("sql: x = '#'  # y", ("sql:", " x = '#'  ", "# y")),
        ("password: ${PASSWORD}", ("password:", " ${PASSWORD}", "")),
        ("  password: hunter2", ("  password:", " ***", "")),
        ("url: jdbc:x://h?user=a&password=hunter2&ssl=1", ("url:", " jdbc:x://h?user=a&password=***&ssl=1", "")),
        ("it's odd: '", ("", "it's odd: '", "")),
    ],
)
def test_a_line_of_a_contract_is_told_apart_and_keeps_its_secrets(line: str, told: tuple[str, str, str]) -> None:
    assert _line(line) == told


def test_pages_of_a_list_keep_what_was_asked() -> None:
    middle = paging("/runs", {"contract": "a b", "status": ""}, 50, 50, 120)
    assert (middle.before, middle.after) == ("/runs?contract=a+b", "/runs?contract=a+b&offset=100")
    assert (middle.first, middle.last) == (51, 100)


def _ended(jobs: Jobs, job: Job) -> Job:
    while (found := jobs.get(job.id)).running:
        pass
    return found


def test_a_decision_that_fails_says_why_and_how_to_cure_it() -> None:
    def fail() -> Resolved:
        raise WriteError("the table is locked.", cure="Wait.")

    jobs = Jobs()
    assert _ended(jobs, jobs.start("dropped", fail)).told == "the table is locked. Wait."


def test_a_decision_about_nothing_says_so() -> None:
    jobs = Jobs()
    assert "Nothing to do" in _ended(jobs, jobs.start("dropped", lambda: Resolved(0))).told


def test_what_an_engine_keeps_for_decisions_ends_when_none_has_come_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = Event()
    monkeypatch.setattr("lakelogic.serve.pages.jobs.end_engines", ended.set)
    jobs = Jobs(idle_seconds=0.01)
    jobs.start("dropped", lambda: Resolved(0))
    assert ended.wait(10)


def test_htmx_comes_with_its_licence_and_nothing_comes_from_elsewhere() -> None:
    assert "Zero-Clause BSD" in assets()["htmx.LICENSE.txt"].content.decode()
    for name in ("pages.css", "pages.js"):
        assert b"http" not in assets()[name].content


def _brightness(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("word", ["text", "dim", "accent", "good", "warn", "bad", "idle"])
def test_words_stand_out_from_what_is_behind_them(word: str, theme: int) -> None:
    style = assets()["pages.css"].content.decode()
    pairs = re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", style)
    colours = {name: _brightness(both[theme]) for name, *both in pairs}
    for back in ("bg", "panel", "raised"):
        darker, lighter = sorted((colours[word], colours[back]))
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, back
