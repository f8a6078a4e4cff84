"""What type a call has where its arguments themselves decide, and not only their types."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from lakelogic.sql.plain import call_name
from lakelogic.sql.types import UNKNOWN
from lakelogic.sql.typing import results
from lakelogic.sql.typing.documents import parsed_type
from lakelogic.sql.typing.lattice import (
    array_of,
    decimal,
    digits_of,
    is_decimal,
    is_string,
    map_of,
    map_parts,
    named,
    struct_of,
)
from lakelogic.sql.typing.operands import operand_types

_Type = exp.DType
_BINARY = frozenset("try_add try_subtract try_multiply try_divide try_mod div mod pmod".split())


def type_of_call(name: str, node: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    """The type of a call whose arguments have theirs."""
    if special := _CALLS.get(name):
        return special(node, types)
    if name in _BINARY and len(types) == 2:
        return results.result(name, operand_types(*node.expressions))
    return results.result(name, types)


def _number_of(node: exp.Expr) -> int | None:
    negative = isinstance(node, exp.Neg)
    plain = node.this if negative else node
    if isinstance(plain, exp.Literal) and not plain.is_string and plain.name.isdigit():
        return -int(plain.name) if negative else int(plain.name)
    return None


def _rounded(node: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    if len(types) < 2 or not is_decimal(types[0]):
        return results.result("round", types)
    places = _number_of(node.expressions[1])
    if places is None:
        return UNKNOWN
    digits, scale = digits_of(types[0])
    whole = digits - scale + 1
    if places < 0:
        return decimal(max(whole, -places + 1), 0)
    kept = min(scale, places)
    return decimal(whole + kept, kept)


def _struct(node: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    names = [item.alias_or_name or f"col{i + 1}" for i, item in enumerate(node.expressions)]
    return struct_of(zip(names, types, strict=True))


def _named_struct(node: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    names = node.expressions[0::2]
    if not all(isinstance(name, exp.Literal) for name in names):
        return UNKNOWN
    return struct_of(zip((name.name for name in names), types[1::2], strict=True))


def _transformed(_: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    return array_of(types[1]) if len(types) == 2 else UNKNOWN


def _aggregated(_: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    return types[3] if len(types) == 4 else types[1]


def _from_json(node: exp.Anonymous, _: list[exp.DataType]) -> exp.DataType:
    schema = node.expressions[1] if len(node.expressions) > 1 else None
    return parsed_type(schema.name) if isinstance(schema, exp.Literal) else UNKNOWN


def _date_add(node: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    # DATE_ADD(unit, number, moment) is another name of TIMESTAMPADD.
    if len(node.expressions) != 3:
        return named("date")
    moment = types[2]
    return named("timestamp") if moment.this == _Type.DATE or is_string(moment) else moment


def _date_diff(node: exp.Anonymous, _: list[exp.DataType]) -> exp.DataType:
    return named("bigint" if len(node.expressions) == 3 else "int")


def _date_part(node: exp.Anonymous, _: list[exp.DataType]) -> exp.DataType:
    unit = node.expressions[0]
    return named("decimal(8,6)" if unit.name.upper().startswith("SEC") else "int")


def _of_map(node: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    key, value = map_parts(types[0])
    return map_of(types[1], value) if call_name(node) == "transform_keys" else map_of(key, types[1])


_CALLS: dict[str, Callable[[exp.Anonymous, list[exp.DataType]], exp.DataType]] = {
    "round": _rounded,
    "bround": _rounded,
    "struct": _struct,
    "named_struct": _named_struct,
    "transform": _transformed,
    "zip_with": lambda _, types: array_of(types[2]) if len(types) == 3 else UNKNOWN,
    "aggregate": _aggregated,
    "reduce": _aggregated,
    "from_json": _from_json,
    "date_add": _date_add,
    "dateadd": _date_add,
    "timestampadd": _date_add,
    "datediff": _date_diff,
    "date_diff": _date_diff,
    "date_part": _date_part,
    "datepart": _date_part,
    "transform_keys": _of_map,
    "transform_values": _of_map,
}
