"""A project over HTTP: what the routes tell is what the run log and the tables say."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lakelogic import DataProcessor, Quarantine
from lakelogic.quarantine.rows import STATES, Wanted
from tests.serving import ORDERS, SILVER, lakehouse, visitor

_RUNTIME = "/api/runtime"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lakehouse(tmp_path_factory.mktemp("serve") / "shop")


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[TestClient]:
    """A visitor of a project that no test changes."""
    with visitor(folder) as found:
        yield found


@pytest.fixture
def own(tmp_path: Path) -> tuple[Path, TestClient]:
    """A project of the test's own, and a visitor of it."""
    folder = lakehouse(tmp_path / "own")
    return folder, visitor(folder)


def test_health_links_to_the_proof(client: TestClient) -> None:
    assert client.get("/health").json() == {
        "ok": True,
        "schema": "lakehouse-contract-health-v1",
        "links": {"qualityReport": f"{_RUNTIME}/quality-report", "goldPreview": f"{_RUNTIME}/table-preview/gold"},
    }


def test_the_quality_report_counts_every_row_for_every_rule(client: TestClient) -> None:
    report = client.get(f"{_RUNTIME}/quality-report").json()
    assert (report["service"], report["schema"]) == ("shop", "lakehouse-quality-report-v1")
    assert report["summary"] == {"acceptedRows": 2, "failedRows": 3, "qualityPassRatePct": 40.0}
    rules = {rule["name"]: (rule["layer"], rule["passed"], rule["failed"]) for rule in report["expectations"]}
    assert rules == {
        "customer_present": ("silver", 3, 2),
        "positive_amount": ("silver", 4, 1),
        "amount_type": ("silver", 4, 1),
    }
    assert report["expectations"][0]["rule"] == "Somebody has ordered."
    assert report["expectations"][1]["rule"] == "amount > 0"


def test_rejected_rows_show_their_key_what_was_judged_and_why(client: TestClient) -> None:
    rows = client.get(f"{_RUNTIME}/quality-report").json()["rejectedPreview"]
    assert rows == [
        {"order_id": "O-2", "customer": None, "amount": 20.0, "rejection_reason": "missing_customer"},
        {"order_id": "O-3", "customer": "C-3", "amount": -5.0, "rejection_reason": "non_positive_amount"},
        {"order_id": "O-5", "customer": None, "amount": "many", "rejection_reason": rows[2]["rejection_reason"]},
    ]


def test_a_layer_shows_its_rows_with_money_as_numbers(client: TestClient) -> None:
    found = client.get(f"{_RUNTIME}/table-preview/gold").json()
    assert (found["schema"], found["layer"]) == ("lakehouse-table-preview-v1", "gold")
    assert found["rows"] == [
        {"region": "NORTH", "revenue": 10.5, "orders": 1},
        {"region": "SOUTH", "revenue": 7.25, "orders": 1},
    ]


def test_private_values_are_hidden_also_in_columns_that_nobody_declared(client: TestClient) -> None:
    bronze = client.get(f"{_RUNTIME}/table-preview/bronze").json()["rows"]
    assert {row["email"] for row in bronze} == {"***"}
    assert {row["order_id"] for row in bronze} == {"O-1", "O-2", "O-3", "O-4", "O-5"}
    everything = "".join(client.get(route).text for route in _every_route(client))
    assert "@x.com" not in everything


def _every_route(client: TestClient) -> list[str]:
    run = client.get("/api/runs").json()["runs"][0]["run_id"]
    row = client.get("/api/quarantine").json()["rows"][0]["id"]
    return [
        "/docs",
        "/metrics",
        "/api/runs",
        f"/api/runs/{run}",
        "/api/contracts",
        "/api/contracts/silver_orders",
        "/api/dag",
        "/api/rules/silver_orders",
        "/api/quarantine?state=all",
        f"/api/quarantine/silver_orders/{row}",
        "/api/quarantine/download?contract=silver_orders",
        "/api/quarantine/download?contract=silver_orders&as=parquet",
        *(f"{_RUNTIME}/{name}" for name in ("quality-report", "pipeline-summary", "export-status")),
        *(f"{_RUNTIME}/table-preview/{layer}" for layer in ("bronze", "silver", "gold")),
    ]


def test_every_route_answers(client: TestClient) -> None:
    assert {route: client.get(route).status_code for route in _every_route(client)} == dict.fromkeys(
        _every_route(client), 200
    )


