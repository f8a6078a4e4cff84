"""Transformations that bring in values of links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator
from sqlglot import exp

from lakelogic.errors import ContractError, NotSupportedYet, did_you_mean
from lakelogic.sql.build import Scalar, all_of, literal
from lakelogic.sql.convert import equal
from lakelogic.sql.types import Column, Columns
from lakelogic.transforms.base import (
    SOURCE,
    Names,
    Step,
    Transform,
    TransformExample,
    link_columns,
    link_table,
    named,
    ref,
    refuse_hidden,
    transform,
)

_LINK = "_ll_link"
_COUNTRIES = ({"code": "DE", "name": "Germany"}, {"code": "FR", "name": None}, {"code": "DE", "name": "Germany"})
_COUNTRY_TYPES = {"code": "string", "name": "string"}


@transform("lookup")
class Lookup(Transform):
    """One value of a link, found by a key; of several matches the smallest value is taken."""

    field: str = Field(description="The column for the value, replaced or added.")
    reference: str = Field(description="The link.")
    on: str = Field(description="The column that holds the key.")
    key: str | None = Field(None, description="The link's key column; the same name when absent.")
    value: str = Field(description="The link's column to take the value from.")
    default_value: Scalar | None = Field(None, description="The value when nothing is found.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"field": "country", "reference": "countries", "on": "c", "key": "code", "value": "name"},
            before=({"c": "DE"}, {"c": "XX"}, {"c": None}),
            after=({"c": "DE", "country": "Germany"}, {"c": "XX", "country": None}, {"c": None, "country": None}),
            types={"c": "string"},
            links={"countries": _COUNTRIES},
            link_types={"countries": _COUNTRY_TYPES},
        ),
        TransformExample(
            {"field": "c", "reference": "countries", "on": "c", "key": "code", "value": "name", "default_value": "?"},
            before=({"c": "DE"}, {"c": "FR"}, {"c": None}),
            after=({"c": "Germany"}, {"c": "?"}, {"c": "?"}),
            types={"c": "string"},
            links={"countries": _COUNTRIES},
            link_types={"countries": _COUNTRY_TYPES},
        ),
    )

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        link = link_columns(links, self.reference)
        own, key, value = (columns.visible.get(self.on), link.get(self.key or self.on), link.get(self.value))
        refuse_hidden(columns, self.field)
        # One row for each key, so that a key which the link has twice does not double the row.
        found = (
            exp.select(named("_ll_key", ref(key)), named("_ll_value", exp.Min(this=ref(value))))
            .from_(link_table(self.reference))
            .group_by(ref(key))
            .subquery(_LINK)
        )
        result = _or_default(ref("_ll_value", _LINK), self.default_value, value.type)
        output = Column(existing.name if (existing := columns.find(self.field)) else self.field, value.type)
        select = _select_with(columns, {output.name: result})
        select = select.join(found, on=_matches(own, Column("_ll_key", key.type)), join_type="left")
        return Step(select, columns.with_(output))

    def links_used(self) -> set[str]:
        return {self.reference}


@transform("join")
class Join(Transform):
    """Columns of a link, joined by key; a key that the link has several times gives several rows."""

    reference: str = Field(description="The link.")
    on: Names = Field(description="The columns that hold the key.", min_length=1)
    key: Names = Field((), description="The link's key columns; the same names when absent.")
    fields: Names = Field((), description="The link's columns to bring in; all but the key when absent.")
    type: Literal["left", "inner", "right", "full"] = Field(
        "left", description="left keeps rows without a match; inner drops them, and they are counted."
    )
    prefix: str = Field("", description="Put before the names of the columns that are brought in.")
    defaults: Mapping[str, Scalar] = Field(
        default={}, description="The link's column: the value where nothing is found."
    )

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"reference": "prices", "on": "item", "fields": ["price"], "prefix": "list_", "defaults": {"price": 0}},
            before=({"item": "a"}, {"item": "b"}, {"item": None}),
            after=({"item": "a", "list_price": 5}, {"item": "b", "list_price": 0}, {"item": None, "list_price": 0}),
            types={"item": "string"},
            links={"prices": ({"item": "a", "price": 5}, {"item": None, "price": 9})},
            link_types={"prices": {"item": "string", "price": "int"}},
        ),
        TransformExample(
            {"reference": "tags", "on": ["a", "b"], "key": ["x", "y"], "type": "inner"},
            before=({"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 1, "b": None}),
            after=({"a": 1, "b": 1, "tag": "p"}, {"a": 1, "b": 1, "tag": "q"}),
            types={"a": "int", "b": "int"},
            links={
                "tags": ({"x": 1, "y": 1, "tag": "p"}, {"x": 1, "y": 1, "tag": "q"}, {"x": 1, "y": None, "tag": "r"})
            },
            link_types={"tags": {"x": "int", "y": "int", "tag": "string"}},
        ),
    )

    @model_validator(mode="after")
    def _keys_pair(self) -> Self:
        if self.key and len(self.key) != len(self.on):
            raise ValueError("join needs as many key columns as on columns")
        return self

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        if self.type in {"right", "full"}:
            raise NotSupportedYet(f"join of type {self.type}: rows of the link alone have no origin to account for")
        link = link_columns(links, self.reference)
        own = [columns.visible.get(name) for name in self.on]
        keys = [link.get(name) for name in self.key or self.on]
        brought = self._brought(columns, link, keys)
        values = {
            f"{self.prefix}{column.name}": _or_default(ref(column, _LINK), self.defaults.get(column.name), column.type)
            for column in brought
        }
        matched = all_of(*(_matches(mine, theirs) for mine, theirs in zip(own, keys, strict=True)))
        select = _select_with(columns, values)
        select = select.join(link_table(self.reference).as_(_LINK), on=matched, join_type=self.type)
        added = (Column(f"{self.prefix}{column.name}", column.type) for column in brought)
        effect: Literal["expanded", "filtered"] = "expanded" if self.type == "left" else "filtered"
        return Step(select, columns.with_(*added), row_wise=False, effect=effect)

    def links_used(self) -> set[str]:
        return {self.reference}

    def _brought(self, columns: Columns, link: Columns, keys: list[Column]) -> list[Column]:
        fields = self.fields or [name for name in link.names if name not in {key.name for key in keys}]
        brought = [link.get(name) for name in fields]
        for column in brought:
            if f"{self.prefix}{column.name}" in columns:
                raise ContractError(
                    f"join brings in column '{self.prefix}{column.name}', which is there already.",
                    cure="Give a prefix, or list other fields.",
                )
        names = [column.name for column in brought]
        for name in self.defaults:
            if name not in names:
                raise ContractError(
                    f"join has a default for '{name}', which is no field.", cure=did_you_mean(name, names)
                )
        return brought


def _select_with(columns: Columns, values: Mapping[str, exp.Expr]) -> exp.Select:
    out = [named(c.name, values[c.name]) if c.name in values else ref(c, SOURCE) for c in columns]
    out += [named(name, value) for name, value in values.items() if name not in columns]
    return exp.select(*out).from_(SOURCE)


def _matches(mine: Column, theirs: Column) -> exp.Expr:
    return equal(ref(mine, SOURCE), mine.type, ref(theirs, _LINK), theirs.type)


def _or_default(value: exp.Expr, default: Scalar | None, data_type: exp.DataType) -> exp.Expr:
    return value if default is None else exp.Coalesce(this=value, expressions=[literal(default, data_type)])
