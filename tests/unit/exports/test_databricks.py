"""Exports to Unity Catalog, through the real SDK, to a server on this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from databricks.sdk.service.sql import State

from lakelogic.exports import databricks
from tests.unit.exports.databricks_server import OnDuckDB, Workspace, workspace
from tests.unit.exports.shop import NORTH, SOUTH, Shop

TABLE = "lakehouse_lab.gold.region_kpis"
EXPORT = {"to": "databricks", "table": TABLE}
_STORED = f"SELECT * REPLACE (epoch_us(seen) AS seen) FROM {TABLE} ORDER BY region"


@pytest.fixture
def tables() -> OnDuckDB:
    return OnDuckDB()


@pytest.fixture
def there(tables: OnDuckDB, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setattr(databricks, "_POLL_SECONDS", (0.01,))
    with workspace(tables) as found:
        yield found


def _stored(row: dict[str, object]) -> tuple[object, ...]:
    moment = row["seen"]
    told = {**row, "seen": round(moment.timestamp() * 1_000_000) if moment else None}  # type: ignore[attr-defined]
    return tuple(told.values())


def test_every_row_and_every_type_arrives_in_a_table_that_is_created(
    shop: Shop, there: Workspace, tables: OnDuckDB
) -> None:
    shop.lists([EXPORT])
    shop.table(NORTH, SOUTH)
    (receipt,) = shop.export(environment=there.environment)
    assert (receipt.status, receipt.sent.rows, receipt.sent.inserted, receipt.table_version) == ("succeeded", 2, 2, 0)
    assert tables.rows(_STORED) == [_stored(NORTH), _stored(SOUTH)]
    assert receipt.target == f"databricks://{there.url.removeprefix('http://')}/{TABLE}"


def test_the_receipt_has_the_ids_of_all_statements(shop: Shop, there: Workspace) -> None:
    shop.lists([EXPORT])
    shop.table(NORTH)
    (receipt,) = shop.export(environment=there.environment)
    # The one that found no table has an id as well, but failed.
    ran = [f"statement-{number}" for number in range(2, len(there.asked) + 1)]
    assert list(receipt.sent.statements) == ran[:-1]
    (kept,) = shop.log
    assert kept["statements"] == ran[:-1]


def test_values_travel_as_parameters_and_never_as_sql(shop: Shop, there: Workspace) -> None:
    shop.lists([EXPORT])
    shop.table(NORTH)
    shop.export(environment=there.environment)
    assert not any("Köln" in sql or "north" in sql for sql in there.statements)
    (insert,) = [body for body in there.asked if body.get("parameters")]
    assert [(each["name"], each["type"]) for each in insert["parameters"]] == [("rows", "STRING")]
    assert "Köln" in insert["parameters"][0]["value"]


def test_a_running_warehouse_is_preferred_and_a_stopped_one_is_better_than_none(shop: Shop, there: Workspace) -> None:
    shop.lists([EXPORT])
    shop.table(NORTH)
    shop.export(environment=there.environment)
    assert {body["warehouse_id"] for body in there.asked} == {"running"}
    there.asked.clear()
    there.warehouses = {"gone": State.DELETED, "stopped": State.STOPPED}
    shop.export(environment=there.environment, force=True)
    assert {body["warehouse_id"] for body in there.asked} == {"stopped"}


def test_changed_rows_are_merged_and_vanished_ones_stay(shop: Shop, there: Workspace, tables: OnDuckDB) -> None:
    shop.lists([EXPORT])
    shop.table(NORTH, SOUTH)
    shop.export(environment=there.environment)
    shop.table({**NORTH, "orders": 7})
    (receipt,) = shop.export(environment=there.environment)
    assert (receipt.sent.updated, receipt.sent.inserted, receipt.table_version) == (1, 0, 1)
    assert tables.rows(f"SELECT region, orders FROM {TABLE} ORDER BY 1") == [("north", 7), ("south", None)]


def test_vanished_rows_are_deleted_when_asked(shop: Shop, there: Workspace, tables: OnDuckDB) -> None:
    shop.lists([{**EXPORT, "delete_missing": True}])
    shop.table(NORTH, SOUTH)
    shop.export(environment=there.environment)
    shop.table(NORTH)
    (receipt,) = shop.export(environment=there.environment)
    assert receipt.sent.deleted == 1
    assert tables.rows(f"SELECT region FROM {TABLE}") == [("north",)]


def test_a_table_without_a_key_is_replaced(shop: Shop, there: Workspace, tables: OnDuckDB) -> None:
    shop.lists([EXPORT], primary_key=[])
    shop.table(NORTH, NORTH)
    shop.export(environment=there.environment)
    shop.table(SOUTH)
    shop.export(environment=there.environment)
    assert tables.rows(f"SELECT region FROM {TABLE}") == [("south",)]


def test_a_new_column_is_added_to_the_table(shop: Shop, there: Workspace, tables: OnDuckDB) -> None:
    shop.lists([{**EXPORT, "columns": ["region", "orders"]}])
    shop.table(NORTH)
    shop.export(environment=there.environment)
    shop.lists([{**EXPORT, "columns": ["region", "orders", "ratio"]}])
    shop.export(environment=there.environment)
    assert tables.rows(f"SELECT * FROM {TABLE}") == [("north", NORTH["orders"], 0.1)]


def test_more_rows_than_a_statement_takes_come_in_several(
    shop: Shop, there: Workspace, tables: OnDuckDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databricks, "_BATCH_CHARACTERS", 1000)
    shop.lists([EXPORT])
    shop.table(*({**NORTH, "region": f"r{number}"} for number in range(25)))
    shop.export(environment=there.environment)
    assert sum("from_json" in sql for sql in there.statements) > 3
    assert tables.rows(f"SELECT count(*) FROM {TABLE}") == [(25,)]


def test_a_slow_statement_is_asked_for_until_it_ends(shop: Shop, there: Workspace) -> None:
    there.slow = 3
    shop.lists([EXPORT])
    shop.table(NORTH)
    (receipt,) = shop.export(environment=there.environment)
    assert receipt.status == "succeeded"
    assert there.polls >= 3 * len(receipt.sent.statements)


def test_a_service_principal_signs_in(shop: Shop, there: Workspace) -> None:
    shop.lists([EXPORT])
    shop.table(NORTH)
    principal = {"DATABRICKS_CLIENT_ID": "robot", "DATABRICKS_CLIENT_SECRET": "a-client-secret"}
    (receipt,) = shop.export(environment={"DATABRICKS_HOST": there.url, **principal})
    assert (receipt.status, receipt.reason) == ("succeeded", "")


def test_a_profile_of_the_cli_signs_in(shop: Shop, there: Workspace) -> None:
    file = shop.root / "databrickscfg"
    file.write_text(f"[lab]\nhost = {there.url}\ntoken = {there.token}\n")
    profile = {"DATABRICKS_CONFIG_PROFILE": "lab", "DATABRICKS_CONFIG_FILE": str(file)}
    shop.lists([EXPORT])
    shop.table(NORTH)
    (receipt,) = shop.export(environment={"DATABRICKS_HOST": there.url, **profile})
    assert receipt.status == "succeeded"


def test_a_refused_statement_fails_the_export_and_leaves_the_table(
    shop: Shop, there: Workspace, tables: OnDuckDB
) -> None:
    shop.lists([EXPORT])
    shop.table(NORTH)
    shop.export(environment=there.environment)
    shop.table(SOUTH)
    there.refuses = "MERGE"
    (receipt,) = shop.export(environment=there.environment)
    assert receipt.status == "failed"
    assert "no grant" in receipt.reason
    assert tables.rows(f"SELECT region FROM {TABLE}") == [("north",)]
    assert there.statements[-1].startswith("DROP TABLE IF EXISTS")


def test_a_wrong_token_is_told_without_the_token(shop: Shop, there: Workspace) -> None:
    shop.lists([EXPORT])
    shop.table(NORTH)
    (receipt,) = shop.export(environment={**there.environment, "DATABRICKS_TOKEN": "another-secret"})
    assert receipt.status == "failed"
    assert "another-secret" not in receipt.reason
    assert "***" in receipt.reason


def test_a_token_is_not_sent_over_an_open_line(shop: Shop, there: Workspace) -> None:
    shop.lists([EXPORT])
    shop.table(NORTH)
    (receipt,) = shop.export(environment={**there.environment, "DATABRICKS_HOST": "http://databricks.example"})
    assert receipt.reason == "DATABRICKS_HOST is no address of a server. Write https://HOST."


def test_a_workspace_that_is_overloaded_is_asked_again(shop: Shop, there: Workspace) -> None:
    there.fails = [(429, "RESOURCE_EXHAUSTED"), (503, "TEMPORARILY_UNAVAILABLE")]
    shop.lists([EXPORT])
    shop.table(NORTH)
    (receipt,) = shop.export(environment=there.environment)
    assert receipt.status == "succeeded"
