"""JSON documents: values as JSON text."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.duckdb.types import quoted, text
from lakelogic.sql.duckdb.writer import CallRendering, Writer, kind
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
_WITH_NULLS = exp.Anonymous(
    this="MAP", expressions=[exp.Literal.string("ignoreNullFields"), exp.Literal.string("false")]
)
_SCALARS = {
    _Type.BOOLEAN: "CAST({} AS VARCHAR)",
    _Type.DOUBLE: "ll_json_number({0}, ll_double_text({0}))",
    _Type.FLOAT: "ll_json_number({0}, ll_float_text({0}))",
    _Type.DATE: "'\"' || ll_date_text({}) || '\"'",
    _Type.TIMESTAMPTZ: "strftime(CAST({} AS TIMESTAMP), '\"%Y-%m-%dT%H:%M:%S.%gZ\"')",
    _Type.TIMESTAMPNTZ: "strftime({}, '\"%Y-%m-%dT%H:%M:%S.%g\"')",
    _Type.BINARY: "'\"' || to_base64({}) || '\"'",
}


def to_json(w: Writer, node: exp.Anonymous) -> str:
    """Compact JSON as Spark writes it: members of structs that are NULL are left out, unless an option keeps them."""
    value, *options = node.expressions
    if options not in ([], [_WITH_NULLS]) or not is_known(kind(value)):
        w.refuse(node, "to_json with other options, or of an unknown type, is not portable")
    return _json(w, w.sql(value), kind(value), node, 0)


def _json(w: Writer, value: str, data_type: exp.DataType, node: exp.Expr, depth: int) -> str:
    """The JSON of a value, or NULL for NULL."""
    if is_string(data_type):
        return f"CAST(to_json({value}) AS VARCHAR)"
    if is_integer(data_type) or (is_decimal(data_type) and digits_of(data_type)[1] <= 6):
        return f"CAST({value} AS VARCHAR)"
    if data_type.this in _SCALARS:
        return _SCALARS[data_type.this].format(value)
    item = f"e{depth}_"
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
    parts, with_nulls = [], _WITH_NULLS in node.expressions
    for name, inner in members(data_type):
        written = _json(w, f"({value}).{quoted(name)}", inner, node, depth)
        kept = f"coalesce({written}, 'null')" if with_nulls else written
        parts.append(f"{text(_key(name))} || {kept}")
    every = f"[{', '.join(parts)}]"
    listed = every if with_nulls else f"list_filter({every}, lambda e_: e_ IS NOT NULL)"
    return f"CASE WHEN {value} IS NOT NULL THEN '{{' || {_joined(listed)} || '}}' END"


def _key(name: str) -> str:
    import json

    return f"{json.dumps(name, ensure_ascii=False)}:"


def _joined(listed: str) -> str:
    return f"array_to_string({listed}, ',')"


CALLS: dict[str, str | CallRendering] = {"to_json": to_json}
