"""Rules about rows that occur twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator
from sqlglot import exp

from lakelogic.rules.base import Audit, AuditExample, DatasetRule, dataset_rule
from lakelogic.sql.build import ref
from lakelogic.sql.types import Columns


@dataset_rule("unique")
class Unique(DatasetRule):
    """No two rows have the same key; two NULL keys are the same."""

    field: str | None = Field(None, description="The key column.")
    columns: tuple[str, ...] = Field((), description="The key columns, if there are several.")

    default_category: ClassVar[str] = "uniqueness"
    examples: ClassVar[tuple[AuditExample, ...]] = (
        AuditExample("value", ("a", "b", "A", None), 0, True),
        AuditExample({"field": "value"}, ("a", "a", "a", "b"), 2, False),
        AuditExample(["value"], (None, None), 1, False),
        AuditExample("value", (), 0, True),
    )

    @classmethod
    def from_yaml(cls, body: Any) -> Any:
        match body:
            # However one column is written, it is the same rule.
            case str(name) | [str(name)]:
                return {"field": name}
            case list():
                return {"columns": body}
        return body

    @model_validator(mode="after")
    def _names_columns(self) -> Self:
        if (self.field is None) == (not self.columns):
            raise ValueError("unique needs either field or columns")
        return self

    def audit(self, columns: Columns, links: Mapping[str, Columns] | None = None) -> Audit:
        keys = [columns.visible.get(name).name for name in self.columns or (self.field or "",)]
        # COUNT(DISTINCT a, b) passes over NULL; a struct never is NULL.
        key = exp.Struct(expressions=[ref(name) for name in keys])
        repeated = exp.Sub(this=exp.Count(this=exp.Star()), expression=exp.Count(this=exp.Distinct(expressions=[key])))
        key_text = keys[0] if len(keys) == 1 else f"({', '.join(keys)})"
        return self._measured(f"{'_'.join(keys)}_unique", f"{key_text} is unique", repeated, high=0)
