"""The cases of data/validation_cases.json, all of them sent at once."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache

import pytest

from app.resource_pack import Case, validation_cases
from tests.conftest import ENGINES, Lab, Row, copied

CASES = validation_cases()


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[dict[str, Row], ...]]:
    """By engine: silver and its quarantine by the tags of the rows, and gold by region."""

    @cache
    def judge(engine: str) -> tuple[dict[str, Row], ...]:
        lab: Lab = copied(tmp_path_factory.mktemp(engine))
        lab.send(row.sent for case in CASES for row in case.rows)
        assert lab.build(engine) == 0
        tables = {"silver_orders": "channel", "silver_orders_quarantine": "channel", "gold_region_kpis": "region"}
        return tuple({row[key]: row for row in lab.rows(name)} for name, key in tables.items())

    return judge


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_case_ends_as_a_data_engineer_expects(engine: str, case: Case, judged: Callable[[str], tuple]) -> None:
    silver, rejected, gold = judged(engine)
    for row in case.rows:
        if row.rejected is None:
            assert row.tag not in rejected
            assert {key: silver[row.tag][key] for key in row.stored} == row.stored
        else:
            found = rejected[row.tag]
            assert row.tag not in silver
            assert found["rejection_reason"] == row.rejected.reason
            assert tuple(found["_lakelogic_rules"]) == row.rejected.rules
    if case.gold is None:
        assert case.name not in gold
    else:
        money = {"gross_revenue_usd": Decimal(case.gold["gross_revenue_usd"])}
        assert gold[case.name] == {"region": case.name, **case.gold, **money}


@pytest.mark.parametrize("engine", ENGINES)
def test_no_row_is_lost(engine: str, judged: Callable[[str], tuple]) -> None:
    silver, rejected, _ = judged(engine)
    assert {*silver, *rejected} == {row.tag for case in CASES for row in case.rows}
