"""JSON documents: values as JSON text, and back."""

from __future__ import annotations

import json
import re

from sqlglot import exp

from lakelogic.sql.duckdb.json_converting import SCALARS
from lakelogic.sql.duckdb.nested import made_members
from lakelogic.sql.duckdb.types import duckdb_type, quoted, text
from lakelogic.sql.duckdb.writer import CallRendering, Writer, constant, kind
from lakelogic.sql.plain import call_name
from lakelogic.sql.types import type_name
from lakelogic.sql.typing.lattice import (
    digits_of,
    element,
    is_array,
    is_decimal,
    is_integer,
    is_known,
    is_map,
    is_string,
    is_struct,
    map_parts,
    members,
)

_Type = exp.DType
_STEP = re.compile(r"\.([^.\[\]'*]+)|\['([^'\[\]*]+)'\]|\[([0-9]+)\]")
_WITH_NULLS = exp.Anonymous(
    this="MAP", expressions=[exp.Literal.string("ignoreNullFields"), exp.Literal.string("false")]
)
_SCALARS = {
    _Type.BOOLEAN: "CAST({} AS VARCHAR)",
    _Type.DOUBLE: "ll_json_fraction({0})",
    _Type.FLOAT: "ll_json_fraction({0})",
    _Type.DATE: "'\"' || ll_date_text({}) || '\"'",
    _Type.TIMESTAMPTZ: "strftime(ll_local({}), '\"%Y-%m-%dT%H:%M:%S.%gZ\"')",
    _Type.TIMESTAMPNTZ: "strftime({}, '\"%Y-%m-%dT%H:%M:%S.%g\"')",
    _Type.BINARY: "'\"' || to_base64({}) || '\"'",
}


def to_json(w: Writer, node: exp.Anonymous) -> str:
    """Compact JSON as Spark writes it: members of structs that are NULL are left out, unless an option keeps them."""
    value, *options = node.expressions
    if options not in ([], [_WITH_NULLS]) or not is_known(kind(value)):
        w.refuse(node, "to_json with other options, or of an unknown type, is not portable")
    if call_name(value) in {"struct", "named_struct"}:
        # The members are at hand; asking the struct for each would write all of them for each.
        return _written_object(w, [(name, w.sql(held), kind(held)) for name, held in made_members(value)], node)
    return _json(w, w.sql(value), kind(value), node, 0)


def _json(w: Writer, value: str, data_type: exp.DataType, node: exp.Expr, depth: int) -> str:
    """The JSON of a value, or NULL for NULL."""
    if is_string(data_type):
        return f"CAST(to_json({value}) AS VARCHAR)"
    if is_integer(data_type) or (is_decimal(data_type) and digits_of(data_type)[1] <= 6):
        return f"CAST({value} AS VARCHAR)"
    if data_type.this in _SCALARS:
        return _SCALARS[data_type.this].format(value)
    item = f"ll_e{depth}"
    if is_array(data_type):
        inner = f"coalesce({_json(w, item, element(data_type), node, depth + 1)}, 'null')"
        return f"'[' || {_joined(f'list_transform({value}, lambda {item}: {inner})')} || ']'"
    if is_map(data_type) and is_string(map_parts(data_type)[0]):
        key = f"CAST(to_json({item}.key) AS VARCHAR)"
        held = f"coalesce({_json(w, f'{item}.value', map_parts(data_type)[1], node, depth + 1)}, 'null')"
        pairs = f"list_transform(map_entries({value}), lambda {item}: {key} || ':' || {held})"
        return f"'{{' || {_joined(pairs)} || '}}'"
    if is_struct(data_type):
        return _object(w, value, data_type, node, depth)
    return w.refuse(node, f"JSON of a {type_name(data_type)} is not portable", "Cast it to string first.")


def _object(w: Writer, value: str, data_type: exp.DataType, node: exp.Expr, depth: int) -> str:
    if _WITH_NULLS in node.expressions and all(_is_written_alike(inner) for _, inner in members(data_type)):
        # Asking a struct of thousands of members for each of them takes DuckDB their square in time and memory.
        return f"CAST(to_json({value}) AS VARCHAR)"
    held = [(name, f"({value}).{quoted(name)}", inner) for name, inner in members(data_type)]
    return f"CASE WHEN {value} IS NOT NULL THEN {_written_object(w, held, node, depth)} END"


