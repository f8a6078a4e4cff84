"""From contracts and run logs to a view."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lakelogic.cli.main import main
from lakelogic.driver.nodes import Selection
from lakelogic.observe.history import Run
from lakelogic.plan.tables import identity_of, target_of
from lakelogic.state.claims import Claim, Claims, Pinned
from lakelogic.viewer.looking import look_at
from lakelogic.viewer.rendering import renderings
from lakelogic.viewer.runs import by_contract
from lakelogic.viewer.view import View
from tests.unit.driver.lake import Lake
from tests.unit.viewer.views import HOSTILE, NOW, small


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Four contracts: two of files, one that joins them, and one over that."""
    found = Lake(tmp_path)
    found.file("lakelogic.toml", 'engine = "duckdb"\n')
    found.contract("reference_names")
    found.contract("bronze_a", "service_levels: {freshness_hours: 1}\n")
    found.contract(
        "silver_a",
        """
        links: [{name: names, path: ../tables/reference_names, type: delta}]
        transformations:
          - lookup: {field: label, reference: names, on: id, value: name}
          - derive: {field: shout, sql: "upper(concat(name, label))"}
        """,
        source="bronze_a",
    )
    found.contract(
        "gold_a",
        "transformations: [{rollup: {group_by: [label], aggregations: {people: COUNT(*), first: MIN(shout)}}}]\n",
        source="silver_a",
        upstream="silver_a, elsewhere",
    )
    return found


def _view(lake: Lake, *, now: datetime | None = None) -> View:
    return look_at(Selection(paths=(lake.root / "contracts",)), now=now)


def test_before_any_run_all_is_known_but_how_it_fared(lake: Lake) -> None:
    view = _view(lake)
    assert view.layers == ("sources", "reference", "bronze", "silver", "gold")
    assert {box.runs.state for box in view.contracts} == {"never ran"}
    told = {(arrow.origin.removeprefix(f"sources:{lake.root}/"), arrow.target, arrow.reasons) for arrow in view.arrows}
    assert told == {
        ("landing/reference_names/reference_names_*.csv", "reference_names", ("source",)),
        ("landing/bronze_a/bronze_a_*.csv", "bronze_a", ("source",)),
        ("bronze_a", "silver_a", ("source",)),
        ("reference_names", "silver_a", ("link names",)),
        ("silver_a", "gold_a", ("source", "upstream")),
        ("elsewhere", "gold_a", ("upstream",)),
    }
    assert view.by_name["elsewhere"].kind == "unlisted"


def test_columns_are_followed_from_contract_to_contract(lake: Lake) -> None:
    view = _view(lake)
    gold = {column.name: column for column in view.by_name["gold_a"].columns}
    assert gold["first"].kind == "aggregation" and gold["first"].inputs == (("silver_a", "shout"),)
    silver = {column.name: column for column in view.by_name["silver_a"].columns}
    assert silver["shout"].inputs == (("bronze_a", "name"), ("reference_names", "name"))
    bronze = {column.name: column for column in view.by_name["bronze_a"].columns}
    assert bronze["name"].inputs == ((f"sources:{lake.root}/landing/bronze_a/bronze_a_*.csv", "name"),)
    assert all(box.note is None for box in view.contracts)


def test_a_contract_that_does_not_fit_its_source_still_has_a_box(lake: Lake) -> None:
    lake.contract("silver_b", "quality: {row_rules: [{sql: nope > 1}]}\n", source="bronze_a")
    box = _view(lake).by_name["silver_b"]
    assert box.note is not None and "nope" in box.note


def test_before_anything_has_landed_columns_are_those_of_the_model(lake: Lake) -> None:
    body = "dataset: bronze_c\nlayer: bronze\nsource: {path: ../landing/nothing}\n"
    lake.file("contracts/bronze_c.yaml", body + "model: {fields: [{name: id, type: int}]}\n")
    box = _view(lake).by_name["bronze_c"]
    assert box.note is None and [(column.name, column.kind) for column in box.columns] == [("id", "identity")]


def test_code_of_the_user_is_not_looked_into(lake: Lake) -> None:
    lake.file("contracts/code.py", "def run(df, links, engine):\n    return df\n")
    lake.contract("silver_d", "external_logic: {type: python, path: code.py}\n"
                  "model: {fields: [{name: id, type: int}]}\n", source="bronze_a")  # fmt: skip
    (column,) = _view(lake).by_name["silver_d"].columns
    assert (column.kind, column.inputs) == ("transformation", ())


