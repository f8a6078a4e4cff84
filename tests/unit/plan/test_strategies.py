"""Strategies that the columns of the rows do not fit, and what the plan tells of those that do."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic import load_contract
from lakelogic.errors import LakeLogicError
from lakelogic.plan.build import Given, build_plan
from lakelogic.plan.explain import explained
from lakelogic.plan.model import Plan, ReadPlan
from lakelogic.sql.render import to_spark
from lakelogic.sql.types import Columns

_READ = ReadPlan("files", "/in", "csv", "full", "test", ())
_COLUMNS = Columns.of(id="bigint", at="timestamp", name="string", tags="map<string,string>", op="string", day="date")


def _plan(folder: Path, materialization: str, source: str = "", columns: Columns = _COLUMNS) -> Plan:
    path = folder / "contract.yaml"
    text = (
        f"source: {{path: in.csv{source}}}\nprimary_key: [id]\nmaterialization: {{target_path: out, {materialization}}}"
    )
    path.write_text(text, encoding="utf-8")
    return build_plan(load_contract(path), Given(_READ, columns, "spark", to_spark))


_FEW = _COLUMNS.without(["tags"])


@pytest.mark.parametrize(
    ("materialization", "source", "columns", "told"),
    [
        ("strategy: replace_partitions", "", _FEW, "needs to know the partitions"),
        ("strategy: replace_partitions, replace_where: nope = 1", "", _FEW, "column 'nope' is unknown"),
        ("strategy: replace_partitions, replace_where: upper(name) = 'A'", "", _FEW, "replace_where can't hold"),
        ("strategy: scd2, scd2: {timestamp_field: name}", "", _FEW, "a history needs moments, and 'name' is none"),
        ("strategy: scd2, scd2: {track_columns: [nope]}", "", _FEW, "column 'nope' is unknown"),
        ("strategy: scd2, scd2: {version_column: name}", "", _FEW, "brings a column 'name'"),
        ("strategy: scd2", "", _COLUMNS, "must tell whether a row has changed"),
        ("strategy: scd2", ", load_mode: cdc, cdc_op_field: op", _FEW, "deletes of a history need to know when"),
        ("strategy: merge", ", load_mode: cdc, cdc_timestamp_field: nope", _FEW, "column 'nope' is unknown"),
        (
            "strategy: merge, scd1: {surrogate_key: sk, unknown_member: {default_values: {nope: 1}}}",
            "",
            _FEW,
            "default for 'nope'",
        ),
    ],
)
def test_what_the_columns_do_not_allow_is_refused(
    tmp_path: Path, materialization: str, source: str, columns: Columns, told: str
) -> None:
    with pytest.raises(LakeLogicError, match=told):
        _plan(tmp_path, materialization, source, columns)


def test_a_condition_compares_with_literals_of_the_columns_type(tmp_path: Path) -> None:
    plan = _plan(
        tmp_path, "strategy: replace_partitions, replace_where: \"day >= '2026-01-01' AND id IN (1, 2)\"", "", _FEW
    )
    assert plan.target.operation.where == (  # type: ignore[attr-defined]
        "`day` >= CAST('2026-01-01' AS DATE) AND `id` IN (CAST(1 AS BIGINT), CAST(2 AS BIGINT))"
    )


def test_deletes_are_remembered_beside_the_target_and_explained(tmp_path: Path) -> None:
    plan = _plan(tmp_path, "strategy: merge", ", load_mode: cdc, cdc_op_field: op, cdc_timestamp_field: at", _FEW)
    assert plan.target.changes is not None and plan.target.changes.deleted is not None
    assert plan.target.changes.deleted.location == f"{plan.target.location}_deleted"
    titles = [statement.title for statement in explained(plan).statements]
    assert titles[-2:] == ["deletes to remember", "rows to merge"]


def test_an_order_that_is_masked_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "contract.yaml"
    path.write_text(
        "source: {path: in.csv, load_mode: cdc, cdc_timestamp_field: at}\nprimary_key: [id]\n"
        "model: {fields: [{name: at, type: timestamp, masking: nullify}]}\nmaterialization: {strategy: merge}",
        encoding="utf-8",
    )
    with pytest.raises(LakeLogicError, match="'at' is masked, so changes can't be put in its order"):
        build_plan(load_contract(path), Given(_READ, _FEW, "spark", to_spark))


def test_a_history_of_values_that_a_key_has_masked_knows_the_key(tmp_path: Path) -> None:
    path = tmp_path / "contract.yaml"
    for strategy, key in (("scd2", "k1"), ("merge", None)):
        path.write_text(
            "source: {path: in.csv}\nprimary_key: [id]\nmodel: {fields: [{name: name, masking: hash}]}\n"
            f"materialization: {{strategy: {strategy}}}",
            encoding="utf-8",
        )
        assert build_plan(load_contract(path), Given(_READ, _FEW, "spark", to_spark, key_id="k1")).key_id == key
