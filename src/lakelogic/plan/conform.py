"""Rows take the shape of the model: missing columns, declared types, and what was read kept beside a cast."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from lakelogic.plan.names import as_read
from lakelogic.sql.convert import convert
from lakelogic.sql.types import STRING, Column, Columns, is_unknown, parse_type, type_name
from lakelogic.transforms.base import Step, project, ref

_T = exp.DataType.Type
# A cast along one of these paths never fails.
_ORDER = (_T.TINYINT, _T.SMALLINT, _T.INT, _T.BIGINT)
_MOMENTS = (_T.DATE, _T.TIMESTAMPTZ, _T.TIMESTAMPNTZ)
_SAFE = {
    *((low, high) for i, low in enumerate(_ORDER) for high in _ORDER[i:]),
    *((low, _T.DOUBLE) for low in (*_ORDER[:3], _T.FLOAT)),
    *((low, _T.FLOAT) for low in _ORDER[:2]),
    *((low, high) for low in _MOMENTS for high in _MOMENTS[1:]),
}


@dataclass(frozen=True)
class Declared:
    """A field of the model with its parsed type, if it has one."""

    name: str
    type: exp.DataType | None


@dataclass(frozen=True)
class Conformed:
    """The step that gives rows the declared types, and the columns whose cast may fail."""

    step: Step | None
    columns: Columns
    fallible: tuple[str, ...]


def declared(fields: Iterable[tuple[str, str | None]]) -> tuple[Declared, ...]:
    return tuple(Declared(name, parse_type(text) if text else None) for name, text in fields)


def conform(columns: Columns, fields: Iterable[Declared]) -> Conformed:
    """Cast what is there to the declared types and add what is not as NULL.

    The value before a cast that may fail stays in a hidden column beside it.
    """
    changes: dict[str, exp.Expr] = {}
    types: dict[str, exp.DataType] = {}
    kept: list[Column] = []
    fallible: list[str] = []
    for field in fields:
        column = columns.find(field.name)
        if column is None:
            changes[field.name] = exp.cast(exp.null(), field.type or STRING)
            types[field.name] = field.type or STRING
        elif field.type is not None and type_name(column.type) != type_name(field.type):
            changes[field.name] = convert(ref(column), column.type, field.type)
            types[field.name] = field.type
            if _may_fail(column.type, field.type):
                fallible.append(column.name)
                kept.append(Column(as_read(column.name).name, column.type, hidden=True))
    if not changes:
        return Conformed(None, columns, ())
    before = {column.name: ref(name) for column, name in zip(kept, fallible, strict=True)}
    step = project(columns.without(before), {**changes, **before}, types)
    step = Step(step.select, step.columns.with_(*kept))
    return Conformed(step, step.columns, tuple(fallible))


def _may_fail(source: exp.DataType, target: exp.DataType) -> bool:
    if is_unknown(source):
        return True
    if target.this in exp.DataType.TEXT_TYPES:
        return False
    return (source.this, target.this) not in _SAFE