def test_the_summary_counts_rows_of_tables_and_rules_without_failure(client: TestClient) -> None:
    found = client.get(f"{_RUNTIME}/pipeline-summary").json()
    assert found["layers"] == {"bronze": {"rows": 5}, "silver": {"rows": 2}, "gold": {"rows": 2}}
    assert found["quality"] == {"total_expectations": 3, "passed": 0, "rejected_rows": 3}
    assert [row["region"] for row in found["gold_kpis"]] == ["NORTH", "SOUTH"]


def test_exports_that_are_not_set_up_say_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SNOWFLAKE_ACCOUNT", "DATABRICKS_HOST", "S3_ARTIFACT_BUCKET"):
        monkeypatch.delenv(name, raising=False)
    found = client.get(f"{_RUNTIME}/export-status").json()
    assert found == {
        "schema": "lakehouse-export-status-v1",
        "snowflake": {"configured": False, "account": "(not set)"},
        "databricks": {"configured": False, "host": "(not set)"},
        "s3": {"configured": False, "bucket": "(not set)"},
    }


@pytest.mark.parametrize("layer", ["platinum", "..%2F..%2Fetc", "%00", "' OR 1=1 --", "GOLD", "a" * 3000])
def test_a_layer_that_is_not_there_is_unknown(client: TestClient, layer: str) -> None:
    found = client.get(f"{_RUNTIME}/table-preview/{layer}")
    assert found.status_code == 404


def test_an_unknown_layer_is_told_as_documented(client: TestClient) -> None:
    assert client.get(f"{_RUNTIME}/table-preview/platinum").json() == {"detail": "Unknown layer"}


def test_a_table_that_was_never_built_is_told_with_the_cure(tmp_path: Path) -> None:
    with visitor(lakehouse(tmp_path / "shop", run=False)) as found:
        for route in ("table-preview/silver", "quality-report", "pipeline-summary"):
            answer = found.get(f"{_RUNTIME}/{route}")
            assert answer.status_code == 503
            assert answer.json()["cure"].endswith("it and what it reads: lakelogic-driver .")
        assert found.get("/api/runs").json()["total"] == 0
        assert {each["health"] for each in found.get("/api/contracts").json()["contracts"]} == {"never"}


def test_a_folder_without_contracts_is_served_and_says_so(tmp_path: Path) -> None:
    with visitor(tmp_path) as found:
        assert found.get("/health").status_code == 200
        assert "holds no contract" in found.get("/api/contracts").json()["problem"]
        assert found.get(f"{_RUNTIME}/quality-report").status_code == 503


def test_a_table_that_disappears_is_told_and_never_a_crash(own: tuple[Path, TestClient]) -> None:
    folder, found = own
    assert found.get(f"{_RUNTIME}/table-preview/gold").status_code == 200
    shutil.rmtree(folder / "tables" / "gold")
    answer = found.get(f"{_RUNTIME}/table-preview/gold")
    assert (answer.status_code, "is gone" in answer.json()["detail"]) == (503, True)
    assert "lakelogic" in answer.json()["cure"]
    for file in (folder / "tables" / "silver").glob("*.parquet"):
        file.unlink()
    assert found.get(f"{_RUNTIME}/table-preview/silver").status_code == 503


def test_a_run_log_that_is_damaged_is_told(own: tuple[Path, TestClient]) -> None:
    folder, found = own
    for file in (folder / ".lakelogic" / "run_log" / "_delta_log").glob("*.json"):
        file.write_text("{")
    answer = found.get("/api/runs")
    assert answer.status_code == 503
    assert answer.json()["cure"]


def test_a_new_run_is_seen_at_once(own: tuple[Path, TestClient]) -> None:
    folder, found = own
    assert found.get(f"{_RUNTIME}/quality-report").json()["summary"]["acceptedRows"] == 2
    (folder / "landing" / "orders.csv").write_text(ORDERS + "O-6,C-6,f@x.com,EAST,1\n")
    for name in ("bronze", "silver"):
        DataProcessor(folder / "contracts" / f"{name}.yaml", "duckdb").run()
    assert found.get(f"{_RUNTIME}/quality-report").json()["summary"]["acceptedRows"] == 3
    assert found.get(f"{_RUNTIME}/table-preview/silver").json()["totalRows"] == 3
    assert found.get(f"{_RUNTIME}/pipeline-summary").json()["layers"]["silver"] == {"rows": 3}


def test_rows_of_a_run_that_failed_are_not_shown(own: tuple[Path, TestClient]) -> None:
    from deltalake import write_deltalake
    from pyarrow import table

    folder, found = own
    before = found.get(f"{_RUNTIME}/table-preview/gold").json()["rows"]
    # A commit that no run has logged.
    stray = table({"region": ["WEST"], "revenue": [1.0], "orders": [1]})
    write_deltalake(str(folder / "tables" / "gold"), stray, mode="append", schema_mode="merge")
    (folder / "contracts" / "gold.yaml").touch()
    assert found.get(f"{_RUNTIME}/table-preview/gold").json()["rows"] == before


