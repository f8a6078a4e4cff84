"""Rules written in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field, model_validator
from sqlglot import exp

from lakelogic.errors import ContractError, SqlError
from lakelogic.rules.base import Audit, AuditExample, DatasetRule, RowRule, RuleExample, dataset_rule, row_rule
from lakelogic.rules.naming import slug
from lakelogic.sql.annotate import require_condition
from lakelogic.sql.parse import parse_expression, parse_scalar
from lakelogic.sql.resolve import resolve_expression, resolve_select
from lakelogic.sql.shape import is_condition, refuse_beyond_row, unaggregated
from lakelogic.sql.types import Columns


@row_rule("sql")
class SqlRule(RowRule):
    """The SQL condition is true for the row; false and NULL fail."""

    sql: str = Field(description="A condition in Spark SQL over the row's columns.")

    default_category: ClassVar[str] = "correctness"
    examples: ClassVar[tuple[RuleExample, ...]] = (
        RuleExample("value LIKE '%@%.%'", passes=("a@b.c",), fails=("not_an_email", "", None)),
        RuleExample("value > 0", column_type="double", passes=(0.5,), fails=(0.0, -1.0, None)),
        RuleExample("100 / value > 1", column_type="int", passes=(10,), fails=(0, 1000, None)),
        RuleExample("value + 1 > 0", column_type="bigint", passes=(1,), fails=(2**63 - 1, None)),
        RuleExample("CAST(value AS INT) >= 10", passes=("10", " 11 "), fails=("9", "ten", "99999999999", None)),
        RuleExample("value IS NULL OR length(value) = 2", passes=("de", None), fails=("deu", "")),
    )

    @classmethod
    def from_yaml(cls, body: Any) -> Any:
        return {"sql": body} if isinstance(body, str) else body

    def predicates(self, columns: Columns) -> Mapping[str, exp.Expr]:
        tree = parse_expression(self.sql)
        refuse_beyond_row(tree, "a row rule judges each row by itself", "Write it under dataset_rules.")
        resolved = resolve_expression(tree, columns.visible, self._source_names)
        return {slug(self.sql): require_condition(resolved, columns)}

    def message(self, name: str, predicate: exp.Expr) -> str:
        written = self.sql.strip()
        return f"Rule failed: {self.name} ({written})" if self.name else f"Rule failed: {written}"


@dataset_rule("sql")
class SqlAudit(DatasetRule):
    """The value of an aggregate, or of a SELECT that yields one value, keeps its bounds."""

    sql: str = Field(description="An aggregate expression, or a SELECT over source that yields one value.")
    must_be_between: tuple[float, float] | None = Field(None, description="[low, high], both included.")
    must_be_less_than: float | None = Field(None, description="The value is below this bound.")
    must_be_greater_than: float | None = Field(None, description="The value is above this bound.")

    default_category: ClassVar[str] = "correctness"
    examples: ClassVar[tuple[AuditExample, ...]] = (
        AuditExample({"sql": "SUM(value)", "must_be_between": [1, 6]}, (1, 2, 3, None), 6, True, "int"),
        AuditExample({"sql": "SUM(value)", "must_be_less_than": 6}, (1, 2, 3), 6, False, "int"),
        AuditExample({"sql": "MAX(value)", "must_be_greater_than": 3}, (1, 3), 3, False, "int"),
        AuditExample({"sql": "AVG(value)", "must_be_greater_than": 0}, (None,), None, False, "double"),
        AuditExample({"sql": "SELECT COUNT(*) FROM source", "must_be_greater_than": 1}, ("a", None), 2, True),
        AuditExample({"sql": "COUNT(DISTINCT value) > 1"}, ("a", "b", None), 1, True),
        AuditExample({"sql": "MIN(value) > 0"}, (), 0, False, "int"),
    )

    @classmethod
    def from_yaml(cls, body: Any) -> Any:
        return {"sql": body} if isinstance(body, str) else body

    @model_validator(mode="after")
    def _bounds_make_sense(self) -> SqlAudit:
        one_sided = self.must_be_less_than is not None or self.must_be_greater_than is not None
        if self.must_be_between and one_sided:
            raise ValueError("must_be_between can't stand beside must_be_less_than or must_be_greater_than")
        if self.must_be_between and self.must_be_between[0] > self.must_be_between[1]:
            raise ValueError("must_be_between needs its lower bound first")
        return self

    def audit(self, columns: Columns, links: Mapping[str, Columns] | None = None) -> Audit:
        tree = parse_scalar(self.sql)
        measure, query = None, None
        if isinstance(tree, exp.Query):
            query = self._one_value(tree, columns, links or {})
        else:
            measure = self._aggregate(tree, columns)
        low, high = self.must_be_between or (self.must_be_greater_than, self.must_be_less_than)
        low_open = high_open = self.must_be_between is None
        if low is None and high is None:
            low, low_open, measure = 1, False, self._truth(tree, measure)
        return Audit(
            name=self.name or slug(self.sql),
            message=self._message(),
            category=self.category or self.default_category,
            measure=measure,
            query=query,
            low=low,
            high=high,
            low_open=low_open,
            high_open=high_open,
            severity=self.severity,
        )

    def _aggregate(self, tree: exp.Expr, columns: Columns) -> exp.Expr:
        if (column := unaggregated(tree)) is not None:
            raise SqlError(
                f"a dataset rule needs one value, but {column} stands outside an aggregate: {self.sql.strip()}",
                cure=f"Write MAX({column}) or the like, or move the rule to row_rules.",
            )
        return resolve_expression(tree, columns.visible, self._source_names)

    def _one_value(self, tree: exp.Query, columns: Columns, links: Mapping[str, Columns]) -> exp.Query:
        # Hidden columns would ride along and make it more than one value.
        resolved = resolve_select(tree, columns.visible, links, self._source_names)
        if len(resolved.columns.names) != 1:
            raise SqlError(f"a dataset rule's SELECT must yield one column: {self.sql.strip()}")
        return resolved.select

    def _truth(self, tree: exp.Expr, measure: exp.Expr | None) -> exp.Expr:
        if measure is None or not is_condition(tree):
            raise ContractError(
                f"the dataset rule has no bound: '{self.sql.strip()}'.",
                cure="Add must_be_between, must_be_less_than or must_be_greater_than.",
            )
        return exp.If(this=measure, true=exp.Literal.number(1), false=exp.Literal.number(0))

    def _message(self) -> str:
        bounds = self._bounds_in_words()
        condition = f"{self.sql.strip()} is {bounds}" if bounds else self.sql.strip()
        return f"Rule failed: {self.name} ({condition})" if self.name else f"Rule failed: {condition}"

    def _bounds_in_words(self) -> str:
        words = []
        if self.must_be_between:
            words.append("between {:g} and {:g}".format(*self.must_be_between))
        if self.must_be_greater_than is not None:
            words.append(f"greater than {self.must_be_greater_than:g}")
        if self.must_be_less_than is not None:
            words.append(f"less than {self.must_be_less_than:g}")
        return " and ".join(words)
