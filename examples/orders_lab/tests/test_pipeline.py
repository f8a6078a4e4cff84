"""The 12 orders through bronze, silver and gold: the same numbers on every engine."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from app.resource_pack import quality_gates, source_orders
from tests.conftest import ENGINES, Lab

Build = Callable[[str], Lab]
on_every_engine = pytest.mark.parametrize("engine", ENGINES)


@on_every_engine
def test_bronze_keeps_every_row_as_it_was_sent(engine: str, built: Build) -> None:
    rows = sorted(built(engine).rows("bronze_orders"), key=lambda row: row["source_rank"])
    kept = [{key: row[key] or "" for key in source_orders()[0]} for row in rows]
    assert kept == source_orders()
    assert [row["source_rank"] for row in rows] == list(range(1, 13))
    assert all(row["ingested_at"] is not None and row["_lakelogic_run_id"] for row in rows)


@on_every_engine
def test_silver_keeps_the_valid_and_newest_rows(engine: str, built: Build, expected: dict[str, Any]) -> None:
    rows = built(engine).rows("silver_orders")
    assert sorted(row["source_rank"] for row in rows) == expected["silver_order_rows"]
    assert {type(row["amount"]) for row in rows} == {Decimal}


@on_every_engine
def test_each_rejected_row_has_its_label(engine: str, built: Build, expected: dict[str, Any]) -> None:
    rows = built(engine).rows("silver_orders_quarantine")
    assert {row["source_rank"]: row["rejection_reason"] for row in rows} == expected["rejected"]
    gates = quality_gates()
    assert all([gates[name] for name in row["_lakelogic_rules"]] == [row["rejection_reason"]] for row in rows)


@on_every_engine
def test_gold_has_the_five_regions_to_the_cent(engine: str, built: Build, expected: dict[str, Any]) -> None:
    lab = built(engine)
    rows = sorted(lab.rows("gold_region_kpis"), key=lambda row: row["region"])
    wanted = expected["gold_region_kpis"]
    assert rows == [{**row, "gross_revenue_usd": Decimal(str(row["gross_revenue_usd"]))} for row in wanted]
    totals = {name: sum(row[name] for row in rows) for name in expected["gold_totals"]}
    assert totals == {**expected["gold_totals"], "gross_revenue_usd": Decimal("2092.25")}


@on_every_engine
def test_the_schema_of_gold_is_fixed(engine: str, built: Build, expected: dict[str, Any]) -> None:
    fields = built(engine).table("gold_region_kpis").schema().fields
    spelt = {"long": "bigint"}
    types = {field.name: spelt.get(field.type.type, field.type.type) for field in fields}
    assert types == expected["gold_types"]


@pytest.mark.parametrize("engine", ["duckdb", pytest.param("spark", marks=pytest.mark.spark)])
def test_versions_grow_and_an_older_one_can_be_read(engine: str, fresh: Lab) -> None:
    assert fresh.build(engine) == 0
    first = fresh.table("gold_region_kpis").version()
    before = fresh.rows("gold_region_kpis")
    fresh.send([*source_orders(), {**source_orders()[0], "order_id": "O-2001", "region": "FR-PARIS"}])
    assert fresh.build(engine) == 0
    assert fresh.table("gold_region_kpis").version() > first
    assert len(fresh.rows("gold_region_kpis")) == 6
    assert sorted(fresh.rows("gold_region_kpis", first), key=str) == sorted(before, key=str)


def test_without_java_the_same_contracts_run_on_duckdb_and_say_so(
    fresh: Lab, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("JAVA_HOME", "SPARK_REMOTE", "LAKELOGIC_ENGINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(fresh.root))
    assert fresh.build() == 0
    assert "Engine duckdb: the default where Java is not found" in capsys.readouterr().err
    assert len(fresh.rows("silver_orders")) == expected["counts"]["silver"]
