"""The driver's documents as they are printed: every command, from the project's root, over the insurance example."""

from __future__ import annotations

import csv
import json
import shlex
import shutil
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import duckdb
import pytest
from deltalake import DeltaTable

from lakelogic import build_dag_from_upstream, load_all_contracts, run_contract, stop_downstream, topo_sort
from lakelogic.cli.driver import main

ROOT = Path(__file__).parents[2]
OUTPUT = Path("examples/insurance_elt/output")
REGISTRY = "--registry examples/insurance_elt/contracts/insurance/_registry.yaml"
ALL = f"""{REGISTRY} \
--reference-registry examples/insurance_elt/contracts/shared/reference/_registry.yaml \
--gold-registry examples/insurance_elt/contracts/insurance/warehouse/_registry.yaml"""
BASIC = f"{ALL} --layers reference,bronze,silver,gold --window last_success"

# What the week holds, whatever engine reads it: good rows, and bad ones.
WEEK = {
    "reference_shared_currencies": (3, 0),
    "reference_shared_products": (4, 0),
    "reference_shared_regions": (4, 0),
    "bronze_insurance_customers": (51, 2),
    "bronze_insurance_policies": (149, 1),
    "bronze_insurance_claims": (130, 1),
    "silver_insurance_customers": (49, 2),
    "silver_insurance_policies": (144, 4),
    "silver_insurance_claims": (125, 5),
    "gold_insurance_policies": (4, 0),
    "gold_insurance_claims": (25, 0),
    "gold_dim_customers": (49, 0),
    "gold_dim_policies": (144, 0),
    "gold_fact_claims": (28, 0),
}


def placed(root: Path) -> Path:
    """The project, with its examples and policy packs and without what others have run."""
    made = shutil.ignore_patterns("output", ".lakelogic", ".venv", "artifacts")
    shutil.copytree(ROOT / "examples", root / "examples", ignore=made)
    shutil.copytree(ROOT / "policy_packs", root / "policy_packs")
    return root


def driven(command: str, capsys: pytest.CaptureFixture[str], engine: str = "duckdb") -> tuple[int, dict[str, Any]]:
    """The exit code of a command, and what it says about each contract."""
    capsys.readouterr()
    code = main([*shlex.split(command), "--engine", engine, "--json"])
    told = json.loads(capsys.readouterr().out)
    return code, {run["contract"]: run for run in told["runs"]}


def statuses(runs: dict[str, Any]) -> dict[str, str]:
    return {name: run["status"] for name, run in runs.items()}


def counts(runs: dict[str, Any]) -> dict[str, tuple[int, int]]:
    return {name: (run["counts_good"], run["counts_quarantined"]) for name, run in runs.items()}


def rows(table: str) -> list[dict[str, Any]]:
    """The rows of a table without the columns that tell of the run, in an order of their own."""
    found = DeltaTable(OUTPUT / table).to_pyarrow_table().to_pylist()
    plain = [{key: value for key, value in row.items() if not key.startswith("_lakelogic")} for row in found]
    return sorted(plain, key=str)


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The project's root after the first command that is printed, and what that said."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(placed(tmp_path_factory.mktemp("project")))
        with redirect_stdout(StringIO()) as out:
            assert main([*shlex.split(BASIC), "--engine", "duckdb", "--json"]) == 0
        yield {run["contract"]: run for run in json.loads(out.getvalue())["runs"]}


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(placed(tmp_path))
    return tmp_path


def test_basic_usage_fills_every_layer(week: dict[str, Any]) -> None:
    assert counts(week) == WEEK
    order = list(week)
    assert order.index("gold_dim_policies") < order.index("gold_fact_claims")


