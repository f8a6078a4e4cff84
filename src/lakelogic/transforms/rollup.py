"""Rows become groups, which know the keys and the runs that they were made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from pydantic import Field, field_validator, model_validator
from sqlglot import exp

from lakelogic.errors import SqlError
from lakelogic.sql.annotate import annotated, type_of
from lakelogic.sql.build import all_of, call, is_null, is_text
from lakelogic.sql.convert import as_text, convert
from lakelogic.sql.parse import parse_condition, parse_expression
from lakelogic.sql.resolve import resolve_expression
from lakelogic.sql.shape import generator, unaggregated
from lakelogic.sql.types import BIGINT, STRING, Column, Columns, is_unknown, parse_type
from lakelogic.transforms.base import (
    SOURCE,
    Names,
    Step,
    Transform,
    TransformExample,
    named,
    ref,
    refuse_twice,
    transform,
)

_BETWEEN_KEYS = "||"
_DOUBLE = parse_type("double")
_SALES = {"sale_date": "string", "sale_id": "int", "amount": "int", "_upstream_run_id": "string"}


@transform("rollup")
class Rollup(Transform):
    """One row for each group, with aggregates and the keys of the rows it was made of."""

    group_by: Names = Field(description="The columns that make a group; NULL makes one, too.", min_length=1)
    aggregations: Mapping[str, str] = Field(default={}, description="Column: aggregate expression.")
    keys: Names = Field(
        (), description="The key columns of the rows that make up a group; several are joined as text by ||."
    )
    key_expr: str | None = Field(None, description="An expression for the key, in place of keys.")
    rollup_keys_column: str | None = Field(
        "_lakelogic_rollup_keys", description="The column for the sorted list of keys; NULL is not listed."
    )
    rollup_keys_count_column: str | None = Field(None, description="The column for the number of keys in that list.")
    upstream_run_id_column: str | None = Field(
        None, description="The column that holds the run id of each row; `_lakelogic` may be left out of its name."
    )
    upstream_run_ids_column: str | None = Field(
        "_upstream_lakelogic_run_ids", description="The column for the sorted list of those run ids."
    )
    distinct: bool = Field(True, description="Whether each key and run id is listed once.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {
                "group_by": ["sale_date"],
                "aggregations": {"total_sales": "SUM(amount)"},
                "keys": "sale_id",
                "rollup_keys_column": "_lakelogic_rollup_keys",
                "rollup_keys_count_column": "_lakelogic_rollup_keys_count",
                "upstream_run_id_column": "_upstream_run_id",
                "upstream_run_ids_column": "_upstream_lakelogic_run_ids",
            },
            before=(
                {"sale_date": "2026-02-01", "sale_id": 2, "amount": 5, "_upstream_run_id": "b"},
                {"sale_date": "2026-02-01", "sale_id": 1, "amount": 7, "_upstream_run_id": "a"},
                {"sale_date": "2026-02-01", "sale_id": 2, "amount": None, "_upstream_run_id": "b"},
                {"sale_date": None, "sale_id": None, "amount": None, "_upstream_run_id": None},
            ),
            after=(
                {
                    "sale_date": "2026-02-01",
                    "total_sales": 12,
                    "_lakelogic_rollup_keys": [1, 2],
                    "_lakelogic_rollup_keys_count": 2,
                    "_upstream_lakelogic_run_ids": ["a", "b"],
                },
                {
                    "sale_date": None,
                    "total_sales": None,
                    "_lakelogic_rollup_keys": [],
                    "_lakelogic_rollup_keys_count": 0,
                    "_upstream_lakelogic_run_ids": [],
                },
            ),
            types=_SALES,
        ),
        TransformExample(
            {
                "group_by": "sale_date",
                "aggregations": {"sales": "COUNT(*)"},
                "keys": ["sale_id", "amount"],
                "rollup_keys_column": "made_of",
                "rollup_keys_count_column": "rows",
                "distinct": False,
            },
            before=(
                {"sale_date": "x", "sale_id": 2, "amount": 5, "_upstream_run_id": None},
                {"sale_date": "x", "sale_id": 2, "amount": 5, "_upstream_run_id": None},
                {"sale_date": "x", "sale_id": 1, "amount": None, "_upstream_run_id": None},
                {"sale_date": "x", "sale_id": None, "amount": None, "_upstream_run_id": None},
            ),
            after=({"sale_date": "x", "sales": 4, "made_of": ["1||", "2||5", "2||5"], "rows": 3},),
            types=_SALES,
        ),
        TransformExample(
            {"group_by": ["sale_date"], "key_expr": "sale_id * 10", "rollup_keys_column": "ids"},
            before=(
                {"sale_date": "x", "sale_id": 2, "amount": 1, "_upstream_run_id": None},
                {"sale_date": "x", "sale_id": None, "amount": 1, "_upstream_run_id": None},
            ),
            after=({"sale_date": "x", "ids": [20]},),
            types=_SALES,
        ),
        TransformExample(
            {"group_by": ["sale_date"], "aggregations": {"total": "SUM(amount) + 1"}},
            before=({"sale_date": "x", "amount": "1.5"}, {"sale_date": "x", "amount": "many"}),
            after=({"sale_date": "x", "total": 2.5},),
            types={"sale_date": "string", "amount": "string"},
        ),
        TransformExample(
            {"group_by": ["sale_date"], "aggregations": {"n": "COUNT(*)"}}, before=(), after=(), types=_SALES
        ),
    )

    @field_validator("aggregations")
    @classmethod
    def _readable(cls, aggregations: Mapping[str, str]) -> Mapping[str, str]:
        for text in aggregations.values():
            parse_expression(text)
        return aggregations

    @model_validator(mode="after")
    def _every_key_has_a_use(self) -> Self:
        if self.keys and self.key_expr:
            raise ValueError("rollup takes either keys or key_expr, not both")
        has_keys = bool(self.keys or self.key_expr)
        said = {name for name in self.model_fields_set if getattr(self, name) is not None}
        if not has_keys and (unused := said & {"rollup_keys_column", "rollup_keys_count_column"}):
            raise ValueError(f"rollup has a use for {min(unused)} only with keys or key_expr")
        if self.upstream_run_id_column is None and "upstream_run_ids_column" in said:
            raise ValueError("rollup has a use for upstream_run_ids_column only with upstream_run_id_column")
        return self

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        groups = [columns.visible.get(name) for name in self.group_by]
        notes: list[str] = []
        made = [
            *((column, ref(column)) for column in groups),
            *self._aggregates(columns, groups),
            *self._keys(columns),
            *self._run_ids(columns, notes),
        ]
        refuse_twice(self.kind, [column.name for column, _ in made])
        select = exp.select(*(named(column.name, value) for column, value in made)).from_(SOURCE)
        select = select.group_by(*(ref(column) for column in groups))
        result = Columns(tuple(column for column, _ in made))
        return Step(select, result, row_wise=False, effect="deduplicated", notes=tuple(notes))

    def _aggregates(self, columns: Columns, groups: list[Column]) -> list[tuple[Column, exp.Expr]]:
        found = []
        for name, text in self.aggregations.items():
            value = resolve_expression(parse_expression(text), columns.visible, self._source_names)
            _refuse_ungrouped(value, text, {column.name for column in groups})
            value = _of_numbers(value, columns)
            found.append((Column(name, type_of(value, columns)), value))
        return found

    def _keys(self, columns: Columns) -> list[tuple[Column, exp.Expr]]:
        if not (self.keys or self.key_expr):
            return []
        key, key_type = self._key(columns)
        found: list[tuple[Column, exp.Expr]] = []
        if self.rollup_keys_column:
            found.append((Column(self.rollup_keys_column, _list_of(key_type)), self._listed(key)))
        if self.rollup_keys_count_column:
            once = exp.Distinct(expressions=[key.copy()]) if self.distinct else key.copy()
            found.append((Column(self.rollup_keys_count_column, BIGINT), exp.Count(this=once)))
        return found

    def _key(self, columns: Columns) -> tuple[exp.Expr, exp.DataType]:
        if self.key_expr:
            value = resolve_expression(parse_condition(self.key_expr), columns.visible, self._source_names)
            return value, type_of(value, columns)
        parts = [columns.visible.get(name) for name in self.keys]
        if len(parts) == 1:
            return ref(parts[0]), parts[0].type
        texts: list[exp.Expr] = []
        for column in parts:
            # A part that is NULL keeps its place, so that (1, NULL) and (NULL, 1) stay apart.
            text = exp.Coalesce(this=as_text(ref(column), column.type), expressions=[exp.Literal.string("")])
            texts += [exp.Literal.string(_BETWEEN_KEYS), text]
        nothing = all_of(*(is_null(ref(column)) for column in parts))
        return exp.If(this=nothing, true=exp.null(), false=call("CONCAT", *texts[1:])), STRING

    def _run_ids(self, columns: Columns, notes: list[str]) -> list[tuple[Column, exp.Expr]]:
        if self.upstream_run_id_column is None or self.upstream_run_ids_column is None:
            return []
        output = Column(self.upstream_run_ids_column, _list_of(STRING))
        # Lineage keeps `_lakelogic_run_id` as `_upstream_lakelogic_run_id`; contracts call it `_upstream_run_id`.
        known = {column.name.lower().replace("_lakelogic", ""): column for column in columns.visible}
        wanted = self.upstream_run_id_column
        column = columns.visible.find(wanted) or known.get(wanted.lower())
        if column is None:
            notes.append(f"rollup finds no column '{wanted}', so {output.name} is NULL: the rows tell no run.")
            return [(output, exp.cast(exp.null(), output.type))]
        return [(output, self._listed(as_text(ref(column), column.type)))]

    def _listed(self, value: exp.Expr) -> exp.Expr:
        """The values without NULL, in their own order: rows have none that every engine would agree on."""
        return call("ARRAY_SORT", call("COLLECT_SET" if self.distinct else "COLLECT_LIST", value.copy()))


def _refuse_ungrouped(value: exp.Expr, text: str, groups: set[str]) -> None:
    if found := generator(value) or value.find(exp.Window):
        raise SqlError(f"an aggregation gives one value for each group, so {found.sql('spark')} is not allowed: {text}")
    ungrouped = value.transform(lambda node: exp.null() if _is_column(node, groups) else node)
    if column := unaggregated(ungrouped):
        raise SqlError(
            f"{column} has many values in a group: {text}", cure=f"Write MAX({column}) or the like, or group by it."
        )


def _of_numbers(value: exp.Expr, columns: Columns) -> exp.Expr:
    """Sums and averages of text are those of the numbers in it; what is no number counts as NULL."""
    typed = annotated(value.copy(), columns)
    for total in list(typed.find_all(exp.Sum, exp.Avg)):
        if isinstance(total.this.type, exp.DataType) and is_text(total.this.type):
            total.set("this", convert(total.this.copy(), STRING, _DOUBLE))
    return typed


def _is_column(node: exp.Expr, names: set[str]) -> bool:
    return isinstance(node, exp.Column) and node.name in names


def _list_of(element: exp.DataType) -> exp.DataType:
    if is_unknown(element):
        return element
    return exp.DataType(this=exp.DataType.Type.ARRAY, expressions=[element.copy()], nested=True)
