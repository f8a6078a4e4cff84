"""Whole runs of the driver on DuckDB."""

from __future__ import annotations

import json

import pytest

from lakelogic.driver.nodes import Selection
from lakelogic.driver.windows import Dates
from lakelogic.driver.working import Patience
from tests.unit.driver.lake import Lake, statuses

_TOO_FEW = "quality: {dataset_rules: [{row_count_between: {min: 9}}]}\n"
_ONE_BAD = "quality: {row_rules: [{sql: id < 2}]}\n"


@pytest.fixture
def two_chains(lake: Lake) -> Lake:
    """Two entities, each from bronze to gold."""
    for entity in ("a", "b"):
        lake.contract(f"bronze_{entity}")
        lake.contract(f"silver_{entity}", source=f"bronze_{entity}", upstream=f"bronze_{entity}")
        lake.contract(f"gold_{entity}", source=f"silver_{entity}")
    lake.registry({e: {x: f"{x}_{e}.yaml" for x in ("bronze", "silver", "gold")} for e in ("a", "b")})
    return lake


def test_a_registry_runs_in_order_and_everything_arrives(two_chains: Lake) -> None:
    summary = two_chains.drive()
    assert set(statuses(summary).values()) == {"succeeded"}
    assert summary.exit_code == 0
    assert all(outcome.result and outcome.result.frames is None for outcome in summary.outcomes)
    assert [row["name"] for row in two_chains.rows("gold_b")] == ["a", "b"]
    log = two_chains.log()
    assert {row["pipeline_run_id"] for row in log} == {summary.pipeline_run_id}
    ended = [row["layer"] for row in log]
    assert ended == sorted(ended, key=["bronze", "silver", "gold"].index)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (_TOO_FEW, "upstream 'bronze_a': dataset rules failed (row_count_between)"),
        (_ONE_BAD + "quarantine: {max_ratio: 0.1}\n", "upstream 'bronze_a': 50.0% quarantined, and quarantine.max_r"),
        ("quarantine: {fail_on_quarantine: true}\n" + _ONE_BAD, "upstream 'bronze_a' failed"),
    ],
)
def test_what_goes_wrong_blocks_what_is_downstream_and_only_that(two_chains: Lake, body: str, reason: str) -> None:
    two_chains.contract("bronze_a", body)
    summary = two_chains.drive()
    told = statuses(summary)
    assert (told["silver_a"], told["gold_a"]) == ("blocked", "blocked")
    assert (told["bronze_b"], told["silver_b"], told["gold_b"]) == ("succeeded",) * 3
    assert summary.exit_code == 1
    blocked = [row for row in two_chains.log() if row["status"] == "blocked"]
    assert [row["contract"] for row in blocked] == ["silver_a", "gold_a"]
    assert all(row["reason"].startswith(reason) for row in blocked)


def test_a_few_quarantined_rows_go_on(two_chains: Lake) -> None:
    two_chains.contract("bronze_a", _ONE_BAD + "quarantine: {max_ratio: 0.5}\n")
    summary = two_chains.drive()
    assert summary.exit_code == 0
    assert [row["id"] for row in two_chains.rows("gold_a")] == ["1"]


def test_layers_and_entities_narrow_what_runs(two_chains: Lake) -> None:
    registry = (two_chains.root / "contracts/_registry.yaml",)
    two_chains.drive(Selection(registries=registry, layers=("raw",)))
    summary = two_chains.drive(Selection(registries=registry, layers=("silver", "gold"), entities=("b",)))
    assert list(statuses(summary)) == ["silver_b", "gold_b"]
    assert summary.exit_code == 0


def test_a_listed_contract_without_a_successful_upstream_is_skipped_and_logged(two_chains: Lake) -> None:
    registry = (two_chains.root / "contracts/_registry.yaml",)
    two_chains.drive(Selection(registries=registry, layers=("bronze",), entities=("a",)))
    two_chains.contract("silver_b", upstream="bronze_b")
    summary = two_chains.drive(Selection(registries=registry, layers=("silver",), entities=("b",)))
    assert [outcome.reason for outcome in summary.outcomes] == ["upstream 'bronze_b' has no successful run in the log"]
    assert summary.exit_code == 1
    assert two_chains.log()[-1]["status"] == "skipped"


