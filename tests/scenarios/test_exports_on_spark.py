"""The SQL of exports to Databricks, run by a real Spark with Delta in place of a warehouse."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.exports.databricks_server import Answer, Refused, workspace
from tests.unit.exports.shop import NORTH, SOUTH, Shop

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLE = "spark_catalog.exported.region_kpis"


class OnSpark:
    """Runs statements of Databricks on Spark, which has no catalogs to create."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def __call__(self, sql: str, values: Mapping[str, str]) -> Answer:
        from pyspark.errors import PySparkException

        if sql.startswith("CREATE CATALOG"):
            return [], []
        for name, value in values.items():
            text = value.replace("\\", "\\\\").replace("'", "\\'")
            sql = sql.replace(f":{name}", f"'{text}'")
        try:
            found = self._spark.sql(sql)
            return found.columns, [list(row) for row in found.collect()]
        except PySparkException as error:
            raise Refused(str(error).splitlines()[0], str(error.getSqlState())) from None

    def rows(self) -> list[dict[str, Any]]:
        found = self._spark.table(TABLE).orderBy("region").collect()
        return [row.asDict(recursive=True) for row in found]


@pytest.mark.slow
def test_a_table_of_every_type_is_created_merged_and_replaced(tmp_path: Path, spark: SparkSession) -> None:
    shop, tables = Shop(tmp_path), OnSpark(spark)
    spark.sql("DROP TABLE IF EXISTS exported.region_kpis")
    with workspace(tables) as there:
        shop.lists([{"to": "databricks", "table": TABLE, "delete_missing": True}])
        shop.run(NORTH, SOUTH)
        (receipt,) = shop.export(environment=there.environment)
        assert (receipt.status, receipt.reason) == ("succeeded", "")
        north, south = tables.rows()
        assert {**north, "seen": None} == {**NORTH, "seen": None}
        assert south == SOUTH
        assert north["seen"].timestamp() == NORTH["seen"].timestamp()  # type: ignore[attr-defined]
        shop.run({**NORTH, "orders": 7})
        (receipt,) = shop.export(environment=there.environment)
        assert (receipt.sent.updated, receipt.sent.deleted) == (1, 1)
        assert [row["orders"] for row in tables.rows()] == [7]
        shop.lists([{"to": "databricks", "table": TABLE, "mode": "replace"}])
        shop.run(SOUTH)
        shop.export(environment=there.environment)
        assert tables.rows() == [SOUTH]
