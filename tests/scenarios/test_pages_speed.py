"""How fast pages are there, in a project of 500 contracts and 10,000 runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from playwright.sync_api import Page

from lakelogic.run.result import Counts, RuleResult, RunResult
from lakelogic.state.runlog import as_text, run_log_schema
from tests.browsing import browser, needs_browser, page
from tests.scenarios.serving import served

__all__ = ["browser", "page"]

pytestmark = [needs_browser, pytest.mark.slow]

CONTRACTS, RUNS = 500, 20
LONG = "a_name_that_somebody_thought_would_be_good_to_tell_everything_there_is_to_know_about_it_" * 2
PAINT = """new Promise((done) => new PerformanceObserver((list) => {
  for (const entry of list.getEntriesByName("first-contentful-paint")) done(entry.startTime);
}).observe({type: "paint", buffered: true}))"""
NOW = datetime.now(UTC)


def _name(number: int) -> str:
    return LONG if number == 7 else f"{('bronze', 'silver', 'gold')[number % 3]}_table_{number}"


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("large")
    for number in range(CONTRACTS):
        needs = f"upstream: [{_name(number - 1)}]" if number % 3 else ""
        (root / f"c{number}.yaml").write_text(
            f"dataset: {_name(number)}\nlayer: {('bronze', 'silver', 'gold')[number % 3]}\n{needs}\n"
            f"source: {{path: in/{number}.csv}}\nmodel: {{fields: [{{name: id, type: int, required: true}}]}}\n"
            f"materialization: {{strategy: append, target_path: out/{number}}}\n"
        )
    _log(root)
    with served(root) as address:
        yield address


def _log(root: Path) -> None:
    """A history as runs would have left it."""
    names = run_log_schema().names
    rows = [{name: row.get(name) for name in names} for number in range(CONTRACTS) for row in _rows(number)]
    write_deltalake(str(root / ".lakelogic/run_log"), pa.Table.from_pylist(rows, run_log_schema()))


def _rows(number: int) -> Iterator[dict[str, object]]:
    """The runs of a contract; they differ in what is listed of them."""
    data = _result(number).to_dict()
    report = as_text(data)
    for at in range(RUNS):
        began, bad, run_id = NOW - timedelta(hours=RUNS - at), (number * at) % 17, f"run-{number}-{at}"
        yield {
            **data,
            "run_id": run_id,
            "started_at": began,
            "ended_at": began,
            "counts_source": 100,
            "counts_good": 100 - bad,
            "counts_quarantined": bad,
            "quality_score": 100.0 - bad,
            "report": report.replace(f'"run-{number}"', f'"{run_id}"'),
            "format": 1,
            "target": None,
            "quarantine": None,
        }


def _result(number: int) -> RunResult:
    bad = number % 17
    rules = tuple(
        RuleResult(f"rule_{each}", "failed" if bad else "passed", bad, "validity", "error", "pre", f"rule {each}")
        for each in range(20)
    )
    return RunResult(
        run_id=f"run-{number}", pipeline_run_id="p", contract=_name(number), layer="bronze", engine="duckdb",
        status="succeeded", reason="new files", mode="incremental", started=NOW, ended=NOW, fingerprint="f",
        location="in", counts=Counts(100, 0, 100 - bad, bad, 0, 0, 100 - bad, bad), rules=rules,
    )  # fmt: skip


@pytest.mark.parametrize(
    "path", ["/", f"/contracts/{_name(1)}", f"/contracts/{LONG}", "/runs", "/runs/run-1-1", "/dag", "/review"]
)
def test_a_page_is_painted_within_300_ms(at: str, page: Page, path: str) -> None:
    # The first visitor after a change pays for reading it.
    page.goto(at + path)
    paints = []
    for _ in range(3):
        page.goto(at + path)
        paints.append(float(page.evaluate(PAINT)))
    print(f"{path[:40]}: first contentful paint {min(paints):.0f} ms, at most {max(paints):.0f} ms")
    assert min(paints) < 300
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
