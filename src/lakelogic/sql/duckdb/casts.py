"""Conversions between types: TRY_CAST as it was written, and those that Spark makes by itself."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.duckdb.types import duckdb_type, quoted
from lakelogic.sql.duckdb.writer import NodeRendering, Writer, kind
from lakelogic.sql.render import NOW, TODAY
from lakelogic.sql.types import type_name
from lakelogic.sql.typing.lattice import (
    INTEGERS,
    NULL,
    NUMBERS,
    digits_of,
    element,
    is_array,
    is_known,
    is_map,
    is_struct,
    map_parts,
    members,
    normal,
)

_Type = exp.DType
_TEXT, _BOOLEAN, _BINARY, _DECIMAL = _Type.TEXT, _Type.BOOLEAN, _Type.BINARY, _Type.DECIMAL
_FLOAT, _DOUBLE = _Type.FLOAT, _Type.DOUBLE
_DATE, _MOMENT, _LOCAL = _Type.DATE, _Type.TIMESTAMPTZ, _Type.TIMESTAMPNTZ
_SCIENTIFIC_SCALE = 6
_MARKS = (NOW, TODAY)

# {v} is the value, {t} the type that is wanted.
_PAIRS: dict[tuple[exp.DType, exp.DType], str] = {
    **{(_TEXT, number): f"ll_{number.value.lower()}({{v}})" for number in (*INTEGERS, _FLOAT, _DOUBLE)},
    (_TEXT, _DECIMAL): "TRY_CAST(ll_decimal_text({v}) AS {t})",
    (_TEXT, _BOOLEAN): "ll_boolean({v})",
    (_TEXT, _DATE): "ll_date({v})",
    (_TEXT, _MOMENT): "ll_timestamp({v})",
    (_TEXT, _LOCAL): "ll_timestamp_ntz({v})",
    (_TEXT, _BINARY): "encode({v})",
    **{(number, _TEXT): "CAST({v} AS VARCHAR)" for number in INTEGERS},
    (_FLOAT, _TEXT): "ll_fraction_text({v})",
    (_DOUBLE, _TEXT): "ll_fraction_text({v})",
    (_DECIMAL, _TEXT): "CAST({v} AS VARCHAR)",
    (_BOOLEAN, _TEXT): "CAST({v} AS VARCHAR)",
    (_DATE, _TEXT): "ll_date_text({v})",
    (_MOMENT, _TEXT): "ll_timestamp_text(ll_local({v}))",
    (_LOCAL, _TEXT): "ll_timestamp_text({v})",
    **{(a, b): "TRY_CAST({v} AS {t})" for a in INTEGERS for b in (*INTEGERS, _FLOAT, _DOUBLE, _DECIMAL)},
    **{(number, _BOOLEAN): "({v} <> 0)" for number in NUMBERS},
    **{(_BOOLEAN, number): "CAST({v} AS {t})" for number in NUMBERS - {_DECIMAL}},
    (_BOOLEAN, _DECIMAL): "TRY_CAST(CAST({v} AS INTEGER) AS {t})",
    **{(a, b): "TRY_CAST(trunc({v}) AS {t})" for a in (_FLOAT, _DOUBLE, _DECIMAL) for b in INTEGERS},
    (_FLOAT, _Type.BIGINT): "ll_bigint_of({v})",
    (_DOUBLE, _Type.BIGINT): "ll_bigint_of({v})",
    (_FLOAT, _DOUBLE): "CAST({v} AS DOUBLE)",
    (_DOUBLE, _FLOAT): "ll_float_of({v})",
    (_FLOAT, _DECIMAL): "TRY_CAST(CAST({v} AS VARCHAR) AS {t})",
    (_DOUBLE, _DECIMAL): "TRY_CAST(CAST({v} AS VARCHAR) AS {t})",
    (_DECIMAL, _FLOAT): "CAST(CAST({v} AS VARCHAR) AS FLOAT)",
    (_DECIMAL, _DOUBLE): "CAST(CAST({v} AS VARCHAR) AS DOUBLE)",
    (_DECIMAL, _DECIMAL): "TRY_CAST({v} AS {t})",
    (_DATE, _MOMENT): "CAST({v} AS TIMESTAMPTZ)",
    (_DATE, _LOCAL): "CAST({v} AS TIMESTAMP)",
    (_MOMENT, _DATE): "CAST({v} AS DATE)",
    (_LOCAL, _DATE): "CAST({v} AS DATE)",
    (_MOMENT, _LOCAL): "ll_local({v})",
    (_LOCAL, _MOMENT): "CAST({v} AS TIMESTAMPTZ)",
    **{(number, _MOMENT): "ll_timestamp_of_seconds({v})" for number in INTEGERS},
    (_DOUBLE, _MOMENT): "ll_timestamp_of_double({v})",
    **{(_MOMENT, number): "TRY_CAST(ll_epoch_seconds({v}) AS {t})" for number in INTEGERS},
    (_MOMENT, _DOUBLE): "(epoch_us({v}) / 1000000.0::DOUBLE)",
}
# What Spark converts by itself where a function or comparison asks for it; text to numbers must be written.
_WIDENING = {
    *((a, b) for a in (*INTEGERS, _FLOAT, _DECIMAL) for b in (_FLOAT, _DOUBLE, _DECIMAL)),
    *((a, b) for i, a in enumerate(INTEGERS) for b in INTEGERS[i:]),
    *((a, _TEXT) for a in (*INTEGERS, _FLOAT, _DOUBLE, _DECIMAL, _BOOLEAN, _DATE, _MOMENT, _LOCAL)),
    (_TEXT, _DATE), (_TEXT, _MOMENT), (_TEXT, _BINARY), (_DATE, _MOMENT), (_DATE, _LOCAL), (_MOMENT, _DATE),
    (_LOCAL, _DATE), (_LOCAL, _MOMENT), (_BINARY, _TEXT),
}  # fmt: skip


def explicit(w: Writer, value: str, source: exp.DataType, target: exp.DataType, node: exp.Expr) -> str:
    """A TRY_CAST: NULL where the value can't be converted."""
    if source == target:
        return value
    if source.this == NULL.this:
        return f"CAST(NULL AS {duckdb_type(target)})"
    if not is_known(source):
        w.refuse(node, f"the type of what is cast to {type_name(target)} is not known")
    if template := _PAIRS.get((source.this, target.this)):
        return template.format(v=value, t=duckdb_type(target))
    nested = _nested(w, value, source, target, node)
    if nested is None:
        w.refuse(node, f"a cast from {type_name(source)} to {type_name(target)} is not portable")
    return nested


