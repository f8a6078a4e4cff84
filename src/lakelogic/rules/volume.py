"""Rules about the number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from pydantic import Field, model_validator
from sqlglot import exp

from lakelogic.rules.base import Audit, AuditExample, DatasetRule, bounds_raised, dataset_rule
from lakelogic.sql.types import Columns


@dataset_rule("row_count_between")
class RowCountBetween(DatasetRule):
    """The number of rows lies between two bounds, both included."""

    min: int | None = Field(None, description="The fewest rows that pass.", ge=0)
    max: int | None = Field(None, description="The most rows that pass.", ge=0)

    default_category: ClassVar[str] = "completeness"
    examples: ClassVar[tuple[AuditExample, ...]] = (
        AuditExample({"min": 4}, ("a", "b", "c", None), 4, True),
        AuditExample({"min": 1, "max": 2}, ("a", "b", "c"), 3, False),
        AuditExample({"min": 1}, (), 0, False),
        AuditExample({"max": 0}, (), 0, True),
    )

    @model_validator(mode="after")
    def _has_bounds(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("row_count_between needs min or max")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("row_count_between needs min to be no more than max")
        return self

    def audit(self, columns: Columns, links: Mapping[str, Columns] | None = None) -> Audit:
        sides = [f"at least {self.min}"] if self.min is not None else []
        sides += [f"at most {self.max}"] if self.max is not None else []
        condition = f"the number of rows is {' and '.join(sides)}"
        return self._measured("row_count_between", condition, exp.Count(this=exp.Star()), low=self.min, high=self.max)

    def refuses_more_than(self, before: Self) -> bool | None:
        return bounds_raised(self.min, self.max, before.min, before.max)
