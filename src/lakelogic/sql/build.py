"""Small expressions that rules and transformations build by hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Annotated

from pydantic import Field
from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.sql.types import TIMESTAMP, UNKNOWN, Column, is_unknown, parse_type, type_name

_Number = Annotated[float, Field(allow_inf_nan=False)]
# Not strict, a number would be taken for text, or for the seconds since 1970.
_Text = Annotated[str, Field(strict=True)]
_Moment = Annotated[datetime, Field(strict=True)]
_Day = Annotated[date, Field(strict=True)]
Scalar = bool | int | _Number | _Text | _Moment | _Day
"""A plain value in YAML."""

_Type = exp.DataType.Type
_TEXT = {_Type.TEXT, _Type.VARCHAR, _Type.CHAR}
_NUMBERS = {_Type.INT, _Type.BIGINT, _Type.SMALLINT, _Type.TINYINT, _Type.FLOAT, _Type.DOUBLE, _Type.DECIMAL}
_MOMENTS = {_Type.DATE, _Type.TIMESTAMP, _Type.TIMESTAMPTZ, _Type.TIMESTAMPLTZ, _Type.TIMESTAMPNTZ}
_GROUP = 50
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def ref(column: Column | str, table: str | None = None) -> exp.Column:
    """A quoted reference to a column."""
    name = column if isinstance(column, str) else column.name
    # The string of a table is quoted by hand: sqlglot would parse a name with a dot.
    return exp.column(
        exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True) if table else None
    )


def quoted(name: str) -> str:
    """A name as SQL text, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def all_of(*conditions: exp.Expr) -> exp.Expr:
    """The conditions joined by AND."""
    return _joined(exp.and_, conditions)


def any_of(*conditions: exp.Expr) -> exp.Expr:
    """The conditions joined by OR."""
    return _joined(exp.or_, conditions)


def _joined(join: Callable[..., exp.Expr], conditions: Sequence[exp.Expr]) -> exp.Expr:
    """Many are joined in groups: a chain of thousands would be too deep for whatever walks over it."""
    while len(conditions) > _GROUP:
        groups = (conditions[first : first + _GROUP] for first in range(0, len(conditions), _GROUP))
        conditions = [exp.paren(join(*group), copy=False) for group in groups]
    return join(*conditions)


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """A call of one of Spark's functions."""
    return exp.func(name, *arguments, dialect="spark")


def is_null(expression: exp.Expr) -> exp.Expr:
    """`expression IS NULL`."""
    return exp.Is(this=expression.copy(), expression=exp.null())


def has_value(expression: exp.Expr) -> exp.Expr:
    """`expression IS NOT NULL`."""
    return exp.Not(this=is_null(expression))


def named(name: str, expression: exp.Expr) -> exp.Expr:
    """`expression AS name`, quoted."""
    if isinstance(expression, exp.Column) and expression.name == name and not expression.table:
        return expression
    return exp.Alias(this=expression, alias=exp.to_identifier(name, quoted=True))


def orderable(column: Column) -> exp.Expr:
    """Something to order a column by; a map has no order of its own."""
    has_order = not is_unknown(column.type) and not any(
        part.this == exp.DataType.Type.MAP for part in column.type.find_all(exp.DataType)
    )
    return ref(column) if has_order else exp.JSONFormat(this=exp.Struct(expressions=[ref(column)]))


def is_text(data_type: exp.DataType) -> bool:
    return data_type.this in _TEXT


def is_number(data_type: exp.DataType) -> bool:
    return data_type.this in _NUMBERS


def is_moment(data_type: exp.DataType) -> bool:
    return data_type.this in _MOMENTS


def literal(value: Scalar | None, data_type: exp.DataType = UNKNOWN) -> exp.Expr:
    """A value as a literal of a column's type, so that no engine has to guess a conversion.

    Raises:
        ContractError: the value can't be of that type.
    """
    if value is None:
        return exp.null()
    if is_text(data_type):
        return exp.Literal.string(written(value))
    if is_number(data_type):
        return _number(value, data_type)
    if is_moment(data_type):
        return _moment(value, data_type)
    if data_type.this == _Type.BOOLEAN:
        return _boolean(value, data_type)
    return _as_written(value)


def bound(value: Scalar, data_type: exp.DataType) -> exp.Expr:
    """A literal to order a column by: a number stays one beside text, which is then read as a number."""
    return _as_written(value) if is_text(data_type) else literal(value, data_type)


def readable(expression: exp.Expr) -> str:
    """SQL for people: plain names are not quoted."""
    copy = expression.copy()
    for identifier in copy.find_all(exp.Identifier):
        if _PLAIN_NAME.fullmatch(identifier.name):
            identifier.set("quoted", False)
    return copy.sql("spark")


def written(value: Scalar) -> str:
    """A value as text, as a contract writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date) else str(value)


def _as_written(value: Scalar) -> exp.Expr:
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, (int, float)):
        return exp.Literal.number(value)
    if isinstance(value, str):
        return exp.Literal.string(value)
    return _moment(value, TIMESTAMP if isinstance(value, datetime) else parse_type("date"))


def _number(value: Scalar, data_type: exp.DataType) -> exp.Expr:
    try:
        number = None if isinstance(value, (bool, date)) else Decimal(str(value).strip())
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite():
        raise _unlike(value, data_type)
    return exp.Literal.number(str(value).strip())


def _moment(value: Scalar, data_type: exp.DataType) -> exp.Expr:
    try:
        moment = value if isinstance(value, date) else datetime.fromisoformat(str(value))
    except ValueError:
        raise _unlike(value, data_type) from None
    midnight = not isinstance(moment, datetime) or (moment.tzinfo is None and moment.time() == datetime.min.time())
    if data_type.this == _Type.DATE:
        data_type = data_type if midnight else TIMESTAMP
    text = moment.isoformat(sep=" ") if isinstance(moment, datetime) and not midnight else str(moment)[:10]
    return exp.cast(exp.Literal.string(text), data_type.copy())


def _boolean(value: Scalar, data_type: exp.DataType) -> exp.Expr:
    text = written(value).lower()
    if text not in {"true", "false"}:
        raise _unlike(value, data_type)
    return exp.Boolean(this=text == "true")


def _unlike(value: Scalar, data_type: exp.DataType) -> ContractError:
    name = type_name(data_type)
    return ContractError(f"the value {value!r} is no {name}.", cure=f"Write a {name}, or declare another type.")