@pytest.mark.parametrize("window", ["last_success", "none"])
def test_a_contract_whose_upstream_table_nobody_made_is_told_what_to_run_first(two_chains: Lake, window: str) -> None:
    selection = Selection(registries=(two_chains.root / "contracts/_registry.yaml",), layers=("silver", "gold"))
    summary = two_chains.drive(selection, dates=Dates(window))
    assert summary.exit_code == 1
    assert {outcome.contract: outcome.reason for outcome in summary.outcomes} == {
        "silver_a": "it reads 'bronze_a', which did not run yet. Run --layers bronze first.",
        "silver_b": "it reads 'bronze_b', which did not run yet. Run --layers bronze first.",
        "gold_a": "upstream 'silver_a' was skipped",
        "gold_b": "upstream 'silver_b' was skipped",
    }


def test_without_a_run_log_the_upstream_can_not_be_asked_and_that_is_said(two_chains: Lake) -> None:
    two_chains.contract("silver_a", upstream="bronze_a")
    selection = Selection(
        registries=(two_chains.root / "contracts/_registry.yaml",), layers=("silver",), entities=("a",)
    )
    summary = two_chains.drive(selection)
    (outcome,) = summary.outcomes
    assert outcome.status == "succeeded"
    assert "nobody knows whether 'bronze_a' is up to date" in outcome.warnings[0]


def test_a_contract_may_run_although_its_upstream_never_succeeded(two_chains: Lake) -> None:
    registry = (two_chains.root / "contracts/_registry.yaml",)
    two_chains.drive(Selection(registries=registry, layers=("bronze",), entities=("a",)))
    two_chains.contract("silver_b", "metadata: {upstream_policy: warn}\n", upstream="bronze_b")
    (outcome,) = two_chains.drive(Selection(registries=registry, layers=("silver",), entities=("b",))).outcomes
    assert outcome.status == "succeeded"
    assert outcome.warnings == ("upstream 'bronze_b' has no successful run in the log: upstream_policy is warn",)


@pytest.mark.parametrize(
    ("limits", "status", "warned"),
    [
        ("{bronze_a: {max_age: 24h}}", "succeeded", False),
        ("{default: {max_age: 0.001s, grace: 6h}}", "succeeded", True),
        ("{default: {max_age: 24h}, bronze_a: {max_age: 0.001s}}", "skipped", False),
    ],
)
def test_an_upstream_is_fresh_within_its_grace_or_stale(
    two_chains: Lake, limits: str, status: str, warned: bool
) -> None:
    registry = (two_chains.root / "contracts/_registry.yaml",)
    two_chains.drive(Selection(registries=registry, layers=("bronze",)))
    two_chains.contract("silver_a", f"upstream_freshness: {limits}\n", source="bronze_a", upstream="bronze_a")
    (outcome,) = two_chains.drive(Selection(registries=registry, layers=("silver",), entities=("a",))).outcomes
    assert outcome.status == status
    assert bool(outcome.warnings) == warned


def test_an_upstream_that_runs_in_the_same_invocation_counts(two_chains: Lake) -> None:
    limits = "upstream_freshness: {default: {max_age: 0.001s}}\n"
    two_chains.contract("silver_a", limits, source="bronze_a", upstream="bronze_a")
    assert two_chains.drive().exit_code == 0


