"""The rules that a contract declares, told without its data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.errors import LakeLogicError
from lakelogic.rules.base import Check, DatasetRule, RowRule
from lakelogic.rules.declared import field_rules, required_check
from lakelogic.sql.types import UNKNOWN, Column, Columns, parse_type
from lakelogic.transforms.base import Transform

_INSIDE = "_ll_"


@dataclass(frozen=True)
class DeclaredRule:
    """A rule as the contract says it: `condition` is what good rows meet, `about` the columns that it judges.

    One that is not `named` follows from what the model says of a field.
    """

    name: str
    condition: str
    severity: str = "error"
    category: str | None = None
    label: str | None = None
    description: str | None = None
    about: tuple[str, ...] = ()
    of_dataset: bool = False
    named: bool = False


def declared_rules(contract: LoadedContract) -> tuple[DeclaredRule, ...]:
    """Every rule of a contract, in the order in which it says them."""
    model, columns = contract.model, _columns(contract)
    found: list[DeclaredRule] = []
    for item in model.model.fields:
        if item.must_be_present and model.quality.enforce_required:
            found.append(_of_check(required_check(item.name)))
        for rule in field_rules(item):
            found += _of_rule(rule, columns)
    for rule in model.quality.row_rules:
        found += _of_rule(rule, columns)
    for step in model.transformations:
        found += _of_step(step, columns)
    found += (_of_dataset_rule(rule.over(contract.name), columns) for rule in model.quality.dataset_rules)
    return tuple(found)


def condition_in(message: str, name: str) -> str:
    """What good rows meet, out of what is told of a row that does not."""
    told = message.removeprefix("Rule failed: ")
    return told[len(name) + 2 : -1] if told.startswith(f"{name} (") else told


def _of_rule(rule: RowRule, columns: Columns) -> Iterator[DeclaredRule]:
    try:
        checks = rule.checks(columns)
    except LakeLogicError:
        # It is about a column that only the source or a transformation brings.
        written = str(getattr(rule, "sql", None) or getattr(rule, "field", rule.kind))
        name = rule.name or f"{getattr(rule, 'field', '')}_{rule.kind}".strip("_")
        told = DeclaredRule(name, written, rule.severity, rule.category, rule.label, rule.description)
        yield replace(told, named=rule.name is not None)
        return
    for check in checks:
        yield replace(_of_check(check), description=rule.description, named=rule.name is not None)


def _of_step(step: Transform, columns: Columns) -> Iterator[DeclaredRule]:
    """What a step can't treat, or leaves behind in quarantine."""
    try:
        checks = step.checks(columns)
    except LakeLogicError:
        return
    keys = tuple(getattr(step, "on", ()))
    for check in checks:
        found = replace(_of_check(check), named=check.name == getattr(step, "name", None))
        # A step that leaves rows behind knows which by a mark of its own, and tells it of those that it leaves.
        kept = replace(found, about=keys, condition=f"one row of each {', '.join(keys)} is kept")
        yield found if found.about else kept


def _of_check(check: Check) -> DeclaredRule:
    read = (column.name for column in check.predicate.find_all(exp.Column))
    judged = tuple(dict.fromkeys(name for name in read if not name.startswith(_INSIDE)))
    condition = condition_in(check.message, check.name)
    return DeclaredRule(check.name, condition, check.severity, check.category, check.label, about=judged)


def _of_dataset_rule(rule: DatasetRule, columns: Columns) -> DeclaredRule:
    try:
        audit = rule.audit(columns, {})
        name, condition, category = audit.name, condition_in(audit.message, audit.name), audit.category
    except LakeLogicError:
        name, category = rule.name or rule.kind, rule.category or rule.default_category
        condition = str(getattr(rule, "sql", rule.kind))
    told = DeclaredRule(name, condition, rule.severity, category, description=rule.description, of_dataset=True)
    return replace(told, named=rule.name is not None)


def _columns(contract: LoadedContract) -> Columns:
    fields = contract.model.model.fields
    return Columns(tuple(Column(item.name, parse_type(item.type) if item.type else UNKNOWN) for item in fields))
