"""Transformations written in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field
from sqlglot import exp

from lakelogic.errors import NotSupportedYet
from lakelogic.sql.annotate import require_condition, type_of
from lakelogic.sql.parse import parse_expression, parse_projection
from lakelogic.sql.resolve import resolve_expression, resolve_select
from lakelogic.sql.shape import aggregate, generator, refuse_beyond_row
from lakelogic.sql.types import Columns
from lakelogic.transforms.base import Effect, Step, Transform, TransformExample, pick, project, transform

_NO_AGGREGATES = "an expression gives one value for each row"
_USE_SELECT = "Write a whole SELECT … FROM source GROUP BY …, or use explode."


@transform("sql")
class Sql(Transform):
    """One column as `expression AS name`, or all of them as a SELECT over source and links."""

    sql: str = Field(description="`expression AS column`, or SELECT … FROM source.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            "LOWER(TRIM(email)) AS email",
            before=({"id": 1, "email": " A@B.C "}, {"id": 2, "email": None}),
            after=({"id": 1, "email": "a@b.c"}, {"id": 2, "email": None}),
            types={"id": "int", "email": "string"},
        ),
        TransformExample(
            "amount / quantity AS price",
            before=({"amount": 3.0, "quantity": 2}, {"amount": 1.0, "quantity": 0}),
            after=({"amount": 3.0, "quantity": 2, "price": 1.5}, {"amount": 1.0, "quantity": 0, "price": None}),
            types={"amount": "double", "quantity": "int"},
        ),
        TransformExample(
            "SELECT *, UPPER(code) AS upper_code FROM source WHERE code IS NOT NULL",
            before=({"code": "a"}, {"code": None}),
            after=({"code": "a", "upper_code": "A"},),
            types={"code": "string"},
        ),
        TransformExample(
            "SELECT s.id, c.name FROM source s JOIN countries c ON s.country = c.code",
            before=({"id": 1, "country": "DE"}, {"id": 2, "country": "XX"}),
            after=({"id": 1, "name": "Germany"},),
            types={"id": "int", "country": "string"},
            links={"countries": ({"code": "DE", "name": "Germany"},)},
            link_types={"countries": {"code": "string", "name": "string"}},
        ),
        TransformExample(
            "SELECT country, SUM(amount) AS total FROM source GROUP BY country",
            before=({"country": "DE", "amount": 1}, {"country": "DE", "amount": 2}, {"country": None, "amount": 3}),
            after=({"country": "DE", "total": 3}, {"country": None, "total": 3}),
            types={"country": "string", "amount": "int"},
        ),
    )

    @classmethod
    def from_yaml(cls, body: Any) -> Any:
        return {"sql": body} if isinstance(body, str) else body

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        parsed = parse_projection(self.sql)
        if isinstance(parsed, exp.Query):
            resolved = resolve_select(parsed, columns, links, self._source_names)
            return Step(resolved.select, resolved.columns, resolved.row_wise, _effect(resolved.select))
        name, expression = parsed
        return _derived(name, expression, columns, self._source_names)

    def links_used(self) -> set[str]:
        parsed = parse_projection(self.sql)
        if not isinstance(parsed, exp.Query):
            return set()
        own = {name.lower() for name in self._source_names}
        own |= {cte.alias.lower() for cte in parsed.find_all(exp.CTE)}
        return {table.name for table in parsed.find_all(exp.Table) if table.name.lower() not in own}


@transform("derive")
class Derive(Transform):
    """A column from an SQL expression, replaced in place or added."""

    field: str = Field(description="The column to replace or add.")
    sql: str | None = Field(None, description="An expression in Spark SQL.")
    sql_spark: str | None = Field(None, description="An expression for one engine only; not supported yet.")
    sql_duckdb: str | None = Field(None, description="An expression for one engine only; not supported yet.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"field": "full_name", "sql": "concat_ws(' ', first, last)"},
            before=({"first": "Ada", "last": "Lovelace"}, {"first": None, "last": "Turing"}),
            after=(
                {"first": "Ada", "last": "Lovelace", "full_name": "Ada Lovelace"},
                {"first": None, "last": "Turing", "full_name": "Turing"},
            ),
            types={"first": "string", "last": "string"},
        ),
        TransformExample(
            {"field": "n", "sql": "CAST(n AS INT) + 1"},
            before=({"n": "1"}, {"n": "one"}, {"n": "2147483647"}, {"n": None}),
            after=({"n": 2}, {"n": None}, {"n": None}, {"n": None}),
            types={"n": "string"},
        ),
    )

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        if self.sql is None or self.sql_spark or self.sql_duckdb:
            raise NotSupportedYet("derive with SQL for one engine; write 'sql', which means the same on all of them")
        return _derived(self.field, parse_expression(self.sql), columns, self._source_names)


@transform("filter")
class Filter(Transform):
    """Keeps the rows for which the condition is true; what is dropped is counted."""

    sql: str = Field(description="A condition in Spark SQL; rows for which it is false or NULL are dropped.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            "amount > 0",
            before=({"amount": 1}, {"amount": 0}, {"amount": None}),
            after=({"amount": 1},),
            types={"amount": "int"},
        ),
        TransformExample(
            {"sql": "10 / amount > 1"},
            before=({"amount": 5}, {"amount": 0}),
            after=({"amount": 5},),
            types={"amount": "int"},
        ),
    )

    @classmethod
    def from_yaml(cls, body: Any) -> Any:
        return {"sql": body} if isinstance(body, str) else body

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        tree = parse_expression(self.sql)
        refuse_beyond_row(tree, "a filter looks at each row by itself", "Use deduplicate, or a whole SELECT.")
        kept = require_condition(resolve_expression(tree, columns.visible, self._source_names), columns)
        return Step(pick(columns).where(kept), columns, row_wise=False, effect="filtered")


def _derived(name: str, tree: exp.Expr, columns: Columns, names: tuple[str, ...]) -> Step:
    refuse_beyond_row(tree, _NO_AGGREGATES, _USE_SELECT, windows=True)
    value = resolve_expression(tree, columns.visible, names)
    step = project(columns, {name: value}, {name: type_of(value, columns)})
    return Step(step.select, step.columns, row_wise=tree.find(exp.Window) is None)


def _effect(query: exp.Query) -> Effect | None:
    """What a whole SELECT does to the number of rows, as far as its shape tells."""
    if not isinstance(query, exp.Select) or query.args.get("group") or aggregate(query) is not None:
        return None
    if query.args.get("joins") or query.args.get("laterals") or generator(query) is not None:
        return "expanded"
    if query.args.get("distinct"):
        return "deduplicated"
    return "filtered" if any(query.args.get(key) for key in ("where", "qualify", "limit", "offset")) else None
