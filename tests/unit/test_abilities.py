"""What an engine can't write is refused with the plan."""

from __future__ import annotations

import pytest

from lakelogic.engines.abilities import Ability, refuse_unable
from lakelogic.errors import ContractError
from lakelogic.plan.model import Plan, ReadPlan, StagePlan, TablePlan
from lakelogic.write.operations import AppendRows, MergeRows, Operation


def plan(operation: Operation, columns: int) -> Plan:
    named = tuple((f"c{number}", "string") for number in range(columns))
    target = TablePlan("out", False, "some", operation, columns=named)
    read = ReadPlan("files", "in", "csv", "full", "", ())
    nothing = StagePlan((), ())
    return Plan("a", None, "a", "light", read, (), nothing, nothing, (), "", target, None)


def test_a_merge_of_more_columns_than_an_engine_can_manage_is_refused() -> None:
    merge = MergeRows(keys=("c0",))
    refuse_unable(plan(merge, 1_000), {"delta": Ability(merged_columns=1_000)})
    refuse_unable(plan(merge, 1_001), {"delta": Ability()})
    refuse_unable(plan(AppendRows(), 1_001), {"delta": Ability(merged_columns=1_000)})
    with pytest.raises(ContractError, match="a merge of 1,001 columns takes too long for tables of format delta"):
        refuse_unable(plan(merge, 1_001), {"delta": Ability(merged_columns=1_000)})