def test_claims_stand_as_their_newest_change_says(week: dict[str, Any]) -> None:
    found = {row["claim_id"]: row for row in rows("silver/claims")}
    bad = {"", "K90201", "K90301", "K90401", "K90402", "K90601"}
    newest: dict[str, dict[str, str]] = {}
    for file in sorted(Path("examples/insurance_elt/data/bronze").glob("claims_cdc_*.csv")):
        for event in csv.DictReader(file.open()):
            before = newest.get(event["claim_id"])
            if event["claim_id"] not in bad and (before is None or before["changed_at"] <= event["changed_at"]):
                newest[event["claim_id"]] = event
    alive = {key: event for key, event in newest.items() if event["op"] != "D"}
    assert {key: (row["status"], str(row["amount"])) for key, row in found.items()} == {
        key: (event["status"], event["amount"]) for key, event in alive.items()
    }


def test_the_fact_counts_every_claim_once(week: dict[str, Any]) -> None:
    assert sum(row["claims"] for row in rows("gold/fact_claims")) == len(rows("silver/claims"))


def test_a_dimension_has_one_current_row_for_each_key_and_keeps_the_others(week: dict[str, Any]) -> None:
    found = rows("gold/dim_policies")
    current = [row["policy_id"] for row in found if row["is_current"]]
    assert len(current) == len(set(current)) == len({row["policy_id"] for row in found})
    assert len(found) > len(current)