def _is_written_alike(data_type: exp.DataType) -> bool:
    """Whether DuckDB writes values of a type as Spark does."""
    return is_string(data_type) or is_integer(data_type) or data_type.this == _Type.BOOLEAN


def _written_object(w: Writer, held: list[tuple[str, str, exp.DataType]], node: exp.Expr, depth: int = 0) -> str:
    written = [(_key(name), _json(w, value, inner, node, depth)) for name, value, inner in held]
    if _WITH_NULLS in node.expressions:
        keys = [f"{',' if place else '{'}{key}" for place, (key, _) in enumerate(written)]
        parts = [f"{text(key)}, coalesce({value}, 'null')" for key, (_, value) in zip(keys, written, strict=True)]
        return f"concat({', '.join(parts)}, '}}')"
    listed = ", ".join(f"{text(key)} || {value}" for key, value in written)
    return f"'{{' || {_joined(f'list_filter([{listed}], lambda ll_e: ll_e IS NOT NULL)')} || '}}'"


def _key(name: str) -> str:
    return f"{json.dumps(name, ensure_ascii=False)}:"


def _joined(listed: str) -> str:
    return f"array_to_string({listed}, ',')"


def value_at(w: Writer, node: exp.Anonymous) -> str:
    """GET_JSON_OBJECT at a path that was written out: names and places, without wildcards."""
    path = constant(node.expressions[1])
    steps = _steps(path) if path is not None else None
    if steps is None:
        w.refuse(node, "the path is not written out, or has more than names and places", "Write a path like $.a.b[0].")
    listed = text(json.dumps(steps, ensure_ascii=False))
    document = w.as_(node.expressions[0], "string")
    if any('"' in step for step in steps if isinstance(step, str)):
        return f"ll_json_at({document}, {listed})"
    path = "$" + "".join(f"[{step}]" if isinstance(step, int) else f'."{step}"' for step in steps)
    return f"ll_json({document}, {text(path)}, {listed})"


def _steps(path: str) -> list[str | int] | None:
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    position = 1
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            return None
        name, quoted_name, place = match.groups()
        steps.append(int(place) if place is not None else name or quoted_name)
        position = match.end()
    return steps


def from_json(w: Writer, node: exp.Anonymous) -> str:
    """FROM_JSON by a schema that was written out; parts that do not fit are lost as Spark loses them."""
    document, schema, *options = node.expressions
    broken = _corrupt_column(options)
    data_type = kind(node)
    if broken is None or constant(schema) is None or not is_known(data_type):
        w.refuse(node, "the schema is not written out, or options are given")
    allowed = _is_convertible(data_type) if broken else _is_flat(data_type)
    if not allowed:
        w.refuse(node, f"a document as {type_name(data_type)} is not portable", "Use get_json_object for its parts.")
    named_type = text(type_name(data_type))
    converted = f"ll_from_json({w.as_(document, 'string')}, {named_type}, {text(broken)})"
    return f"CAST(CAST({converted} AS JSON) AS {duckdb_type(data_type)})"


def _corrupt_column(options: list[exp.Expr]) -> str | None:
    """The member that takes what can't be read: empty if none is named, None for any other option."""
    if not options:
        return ""
    given = [constant(part) for part in options[0].expressions] if isinstance(options[0], exp.Anonymous) else []
    return given[1] if len(given) == 2 and given[0] == "columnNameOfCorruptRecord" else None


def _is_convertible(data_type: exp.DataType) -> bool:
    nested_types = (_Type.ARRAY, _Type.STRUCT, _Type.MAP)
    return all(part.this in (*SCALARS, *nested_types) for part in data_type.find_all(exp.DataType))


def _is_flat(data_type: exp.DataType) -> bool:
    """Whether a part that does not fit can only be lost as a whole."""
    inner = [part for _, part in members(data_type)] or [element(data_type)]
    return not is_map(data_type) and all(part.this in SCALARS for part in inner)


CALLS: dict[str, str | CallRendering] = {
    "to_json": to_json,
    "get_json_object": value_at,
    "from_json": from_json,
    "json_object_keys": "ll_json_names({0:string})",
    "json_array_length": "ll_json_length({0:string})",
}
