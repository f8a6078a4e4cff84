"""What creates and alters tables, as Spark SQL."""

from __future__ import annotations

from typing import Any

import pytest

from lakelogic.errors import ContractError, WriteError
from lakelogic.plan.ddl import TableState, alteration, statements
from lakelogic.plan.model import Evolution, TablePlan
from lakelogic.sql.types import Columns
from lakelogic.write.operations import AppendRows


def _table(evolution: Evolution = "allow", **said: Any) -> TablePlan:
    columns = said.pop("columns", (("id", "int"), ("name", "string")))
    return TablePlan("/lake/t", False, "append", AppendRows(), evolution=evolution, columns=columns, **said)


def _ddl(table: TablePlan, **there: str) -> tuple[str, ...]:
    state = TableState(Columns.of(**there), clustered=()) if there else None
    return statements(table, alteration(table, state))


def test_a_table_that_is_not_there_is_created() -> None:
    table = _table(partition_by=("name",), properties=(("delta.appendOnly", "true"),))
    assert statements(table, alteration(table, None), {"ID": "it's the key"})[0] == (
        "CREATE TABLE delta.`/lake/t` (\n"
        "  `id` int COMMENT 'it\\'s the key',\n"
        "  `name` string\n"
        ")\n"
        "USING delta\n"
        "PARTITIONED BY (`name`)\n"
        "TBLPROPERTIES ('delta.appendOnly' = 'true')"
    )


def test_a_table_is_named_as_its_format_is_addressed() -> None:
    assert "CREATE TABLE `a`.`b` (" in _ddl(TablePlan("a.b", True, "append", AppendRows(), columns=(("x", "int"),)))[0]
    assert "`.`t` (" in _ddl(_table(format="iceberg"))[0]
    with pytest.raises(ContractError, match="no table to create"):
        _ddl(_table(format="csv"))


def test_names_that_parquet_cant_hold_are_mapped() -> None:
    (created,) = _ddl(_table(columns=(("a b", "int"),)))
    assert "'delta.columnMapping.mode' = 'name'" in created


@pytest.mark.parametrize(
    ("evolution", "there", "expected"),
    [
        ("append", {"id": "int", "name": "string"}, ()),
        ("append", {"id": "int"}, ("ALTER TABLE delta.`/lake/t` ADD COLUMNS (`name` string)",)),
        ("allow", {"id": "bigint", "name": "string", "old": "date"}, ()),
        (
            "compatible",
            {"id": "smallint", "name": "string"},
            (
                "ALTER TABLE delta.`/lake/t` SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
                "ALTER TABLE delta.`/lake/t` ALTER COLUMN `id` TYPE int",
            ),
        ),
    ],
)
def test_a_table_follows_the_rows_as_far_as_its_policy_allows(
    evolution: Evolution, there: dict[str, str], expected: tuple[str, ...]
) -> None:
    assert _ddl(_table(evolution), **there) == expected


@pytest.mark.parametrize(
    ("evolution", "there", "told"),
    [
        ("strict", {"id": "int"}, "has no column name"),
        ("append", {"id": "smallint", "name": "string"}, "is smallint in the table, and the rows have int"),
        ("compatible", {"id": "date", "name": "string"}, "is date in the table"),
    ],
)
def test_what_a_policy_does_not_allow_is_refused(evolution: Evolution, there: dict[str, str], told: str) -> None:
    with pytest.raises(WriteError, match=told):
        _ddl(_table(evolution), **there)


def test_properties_and_clustering_are_altered_and_partitions_are_not() -> None:
    table = _table(cluster_by=("id",), properties=(("a", "1"), ("b", "2")))
    there = TableState(Columns.of(id="int", name="string"), clustered=(), properties={"a": "1"})
    assert statements(table, alteration(table, there)) == (
        "ALTER TABLE delta.`/lake/t` SET TBLPROPERTIES ('b' = '2')",
        "ALTER TABLE delta.`/lake/t` CLUSTER BY (`id`)",
    )
    with pytest.raises(ContractError, match="partitioned by id, which can't be changed"):
        alteration(_table(partition_by=("name",)), TableState(there.columns, ("id",)))


def test_a_type_that_only_a_run_knows_is_asked_for() -> None:
    with pytest.raises(ContractError, match="the type of x is known only to a run"):
        _ddl(_table(columns=(("x", "unknown"),)))