def test_a_table_is_shown_while_it_is_written(own: tuple[Path, TestClient]) -> None:
    folder, found = own
    processor = DataProcessor(folder / "contracts" / "silver.yaml", "duckdb")

    def write() -> None:
        for _ in range(4):
            processor.run(force=True)

    routes = [f"{_RUNTIME}/{name}" for name in ("table-preview/silver", "quality-report", "pipeline-summary")]
    routes.append("/api/quarantine?contract=silver_orders")
    statuses: list[int] = []
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        while not writing.done():
            statuses += [found.get(route).status_code for route in routes]
        writing.result()
    assert set(statuses) == {200}


def test_runs_are_listed_filtered_and_paged(client: TestClient) -> None:
    everything = client.get("/api/runs").json()
    assert everything["total"] == 3
    assert [run["contract"] for run in everything["runs"]] == ["gold_regions", "silver_orders", "bronze_orders"]
    second = client.get("/api/runs?limit=1&offset=1").json()
    assert (second["total"], [run["contract"] for run in second["runs"]]) == (3, ["silver_orders"])
    assert client.get("/api/runs?layer=silver&status=succeeded").json()["total"] == 1
    assert client.get("/api/runs?contract=x' OR '1'='1").json()["total"] == 0
    for moment in ("2100-01-01T00:00:00Z", "9999-12-31T23:59:59", "2300-01-01"):
        assert client.get("/api/runs", params={"since": moment}).json()["total"] == 0
        assert client.get("/api/runs", params={"until": moment}).json()["total"] == 3


def test_a_run_is_told_in_full(client: TestClient) -> None:
    listed = client.get("/api/runs?contract=silver_orders").json()["runs"][0]
    found = client.get(f"/api/runs/{listed['run_id']}").json()
    assert found["run"]["counts_quarantined"] == 3
    assert {rule["name"] for rule in found["report"]["rules"]} >= {"customer_present", "positive_amount"}
    assert client.get("/api/runs/none").status_code == 404


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=501", "limit=many", "offset=-1", "offset=99999999999999999999", "since=yesterday"],
)
def test_values_of_paging_that_make_no_sense_are_refused(client: TestClient, query: str) -> None:
    assert client.get(f"/api/runs?{query}").status_code == 422


def test_a_contract_is_told_with_its_columns_rules_and_neighbours(client: TestClient) -> None:
    listed = client.get("/api/contracts").json()["contracts"]
    assert [(each["name"], each["health"]) for each in listed] == [
        ("bronze_orders", "healthy"),
        ("silver_orders", "healthy"),
        ("gold_regions", "healthy"),
    ]
    found = client.get("/api/contracts/silver_orders").json()
    assert found["summary"]["file"] == "contracts/silver.yaml"
    assert [column["name"] for column in found["columns"] if column["key"]] == ["order_id"]
    assert [(rule["name"], rule["about"], rule["label"]) for rule in found["rules"]] == [
        ("customer_present", ["customer"], "missing_customer"),
        ("positive_amount", ["amount"], "non_positive_amount"),
    ]
    assert (list(found["upstream"]), list(found["downstream"])) == (["bronze_orders"], ["gold_regions"])
    assert found["yaml"] == SILVER.lstrip()
    assert client.get("/api/contracts/none").json()["cure"]