def test_runs_counts_and_freshness_are_those_of_the_log(lake: Lake) -> None:
    lake.drive(Selection(paths=(lake.root / "contracts",), entities=("reference_names", "bronze_a", "silver_a")))
    view = _view(lake)
    assert view.by_name["silver_a"].runs.state == "succeeded"
    assert view.by_name["gold_a"].runs.state == "never ran"
    counts = {(arrow.target, arrow.reasons[0]): arrow.rows for arrow in view.arrows}
    assert counts[("silver_a", "source")] == 2 and counts[("silver_a", "link names")] is None
    now = datetime.now(UTC)
    assert view.by_name["bronze_a"].runs.freshness(now) == "fresh"
    assert view.by_name["bronze_a"].runs.freshness(now + timedelta(hours=2)) == "stale"
    assert view.by_name["silver_a"].runs.freshness(now) is None


def test_a_run_that_was_never_finished_says_so(lake: Lake) -> None:
    node = look_at(Selection(paths=(lake.root / "contracts",)), columns=False).by_name["bronze_a"]
    assert node.runs.state == "never ran"
    from lakelogic.contract import load_contract

    loaded = load_contract(lake.root / "contracts/bronze_a.yaml")
    claims = Claims(lake.root / ".lakelogic" / "runs" / identity_of(loaded, target_of(loaded)))
    claim = Claim(1, "r1", "p1", NOW, "f", "c", "why", "full", Pinned("x", "files"))
    with claims.at_work(claims.create(claim)):
        pass
    assert _view(lake).by_name["bronze_a"].runs.state == "unfinished"


def test_a_failed_run_is_told_as_such_though_its_claim_is_open() -> None:
    runs = [
        Run("r1", contract="a", status="succeeded", mode="full", ended_at=NOW, counts_source=9),
        Run("r2", contract="a", status="failed", mode="full", ended_at=NOW + timedelta(hours=1)),
        Run("r3", contract="a", status="succeeded", mode="replay", ended_at=NOW + timedelta(hours=2), counts_source=1),
    ]
    found = by_contract(reversed(runs))["a"]
    assert found.state == "failed" and found.up_to_date == NOW
    assert found.wrote is not None and found.wrote.counts_source == 9


def test_text_tells_layer_by_layer_what_reads_what(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dag", str(lake.root / "contracts")]) == 0
    told = capsys.readouterr().out
    assert told.index("reference_names") < told.index("bronze_a") < told.index("silver_a") < told.index("gold_a")
    assert "never ran" in told and "elsewhere (not listed)" in told


def test_the_ending_of_a_file_tells_its_form(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    contracts = str(lake.root / "contracts")
    for ending, opening in (
        (".html", "<!DOCTYPE html>"),
        (".mmd", "flowchart LR"),
        (".dot", "digraph"),
        (".json", "{"),
    ):
        file = lake.root / f"dag{ending}"
        assert main(["dag", contracts, "-o", str(file)]) == 0
        assert main(["dag", contracts, "-o", str(file)]) == 0
        assert file.read_text(encoding="utf-8").startswith(opening)
    data = json.loads((lake.root / "dag.json").read_text(encoding="utf-8"))
    assert data["format"] == 1 and len(data["boxes"]) == 7
    capsys.readouterr()
    assert main(["dag", contracts, "--as", "png"]) == 2
    assert main(["dag", contracts, "--as", "dot", "--open"]) == 2
    assert main(["dag", str(lake.root / "nowhere")]) == 2


@pytest.mark.parametrize("form", ["html", "mermaid", "dot", "json"])
def test_hostile_names_stay_names(form: str) -> None:
    text = renderings.get(form).write(small(HOSTILE))
    if form == "html":
        assert "<script>document.title" not in text and "<img" not in text
    if form == "mermaid":
        assert "<img" not in text and "<br/>" in text
    if form == "dot":
        assert all(line.count('"') - line.count('\\"') in (0, 2, 4, 6) for line in text.splitlines())
    if form == "json":
        assert json.loads(text)["boxes"][3]["name"] == HOSTILE