def test_one_file_runs_the_contracts_that_read_such_files(
    two_chains: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    two_chains.file("hotfix/bronze_a_2026-02-06.csv", "id,name\n9,late\n")
    monkeypatch.chdir(two_chains.root)
    words = ("--layers", "bronze", "--set", "source.path=hotfix", "--set", "source.pattern=bronze_a_2026-02-06.csv")
    assert two_chains.command(*words, "--json") == 0
    runs = {run["contract"]: run for run in json.loads(capsys.readouterr().out)["runs"]}
    assert (runs["bronze_a"]["status"], runs["bronze_a"]["counts_good"]) == ("succeeded", 1)
    assert runs["bronze_b"]["status"] == "passed_over"
    assert runs["bronze_b"]["reason"] == "it does not read files named 'bronze_a_2026-02-06.csv'"


def test_a_dry_run_tells_the_order_and_writes_nothing(two_chains: Lake) -> None:
    before = sorted(two_chains.root.rglob("*"))
    summary = two_chains.drive(dry_run=True, state_path=two_chains.root / "state.json")
    assert set(statuses(summary).values()) == {"planned"}
    assert summary.outcomes[0].reason.startswith("reads 1 file:")
    assert summary.outcomes[-1].reason == "what it reads is made by those before it"
    assert sorted(two_chains.root.rglob("*")) == before


def test_a_resumed_run_does_only_what_has_not_succeeded(two_chains: Lake) -> None:
    state = two_chains.root / "logs/state.json"
    two_chains.contract("silver_a", _TOO_FEW, source="bronze_a")
    first = two_chains.drive(state_path=state, resume=True)
    assert first.notes == (f"{state} does not exist yet, so everything runs",)
    assert first.exit_code == 1
    two_chains.contract("silver_a", source="bronze_a")
    second = two_chains.drive(state_path=state, resume=True)
    assert {name for name, status in statuses(second).items() if status != "done_before"} == {"silver_a", "gold_a"}
    assert second.exit_code == 0
    third = two_chains.drive(state_path=state, resume=True)
    assert third.notes == (f"the run in {state} was complete, so everything runs",)
    assert "done_before" not in statuses(third).values()


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1, "kind": "other"}', '{"format": 99}'])
def test_a_state_file_that_is_damaged_foreign_or_newer_is_refused(two_chains: Lake, text: str) -> None:
    two_chains.file("state.json", text)
    assert two_chains.command("--state-path", str(two_chains.root / "state.json")) == 1
    assert (two_chains.root / "state.json").read_text() == text
    assert two_chains.log() == []