def test_run_only_one_entity(week: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    code, runs = driven(f"{ALL} --layers bronze,silver,gold --entities policies", capsys)
    assert code == 0
    assert statuses(runs) == {
        "bronze_insurance_policies": "no_new_data",
        "silver_insurance_policies": "no_new_data",
        "gold_dim_policies": "succeeded",
        "gold_insurance_policies": "succeeded",
    }


def test_observability_outputs(week: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    logs = OUTPUT / "run_logs"
    code, runs = driven(
        f"""{BASIC} --summary-table lakelogic.pipeline_runs --summary-backend duckdb \
        --summary-database {logs}/lakelogic_pipeline_runs.duckdb --metrics-path {logs}/pipeline_metrics.json""",
        capsys,
    )
    assert code == 0
    with duckdb.connect(str(logs / "lakelogic_pipeline_runs.duckdb"), read_only=True) as database:
        kept = database.sql("SELECT contract, status FROM lakelogic.pipeline_runs WHERE kind = 'contract'").fetchall()
        (whole,) = database.sql(
            "SELECT status, contracts FROM lakelogic.pipeline_runs WHERE kind = 'pipeline'"
        ).fetchall()
    assert dict(kept) == statuses(runs)
    assert whole == ("succeeded", len(WEEK))
    assert len(json.loads((logs / "pipeline_metrics.json").read_text())["contracts"]) == len(WEEK)


HOTFIX = f"{REGISTRY} --layers bronze --set source.path=examples/insurance_elt/data/bronze --set source.pattern={{}}"


def test_run_level_overrides_read_one_file(fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, runs = driven(HOTFIX.format('"claims_cdc_2026-02-06.csv"'), capsys)
    assert code == 0
    assert statuses(runs) == {
        "bronze_insurance_claims": "succeeded",
        "bronze_insurance_customers": "passed_over",
        "bronze_insurance_policies": "passed_over",
    }
    assert runs["bronze_insurance_claims"]["counts_source"] == 20
    assert main(shlex.split(HOTFIX.format("nobody_2026-02-06.csv"))) == 2


def test_an_incremental_window_reads_its_days_only(fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    window = "--window range --window-start-date 2026-02-01 --window-end-date 2026-02-05"
    code, runs = driven(f"{ALL} --layers bronze {window}", capsys)
    assert (code, runs["bronze_insurance_policies"]["counts_source"]) == (0, 122)


def test_an_incremental_window_that_was_read_already_changes_nothing(
    week: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    before = rows("gold/fact_claims")
    window = "--window range --window-start-date 2026-02-01 --window-end-date 2026-02-05"
    code, runs = driven(f"{ALL} --layers bronze,silver,gold {window}", capsys)
    assert code == 0
    assert {run["status"] for name, run in runs.items() if run["layer"] != "gold"} == {"no_new_data"}
    assert rows("gold/fact_claims") == before


def test_reprocessing_late_data_leaves_the_same_tables(
    week: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    tables = ("silver/policies", "silver/claims", "gold/dim_policies", "gold/claims_by_day", "gold/fact_claims")
    before = {table: rows(table) for table in tables}
    days = "--reprocess-start-date 2026-02-01 --reprocess-end-date 2026-02-05"
    code, runs = driven(f"{ALL} --layers silver,gold {days}", capsys)
    assert (code, set(statuses(runs).values())) == (0, {"succeeded"})
    assert {table: rows(table) for table in tables} == before


def test_a_partial_resume_runs_only_what_failed(week: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    command = f"{REGISTRY} --layers bronze,silver,gold --state-path logs/driver_state.json --resume"
    contract = Path("examples/insurance_elt/contracts/insurance/gold/policies.yaml")
    right = contract.read_text()
    contract.write_text(right.replace("status = 'active'", "no_such_column = 'active'"))
    code, runs = driven(command, capsys)
    assert (code, runs["gold_insurance_policies"]["status"]) == (2, "failed")
    contract.write_text(right)
    code, runs = driven(command, capsys)
    assert (code, runs.pop("gold_insurance_policies")["status"]) == (0, "succeeded")
    assert set(statuses(runs).values()) == {"done_before"}


@pytest.mark.parametrize(
    "command",
    [
        f"{REGISTRY} --layers silver --policy-pack baseline_silver --policy-pack-dir policy_packs",
        f"{REGISTRY} --layers gold --approval-required --approval-file approvals/2026-02-06.ok",
        f"{REGISTRY} --layers silver --cache-references",
    ],
)
def test_a_printed_command_works(week: dict[str, Any], command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, runs = driven(command, capsys)
    assert code == 0, runs
    assert set(statuses(runs).values()) <= {"succeeded", "no_new_data"}


@pytest.mark.slow
def test_a_backfill_day_by_day_gives_the_tables_of_one_run(
    week: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = ("silver/customers", "silver/policies", "silver/claims")
    at_once = {table: rows(table) for table in tables}
    monkeypatch.chdir(placed(tmp_path))
    assert driven(f"{ALL} --layers reference", capsys)[0] == 0
    days = "--backfill-start-date 2026-02-01 --backfill-end-date 2026-02-07 --backfill-granularity day"
    assert driven(f"{REGISTRY} --layers bronze,silver {days}", capsys)[0] == 0
    assert {table: rows(table) for table in tables} == at_once


def test_a_mesh_runs_from_its_folder(fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, runs = driven("examples/retail_mesh/contracts", capsys)
    assert code == 0
    assert counts(runs) == {
        "bronze_crm_customers": (38, 3),
        "bronze_erp_products": (40, 0),
        "bronze_pos_orders": (120, 0),
        "silver_crm_customers": (33, 0),
        "silver_erp_products": (19, 1),
        "silver_pos_orders": (116, 4),
        "gold_dim_customers": (33, 0),
        "gold_dim_products": (19, 0),
        "gold_fact_sales": (22, 9),
    }


def test_the_printed_loop_walks_the_graph_of_nine_tables(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(fresh / "examples" / "retail_mesh")
    monkeypatch.setenv("LAKELOGIC_ENGINE", "duckdb")
    registry = load_all_contracts("contracts/")
    DAG = build_dag_from_upstream(registry)  # noqa: N806
    walked = []
    for node in topo_sort(DAG):
        report = run_contract(node)
        walked.append((node.name, node.upstream))
        if report.dataset_rules_failed:
            stop_downstream(node)
    needed = {name: set(upstream) for name, upstream in walked}
    assert needed == {
        "bronze_crm_customers": set(),
        "bronze_erp_products": set(),
        "bronze_pos_orders": set(),
        "silver_crm_customers": {"bronze_crm_customers"},
        "silver_erp_products": {"bronze_erp_products"},
        "silver_pos_orders": {"bronze_pos_orders"},
        "gold_dim_customers": {"silver_crm_customers"},
        "gold_dim_products": {"silver_erp_products"},
        "gold_fact_sales": {"gold_dim_customers", "gold_dim_products", "silver_pos_orders"},
    }
    assert walked[-1][0] == "gold_fact_sales"
