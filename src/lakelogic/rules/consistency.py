"""Rules about other tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field
from sqlglot import exp

from lakelogic.rules.base import Lookup, RowRule, RuleExample, row_rule
from lakelogic.sql.build import is_null, ref
from lakelogic.sql.types import Columns


@row_rule("referential_integrity")
class ReferentialIntegrity(RowRule):
    """The value is found in a column of a link; NULL is not found."""

    field: str = Field(description="The column.")
    reference: str = Field(description="The link in which the value must be found.")
    key: str | None = Field(None, description="The link's column; the same name when absent.")

    default_category: ClassVar[str] = "consistency"
    examples: ClassVar[tuple[RuleExample, ...]] = (
        RuleExample(
            {"field": "value", "reference": "countries", "key": "code"},
            passes=("DE", "FR"),
            fails=("de", "", None),
            links={"countries": {"code": ("DE", "FR", "DE", None)}},
        ),
        RuleExample(
            {"field": "value", "reference": "order ids", "key": "value"},
            column_type="bigint",
            passes=(1,),
            fails=(2, None),
            links={"order ids": {"value": (1,)}},
        ),
        RuleExample({"field": "value", "reference": "empty"}, fails=("a", None), links={"empty": {"value": ()}}),
    )

    def predicates(self, columns: Columns) -> Mapping[str, exp.Expr]:
        lookup = self.lookup(columns)
        # A missing value is told as such, where the column is required.
        found = exp.If(this=is_null(ref(lookup.column)), true=exp.null(), false=ref(lookup.flag))
        return {f"{lookup.column}_referential_integrity": found}

    def lookup(self, columns: Columns) -> Lookup:
        column = columns.visible.get(self.field).name
        key = self.key or column
        # The lengths keep ('a', 'b_c') and ('a_b', 'c') apart.
        flag = f"_ll_found_{len(column)}_{column}_{len(self.reference)}_{self.reference}_{key}"
        return Lookup(self.reference, column, key, flag)

    def condition(self, predicate: exp.Expr) -> str:
        return f"{self.field} is found in {self.reference}.{self.key or self.field}"