def test_an_unknown_upstream_stops_before_anything_runs(two_chains: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    two_chains.contract("silver_a", source="bronze_a", upstream="bronze_x")
    assert two_chains.command() == 2
    assert "'silver_a' needs 'bronze_x', which is unknown." in capsys.readouterr().err
    assert two_chains.log() == []


def test_contracts_that_fail_one_after_another_open_the_circuit_breaker(lake: Lake) -> None:
    for number in range(4):
        lake.contract(f"bronze_{number}", _ONE_BAD + "quarantine: {fail_on_quarantine: true}\n")
    lake.registry({str(n): {"bronze": f"bronze_{n}.yaml"} for n in range(4)})
    summary = lake.drive(max_workers=1, max_consecutive_failures=2)
    assert list(statuses(summary).values()) == ["failed", "failed", "skipped", "skipped"]
    assert summary.outcomes[-1].reason == "2 contracts have failed one after another"


def test_a_contract_that_takes_too_long_fails_and_says_so(lake: Lake) -> None:
    lake.contract("bronze_a", "external_logic: {type: python, path: slow.py}\n")
    lake.file("contracts/slow.py", "import time\ndef run(df, links, engine):\n    time.sleep(0.6)\n    return df\n")
    lake.registry({"a": {"bronze": "bronze_a.yaml"}})
    summary = lake.drive(patience=Patience(timeout_seconds=0.2))
    assert [(o.status, o.reason) for o in summary.outcomes] == [("failed", "it took longer than 0.2 s")]
    assert lake.drive().exit_code == 0


@pytest.fixture
def dated(lake: Lake) -> Lake:
    """A source with a file for each of three days and one between them that is missing, and what is made of it."""
    lake.contract("bronze_a")
    text = (lake.root / "contracts/bronze_a.yaml").read_text()
    text = text.replace(".csv'}", ".csv', load_mode: incremental}").replace("overwrite", "append")
    lake.file("contracts/bronze_a.yaml", text)
    for day in (2, 4):
        lake.file(f"landing/bronze_a/bronze_a_2026-02-0{day}.csv", f"id,name\n{day}0,x\n")
    lake.contract("silver_a", source="bronze_a")
    lake.registry({"a": {"bronze": "bronze_a.yaml", "silver": "silver_a.yaml"}})
    return lake


def test_a_range_reads_the_new_files_of_its_days(dated: Lake) -> None:
    summary = dated.drive(dates=Dates("range", "2026-02-01", "2026-02-02"))
    assert summary.exit_code == 0
    assert [row["id"] for row in dated.rows("silver_a")] == ["1", "2", "20"]
    (row,) = [row for row in dated.log() if row["contract"] == "bronze_a"]
    assert (str(row["window_start"])[:19], str(row["window_end"])[:19]) == (
        "2026-02-01 00:00:00",
        "2026-02-03 00:00:00",
    )
    again = dated.drive(dates=Dates("range", "2026-02-01", "2026-02-04"))
    assert again.outcomes[0].reason.startswith("1 of 3 files are new")
    assert [row["id"] for row in dated.rows("silver_a")] == ["1", "2", "20", "40"]


def test_the_windows_of_a_backfill_run_one_after_another_and_empty_ones_do_nothing(dated: Lake) -> None:
    summary = dated.drive(dates=Dates(backfill_start="2026-02-01", backfill_end="2026-02-04"))
    told = [
        (o.window[:10], o.status, o.result.counts.good) for o in summary.outcomes if o.layer == "bronze" and o.result
    ]
    assert told == [
        ("2026-02-01", "succeeded", 2),
        ("2026-02-02", "succeeded", 1),
        ("2026-02-03", "no_new_data", 0),
        ("2026-02-04", "succeeded", 1),
    ]
    assert "only files of 2026-02-03" in summary.outcomes[4].reason
    assert [row["id"] for row in dated.rows("silver_a")] == ["1", "2", "20", "40"]


def test_a_backfill_stops_at_the_first_window_that_fails_and_goes_on_from_there(dated: Lake) -> None:
    state = dated.root / "state.json"
    dates = Dates(backfill_start="2026-02-01", backfill_end="2026-02-04")
    text = (dated.root / "contracts/bronze_a.yaml").read_text()
    dated.file(
        "contracts/bronze_a.yaml", text + "quarantine: {fail_on_quarantine: true}\n" + _ONE_BAD.replace("2", "20")
    )
    first = dated.drive(dates=dates, state_path=state, resume=True)
    assert [o.status for o in first.outcomes] == ["succeeded", "succeeded", "failed", "blocked"]
    assert first.notes[-1].startswith("windows from 2026-02-03 to 2026-02-03 on did not run")
    dated.file("contracts/bronze_a.yaml", text)
    second = dated.drive(dates=dates, state_path=state, resume=True)
    assert [o.status for o in second.outcomes][:4] == ["done_before", "done_before", "succeeded", "succeeded"]
    assert [row["id"] for row in dated.rows("silver_a")] == ["1", "2", "20", "40"]


def test_days_are_processed_again_and_the_target_is_the_same(dated: Lake) -> None:
    text = (dated.root / "contracts/bronze_a.yaml").read_text()
    merged = text.replace("append", "merge") + "primary_key: [id]\n"
    dated.file("contracts/bronze_a.yaml", merged.replace("target_path", "reprocess_date_column: name, target_path"))
    for day in (1, 2, 4):
        dated.file(f"landing/bronze_a/bronze_a_2026-02-0{day}.csv", f"id,name\n{day},2026-02-0{day}\n")
    dated.drive()
    before = dated.rows("bronze_a")
    summary = dated.drive(dates=Dates(reprocess_start="2026-02-01", reprocess_end="2026-02-02"))
    assert summary.exit_code == 0
    assert summary.outcomes[0].result is not None
    assert summary.outcomes[0].result.counts.source == 2
    assert dated.rows("bronze_a") == before


def test_the_summary_is_plain_where_there_is_no_terminal(two_chains: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    assert two_chains.command("--layers", "bronze") == 0
    out = capsys.readouterr().out
    assert "2 succeeded" in out.splitlines()[0]
    assert any(line.split()[:4] == ["✓", "bronze_a", "bronze", "succeeded"] for line in out.splitlines())
    assert "\x1b" not in out


def test_a_reference_is_read_once_for_all_contracts(lake: Lake) -> None:
    lake.file("landing/names.csv", "id,label\n1,one\n2,two\n")
    joined = (
        "links: [{name: names, path: ../landing/names.csv}]\n"
        "transformations: [{join: {reference: names, on: id, key: id, fields: [label]}}]\n"
    )
    for name in ("silver_a", "silver_b", "silver_c"):
        lake.contract(name, joined)
    lake.registry({name[-1]: {"silver": f"{name}.yaml"} for name in ("silver_a", "silver_b", "silver_c")})
    assert lake.drive().references == {}
    summary = lake.drive(cache_references=True)
    assert summary.references == {"read": 1, "saved": 2}
    assert [row["label"] for row in lake.rows("silver_c")] == ["one", "two"]
