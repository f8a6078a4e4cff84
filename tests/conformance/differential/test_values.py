"""Every expression gives the same values and types on DuckDB as on Spark, or is refused; the refusals are listed."""

from __future__ import annotations

import pytest

from lakelogic.errors import SqlError
from lakelogic.sql.annotate import output_columns, type_of
from lakelogic.sql.duckdb.render import to_duckdb
from lakelogic.sql.types import type_name
from tests.conformance.differential.answers import DuckDB, difference, same
from tests.conformance.differential.cases import FAMILIES, Case, cases, tolerance
from tests.conformance.differential.conftest import COLUMNS, Answers, answers

REFUSED = [case for case in cases() if case.refused]


@pytest.mark.parametrize("family", FAMILIES)
def test_duckdb_answers_as_spark_does(family: str, oracle: Answers, duckdb_engine: DuckDB) -> None:
    asked = {case: to_duckdb(case.tree(COLUMNS), COLUMNS) for case in cases(family) if not case.refused}
    found = answers(duckdb_engine, family, asked)
    differences = [
        f"{case.sql}: {difference(wanted, given)}"
        for case in asked
        for wanted, given in zip(oracle[case], found[case], strict=True)
        if not same(wanted, given, tolerance(case.sql))
    ]
    assert differences == []


@pytest.mark.parametrize("family", FAMILIES)
def test_the_type_of_an_expression_is_sparks(family: str, oracle: Answers) -> None:
    told = {case: _told(case) for case in cases(family) if not case.refused}
    wrong = [
        f"{case.sql}: {oracle[case][0].type}, not {kind}" for case, kind in told.items() if not _is(case, kind, oracle)
    ]
    assert wrong == []


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.sql)
def test_what_has_no_equal_is_refused_with_its_place_and_a_cure(case: Case) -> None:
    with pytest.raises(SqlError) as error:
        to_duckdb(case.tree(COLUMNS), COLUMNS)
    assert "duckdb" in str(error.value)
    assert "^" in error.value.message
    assert "--engine spark" in str(error.value.cure)


def test_there_are_enough_cases() -> None:
    assert sum(not case.refused for case in cases()) >= 1000
    assert len({case.sql for case in cases()}) == len(cases())


def _told(case: Case) -> str:
    tree = case.tree(COLUMNS)
    if case.family == "queries":
        columns = output_columns(tree, COLUMNS)  # type: ignore[arg-type]
        return ",".join(f"{column.name}:{_name(type_name(column.type))}" for column in columns)
    return _name(type_name(type_of(tree, COLUMNS)))


def _name(kind: str) -> str:
    return kind.replace("`", "")


def _is(case: Case, kind: str, oracle: Answers) -> bool:
    # A bare NULL has no type of its own.
    return kind == oracle[case][0].type or (kind == "unknown" and oracle[case][0].type == "null")