def implicit(w: Writer, value: str, source: exp.DataType, target: exp.DataType, node: exp.Expr) -> str:
    """A conversion that nobody wrote."""
    pair = source.this, target.this
    if pair == (_DECIMAL, _TEXT) and digits_of(source)[1] > _SCIENTIFIC_SCALE:
        w.refuse(node, "a decimal of this scale may become text like 1E-7 here", "Cast it to string.")
    if pair not in _WIDENING and not (is_array(source) or is_struct(source) or is_map(source)):
        w.refuse(
            node,
            f"a {type_name(source)} stands where a {type_name(target)} is wanted",
            f"Cast it to {type_name(target)}.",
        )
    return explicit(w, value, source, target, node)


def _nested(w: Writer, value: str, source: exp.DataType, target: exp.DataType, node: exp.Expr) -> str | None:
    if is_array(source) and is_array(target):
        item = explicit(w, "ll_e", element(source), element(target), node)
        return f"list_transform({value}, lambda ll_e: {item})" if item != "ll_e" else value
    if is_map(source) and is_map(target):
        (key, held), (wanted_key, wanted) = map_parts(source), map_parts(target)
        if key != wanted_key:
            return None
        item = explicit(w, "ll_e.value", held, wanted, node)
        pair = f"struct_pack(key := ll_e.key, value := {item})"
        return f"map_from_entries(list_transform(map_entries({value}), lambda ll_e: {pair}))"
    if is_struct(source) and is_struct(target) and len(members(source)) == len(members(target)):
        pairs = zip(members(source), members(target), strict=True)
        parts = [
            f"{quoted(new)} := {explicit(w, f'({value}).{quoted(old)}', found, wanted, node)}"
            for (old, found), (new, wanted) in pairs
        ]
        return f"CASE WHEN {value} IS NOT NULL THEN struct_pack({', '.join(parts)}) END"
    return None


def cast(w: Writer, node: exp.Expr) -> str:
    """A cast node."""
    if isinstance(node.this, exp.Literal) and node.this.name in _MARKS:
        # A run puts a value of one form there, which is read without looking for any other; without a run it is NULL.
        return f"TRY_CAST({w.sql(node.this)} AS {duckdb_type(normal(node.args['to']))})"
    return explicit(w, w.sql(node.this), kind(node.this), normal(node.args["to"]), node)


NODES: dict[type[exp.Expr], NodeRendering] = {exp.Cast: cast, exp.TryCast: cast}
