"""Rows of quarantine that run once more: what is different in their plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.plan import names
from lakelogic.plan.model import TablePlan
from lakelogic.plan.split import Split
from lakelogic.rules.base import Check
from lakelogic.transforms.base import Step
from lakelogic.write.operations import MergeRows

# Replayed rows are judged anew; released ones are taken as they are.
How = Literal["replay", "release"]


def once_more(split: Split, how: How) -> Split:
    """Both stages for rows that come out of quarantine.

    Raises:
        ContractError: a row would not stay one row, so that what it became before would be written again.
    """
    for name, step, _, _ in split.steps:
        if not _keeps_rows_apart(step):
            raise ContractError(
                f"rows of quarantine can't run once more: '{name}' makes other rows of them.",
                cure="Mend the source and run the contract on it.",
                place=step.place,
            )
    if how == "release":
        for stage in (split.pre, split.post):
            stage.checks = [
                check if _is_unreadable(check) else replace(check, severity="info") for check in stage.checks
            ]
    return split


def resolving(quarantine: TablePlan) -> TablePlan:
    """The quarantine as a replay writes to it: reasons and states of rows that are there."""
    return replace(quarantine, operation=MergeRows(keys=(names.ROW_ID,)))


def _keeps_rows_apart(step: Step) -> bool:
    if step.row_wise or (step.effect == "filtered" and step.select.find(exp.Window, exp.Join) is None):
        return True
    return step.effect == "deduplicated" and names.ROW.name in step.columns


def _is_unreadable(check: Check) -> bool:
    """A record that could not be read has no values to release."""
    return any(column.name == names.MALFORMED.name for column in check.predicate.find_all(exp.Column))