def test_a_secret_of_the_environment_is_not_in_the_text_of_a_contract(
    own: tuple[Path, TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _found = own
    monkeypatch.setenv("SHOP_SECRET", "sesame-in-clear")
    (folder / "contracts" / "silver.yaml").write_text(SILVER.replace("owner: sales", 'owner: "${SHOP_SECRET}"'))
    told = visitor(folder).get("/api/contracts/silver_orders").json()
    assert "${SHOP_SECRET}" in told["yaml"]
    assert "sesame-in-clear" not in told["yaml"]


def test_the_dag_has_every_need_with_its_reason(client: TestClient) -> None:
    found = client.get("/api/dag").json()
    assert [(edge["upstream"], edge["downstream"], edge["because"]) for edge in found["edges"]] == [
        ("bronze_orders", "silver_orders", "upstream"),
        ("silver_orders", "gold_regions", "upstream"),
    ]


def test_a_contract_that_is_wrong_does_not_hide_the_others(own: tuple[Path, TestClient]) -> None:
    folder, _ = own
    (folder / "contracts" / "gold.yaml").write_text("dataset: gold_regions\nsource: {pth: x}\n")
    listed = {each["name"]: each for each in visitor(folder).get("/api/contracts").json()["contracts"]}
    assert listed["silver_orders"]["health"] == "healthy"
    assert "pth" in listed["gold"]["problem"]


def test_rules_have_a_history(client: TestClient) -> None:
    found = {rule["name"]: rule for rule in client.get("/api/rules/silver_orders").json()["rules"]}
    (point,) = found["customer_present"]["history"]
    assert (point["status"], point["failed"], point["source_rows"]) == ("failed", 2, 5)
    assert client.get("/api/rules/none").status_code == 404


def test_the_queue_is_filtered_sorted_and_paged(client: TestClient) -> None:
    found = client.get("/api/quarantine?sort=reason").json()
    assert found["total"] == 3
    assert found["states"] == {"silver_orders": dict.fromkeys(STATES, 0) | {"active": 3}}
    reasons = [row["reason"] for row in found["rows"]]
    assert reasons == sorted(reasons)
    pages = [client.get(f"/api/quarantine?sort=reason&limit=2&offset={offset}").json()["rows"] for offset in (0, 2)]
    assert [row["id"] for page in pages for row in page] == [row["id"] for row in found["rows"]]
    by_rule = client.get("/api/quarantine?rule=positive_amount&contract=silver_orders").json()
    assert [row["values"]["order_id"] for row in by_rule["rows"]] == ["O-3"]
    assert client.get("/api/quarantine?state=dropped").json()["total"] == 0
    assert client.get("/api/quarantine?contract=none").status_code == 404
    assert client.get("/api/quarantine?state=lost").status_code == 422
    assert client.get("/api/quarantine?offset=10001").status_code == 422


def test_a_decision_is_seen_in_the_queue(own: tuple[Path, TestClient]) -> None:
    folder, found = own
    assert found.get("/api/quarantine").json()["total"] == 3
    Quarantine(folder / "contracts" / "silver.yaml", "duckdb").drop(Wanted(rule="positive_amount"), reason="a test")
    after = found.get("/api/quarantine").json()
    assert (after["total"], after["states"]["silver_orders"]["dropped"]) == (2, 1)


def test_rows_of_several_contracts_are_in_one_order(own: tuple[Path, TestClient]) -> None:
    folder, found = own
    other = SILVER.replace("silver_orders", "silver_copy").replace("tables/silver", "tables/silver_copy")
    (folder / "contracts" / "copy.yaml").write_text(other)
    DataProcessor(folder / "contracts" / "copy.yaml", "duckdb").run()
    found = visitor(folder)
    rows = found.get("/api/quarantine?sort=oldest").json()["rows"]
    assert [row["contract"] for row in rows] == ["silver_orders"] * 3 + ["silver_copy"] * 3
    page = found.get("/api/quarantine?sort=oldest&limit=2&offset=2").json()
    assert (page["total"], page["rows"]) == (6, rows[2:4])


def test_quarantine_is_downloaded_whole(client: TestClient) -> None:
    from pyarrow import parquet

    text = client.get("/api/quarantine/download?contract=silver_orders")
    assert text.headers["content-disposition"] == "attachment; filename*=UTF-8''silver_orders_quarantine.csv"
    lines = list(csv.DictReader(io.StringIO(text.text)))
    assert {line["order_id"]: line["email"] for line in lines} == {"O-2": "***", "O-3": "***", "O-5": "***"}
    assert "_lakelogic_raw" not in lines[0]
    binary = client.get("/api/quarantine/download?contract=silver_orders&as=parquet")
    rows = parquet.read_table(io.BytesIO(binary.content)).to_pylist()
    assert [row["order_id"] for row in rows] == [line["order_id"] for line in lines]
    assert {tuple(row["_lakelogic_rules"]) for row in rows} >= {("customer_present",), ("positive_amount",)}
    assert client.get("/api/quarantine/download?contract=none").status_code == 404
    assert client.get("/api/quarantine/download?contract=silver_orders&as=xlsx").status_code == 422
    nothing = client.get("/api/quarantine/download?contract=gold_regions").text
    assert nothing.count("\n") == 1


def test_numbers_are_there_for_prometheus(client: TestClient) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    found = {family.name for family in text_string_to_metric_families(client.get("/metrics").text)}
    assert "lakelogic_rows" in found


def test_the_page_about_the_api_asks_no_other_host(client: TestClient) -> None:
    page = client.get("/docs")
    assert "/api/runtime/table-preview/gold" in page.text
    assert "<script" not in page.text
    assert "http" not in page.text.replace("http://127.0.0.1:8096", "")
    assert json.loads(client.get("/openapi.json").text)["info"]["title"] == "shop"
