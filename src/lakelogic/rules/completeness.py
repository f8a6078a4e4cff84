"""Rules about values that are missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator
from sqlglot import exp

from lakelogic.rules.base import Audit, AuditExample, DatasetRule, RowRule, RuleExample, dataset_rule, row_rule
from lakelogic.sql.build import call, has_value, is_null, readable, ref
from lakelogic.sql.types import Columns


@row_rule("not_null")
class NotNull(RowRule):
    """The column has a value."""

    field: str | None = Field(None, description="The column.")
    fields: tuple[str, ...] = Field((), description="Several columns, each judged by itself.")

    default_category: ClassVar[str] = "completeness"
    examples: ClassVar[tuple[RuleExample, ...]] = (
        RuleExample("value", passes=("a", "", " "), fails=(None,)),
        RuleExample({"fields": ["value"]}, column_type="int", passes=(0,), fails=(None,)),
        RuleExample("value", column_type="array<string>", passes=(["a"], [], [None]), fails=(None,)),
    )

    @classmethod
    def from_yaml(cls, body: Any) -> Any:
        if isinstance(body, str):
            return {"field": body}
        return {"fields": body} if isinstance(body, list) else body

    @model_validator(mode="after")
    def _names_columns(self) -> Self:
        if (self.field is None) == (not self.fields):
            raise ValueError("not_null needs either field or fields")
        return self

    def predicates(self, columns: Columns) -> Mapping[str, exp.Expr]:
        names = [columns.visible.get(name).name for name in self.fields or (self.field or "",)]
        return {f"{name}_not_null": has_value(ref(name)) for name in names}

    def condition(self, predicate: exp.Expr) -> str:
        return f"{readable(predicate.this.this)} IS NOT NULL"


@dataset_rule("null_ratio")
class NullRatio(DatasetRule):
    """At most this share of the rows has no value in the column."""

    field: str = Field(description="The column.")
    max: float = Field(description="The largest share that passes: 0.1, or 10 for 10 percent.", ge=0, le=100)

    default_category: ClassVar[str] = "completeness"
    examples: ClassVar[tuple[AuditExample, ...]] = (
        AuditExample({"field": "value", "max": 0.5}, ("a", None), 0.5, True),
        AuditExample({"field": "value", "max": 50}, ("a", None), 0.5, True),
        AuditExample({"field": "value", "max": 0.1}, ("a", None, None, None), 0.75, False),
        AuditExample({"field": "value", "max": 0}, (), 0, True),
        AuditExample({"field": "value", "max": 0}, ("", " "), 0, True),
    )

    def audit(self, columns: Columns, links: Mapping[str, Columns] | None = None) -> Audit:
        column = columns.visible.get(self.field)
        share = exp.If(this=is_null(ref(column)), true=exp.Literal.number(1), false=exp.Literal.number(0))
        # No rows have no average; then nothing is missing either.
        measure = call("COALESCE", exp.Avg(this=share), exp.Literal.number(0))
        highest = self._highest
        condition = f"the share of NULL in {column.name} is at most {highest:g}"
        return self._measured(f"{column.name}_null_ratio", condition, measure, high=highest)

    def refuses_more_than(self, before: Self) -> bool | None:
        return self._highest < before._highest

    @property
    def _highest(self) -> float:
        return self.max / 100 if self.max > 1 else self.max
