"""A value as another type: by name inside structs, through JSON between text and nested types, NULL where it fails."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.build import all_of, any_of, call, has_value, is_moment, is_null, is_number, is_text
from lakelogic.sql.types import STRING, UNKNOWN, is_nested, is_unknown, type_name

_Type = exp.DataType.Type
_ELEMENT = "_ll_element"
_BROKEN = "_ll_broken"


def as_text(value: exp.Expr, data_type: exp.DataType) -> exp.Expr:
    """The value as text: lists, maps and structs become compact JSON."""
    if is_text(data_type):
        return value
    return exp.JSONFormat(this=value) if is_nested(data_type) else _try(value, STRING)


def convert(value: exp.Expr, source: exp.DataType, target: exp.DataType) -> exp.Expr:
    """The value as another type. What can't be converted as a whole becomes NULL, and never raises."""
    if type_name(source) == type_name(target):
        return value
    if is_text(target):
        return as_text(value, source)
    if is_nested(target) and is_text(source):
        return _from_document(value, target)
    if is_nested(source) or (is_nested(target) and not is_unknown(source)):
        return _between_nested(value, source, target)
    if is_unknown(source) or is_text(source) or _casts_directly(source, target):
        return _try(value, target)
    # Spark refuses to plan such a cast; by way of text every value simply fails to convert.
    return _try(_try(value, STRING), target)


def equal(left: exp.Expr, left_type: exp.DataType, right: exp.Expr, right_type: exp.DataType) -> exp.Expr:
    """Equality in which text meets another type as that type, the same on every engine."""
    if is_text(left_type) and not is_unknown(right_type):
        left = convert(left, left_type, right_type)
    elif is_text(right_type) and not is_unknown(left_type):
        right = convert(right, right_type, left_type)
    return exp.EQ(this=left, expression=right)


def element_type(data_type: exp.DataType) -> exp.DataType:
    """The type of a list's elements."""
    inner = data_type.expressions[0] if data_type.expressions else UNKNOWN
    return inner if isinstance(inner, exp.DataType) else UNKNOWN


def _try(value: exp.Expr, target: exp.DataType) -> exp.Expr:
    return exp.TryCast(this=value, to=target.copy(), safe=True)


def _casts_directly(source: exp.DataType, target: exp.DataType) -> bool:
    if is_number(source):
        no_number = {_Type.DATE, _Type.TIMESTAMPNTZ, _Type.BINARY, _Type.VARBINARY}
        return target.this not in no_number
    if source.this == _Type.BOOLEAN:
        return is_number(target)
    return is_moment(source) and is_moment(target)


def _from_document(text: exp.Expr, target: exp.DataType) -> exp.Expr:
    """The nested value of JSON text. A part of another type would be NULL in silence, so the reader is asked for it."""
    wrapped = call("CONCAT", exp.Literal.string('{"v":'), text.copy(), exp.Literal.string("}"))
    schema = exp.Literal.string(f"struct<v:{type_name(target)},{_BROKEN}:string>")
    options = call("MAP", exp.Literal.string("columnNameOfCorruptRecord"), exp.Literal.string(_BROKEN))
    document = exp.Anonymous(this="FROM_JSON", expressions=[wrapped, schema, options])
    keys = call("JSON_OBJECT_KEYS", text.copy())
    present = [call("ARRAY_CONTAINS", keys.copy(), exp.Literal.string(name)) for name, _ in members(target)]
    whole = all_of(is_null(_member(document, _BROKEN)), *present)
    return _unless_lost(whole, _member(document, "v"))


def _between_nested(value: exp.Expr, source: exp.DataType, target: exp.DataType) -> exp.Expr:
    if source.this == target.this == _Type.STRUCT:
        return _between_structs(value, source, target)
    if source.this == target.this == _Type.ARRAY:
        return _between_arrays(value, source, target)
    return _try(value, target) if source.this == target.this == _Type.MAP else _try(exp.null(), target)


def _between_structs(value: exp.Expr, source: exp.DataType, target: exp.DataType) -> exp.Expr:
    """Member by member, by name: Spark's own cast goes by position."""
    there = {name.lower(): (name, data_type) for name, data_type in members(source)}
    parts: list[exp.Expr] = []
    kept: list[exp.Expr] = [has_value(value)]
    for name, wanted in members(target):
        if name.lower() not in there:
            return _try(exp.null(), target)
        stored, found = there[name.lower()]
        member = _member(value, stored)
        converted = convert(member, found, wanted)
        parts += [exp.Literal.string(name), converted]
        kept.append(any_of(is_null(member), has_value(converted)))
    return _unless_lost(all_of(*kept), exp.Anonymous(this="NAMED_STRUCT", expressions=parts))


def _between_arrays(value: exp.Expr, source: exp.DataType, target: exp.DataType) -> exp.Expr:
    element = exp.to_identifier(_ELEMENT)
    converted = convert(element, element_type(source), element_type(target))
    lost = all_of(has_value(element), is_null(converted))
    every = exp.Anonymous(this="TRANSFORM", expressions=[value.copy(), _each(converted)])
    any_lost = exp.Anonymous(this="EXISTS", expressions=[value.copy(), _each(lost)])
    return _unless_lost(exp.Not(this=any_lost), every)


def _each(body: exp.Expr) -> exp.Lambda:
    return exp.Lambda(this=body, expressions=[exp.to_identifier(_ELEMENT)])


def _unless_lost(kept: exp.Expr, value: exp.Expr) -> exp.Expr:
    return exp.If(this=kept, true=value, false=exp.null())


def _member(value: exp.Expr, name: str) -> exp.Expr:
    return exp.Dot(this=value.copy(), expression=exp.to_identifier(name, quoted=True))


def members(data_type: exp.DataType) -> list[tuple[str, exp.DataType]]:
    """Names and types of what a struct holds; nothing for any other type."""
    if data_type.this != _Type.STRUCT:
        return []
    return [(member.name, member.args["kind"]) for member in data_type.expressions]
