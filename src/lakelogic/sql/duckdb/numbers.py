"""Arithmetic and functions of numbers."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.duckdb.types import duckdb_type
from lakelogic.sql.duckdb.writer import CallRendering, NodeRendering, Writer, kind, whole
from lakelogic.sql.types import is_unknown, type_name
from lakelogic.sql.typing.lattice import MAX_DIGITS, decimal, digits_of, is_decimal, is_fraction, is_integer, is_numeric
from lakelogic.sql.typing.operands import operand_types

_Type = exp.DType
_BEYOND_64_BITS = 19
_OPERATORS = {"try_add": "+", "try_subtract": "-", "try_multiply": "*"}
# Wide enough that no sum or product of two values can overflow.
_WIDER = {_Type.TINYINT: "INTEGER", _Type.SMALLINT: "INTEGER", _Type.INT: "BIGINT", _Type.BIGINT: "HUGEINT"}
_LOWEST = {_Type.TINYINT: -(2**7), _Type.SMALLINT: -(2**15), _Type.INT: -(2**31), _Type.BIGINT: -(2**63)}


def arithmetic(w: Writer, node: exp.Anonymous) -> str:
    """Addition, subtraction and multiplication; what does not fit its type is NULL."""
    operator = _OPERATORS[node.name.lower()]
    left, right = _operands(w, node)
    result = kind(node)
    if is_integer(result):
        wide = _WIDER[result.this]
        sides = f"CAST({w.sql(left)} AS {wide}) {operator} CAST({w.sql(right)} AS {wide})"
        return f"TRY_CAST({sides} AS {duckdb_type(result)})"
    if is_fraction(result):
        return f"({w.as_(left, result)} {operator} {w.as_(right, result)})"
    return _decimal_arithmetic(w, node, left, right, operator)


def _operands(w: Writer, node: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    left, right = (node.expressions if isinstance(node, exp.Anonymous) else (node.this, node.expression))[:2]
    for side in (left, right):
        if is_unknown(kind(side)):
            w.refuse(side, "its type is not known", "Declare the column's type in the model, or cast it.")
        if not is_numeric(kind(side)):
            name = type_name(kind(side))
            w.refuse(side, f"a {name} is no number", "Cast it to a number.")
    return left, right


def _digits(left: exp.Expr, right: exp.Expr) -> list[tuple[int, int]]:
    return [digits_of(found) for found in operand_types(left, right)]


def _decimal_arithmetic(w: Writer, node: exp.Expr, left: exp.Expr, right: exp.Expr, operator: str) -> str:
    (p1, s1), (p2, s2) = _digits(left, right)
    exact = p1 + p2 + 1 if operator == "*" else max(p1 - s1, p2 - s2) + max(s1, s2) + 1
    if exact > MAX_DIGITS:
        _refuse_wide(w, node)
    if operator == "*":
        # DuckDB multiplies narrow decimals in 64 bits, and raises.
        sides = [w.as_(left, decimal(max(p1, _BEYOND_64_BITS), s1)), w.as_(right, decimal(p2, s2))]
    else:
        sides = [w.as_(side, kind(node)) for side in (left, right)]
    return f"CAST({sides[0]} {operator} {sides[1]} AS {duckdb_type(kind(node))})"


def _refuse_wide(w: Writer, node: exp.Expr) -> None:
    w.refuse(node, "decimals of this width need more than 38 digits", "Cast them to smaller decimals or to double.")


def divide(w: Writer, node: exp.Anonymous) -> str:
    left, right = _operands(w, node)
    if not is_decimal(kind(node)):
        return f"({w.as_(left, 'double')} / nullif({w.as_(right, 'double')}, 0))"
    return decimal_quotient(w, node, left, right)


def decimal_quotient(w: Writer, node: exp.Expr, left: exp.Expr, right: exp.Expr) -> str:
    """Long division of the digits, rounded half up: DuckDB itself divides decimals as doubles."""
    (p1, s1), (p2, s2) = _digits(left, right)
    _, scale = digits_of(kind(node))
    shift = scale - s1 + s2
    if p1 + shift > MAX_DIGITS or shift < 0:
        _refuse_wide(w, node)
    sides = [w.as_(side, decimal(p, s)) for side, p, s in ((left, p1, s1), (right, p2, s2))]
    quotient = f"ll_quotient(ll_digits({sides[0]}) * {10**shift}::HUGEINT, ll_digits({sides[1]}))"
    return f"TRY_CAST(ll_scaled({quotient}, {scale}) AS {duckdb_type(kind(node))})"


def remainder(w: Writer, node: exp.Anonymous) -> str:
    """The remainder with the sign of the dividend; NULL for zero."""
    left, right = _operands(w, node)
    result = kind(node)
    if is_integer(result):
        wide = _WIDER[result.this]
        sides = f"CAST({w.sql(left)} AS {wide}) % nullif(CAST({w.sql(right)} AS {wide}), 0)"
        return f"CAST({sides} AS {duckdb_type(result)})"
    if is_fraction(result):
        return f"ll_fmod({w.as_(left, result)}, {w.as_(right, result)})"
    (p1, s1), (p2, s2) = _digits(left, right)
    scale, digits = max(s1, s2), max(p1 - s1, p2 - s2) + max(s1, s2)
    if digits > MAX_DIGITS:
        _refuse_wide(w, node)
    dividend, divisor = (w.as_(side, decimal(digits, scale)) for side in (left, right))
    return f"CAST({dividend} % nullif({divisor}, 0) AS {duckdb_type(result)})"


def positive_remainder(w: Writer, node: exp.Anonymous) -> str:
    left, right = _operands(w, node)
    result = kind(node)
    if not is_integer(result):
        w.refuse(node, "pmod of numbers that are not whole is not portable")
    wide = _WIDER[result.this]
    call = f"ll_pmod(CAST({w.sql(left)} AS {wide}), CAST({w.sql(right)} AS {wide}), {-_LOWEST[result.this]}::{wide})"
    return f"CAST({call} AS {duckdb_type(result)})"


def whole_quotient(w: Writer, node: exp.Expr) -> str:
    left, right = _operands(w, node)
    if not (is_integer(kind(left)) and is_integer(kind(right))):
        w.refuse(node, "div of numbers that are not whole is not portable", "Cast them to bigint.")
    return f"ll_div({w.as_(left, 'bigint')}, {w.as_(right, 'bigint')})"


def operator(name: str) -> NodeRendering:
    """An operator that stayed one, since its operands are no integers."""
    rendering = {"try_divide": divide, "try_mod": remainder}.get(name, arithmetic)

    def render(w: Writer, node: exp.Expr) -> str:
        call = exp.Anonymous(this=name, expressions=[node.this, node.expression])
        call.type = kind(node)
        return rendering(w, call)

    return render


def negated(w: Writer, node: exp.Expr) -> str:
    if isinstance(node.this, exp.Literal):
        return (
            f"(-{w.sql(node.this)})"
            if not is_decimal(kind(node))
            else f"CAST(-{node.this.name} AS {duckdb_type(kind(node))})"
        )
    if not is_numeric(kind(node.this)):
        w.refuse(node, "the type of what is negated is not known")
    if is_integer(kind(node)):
        lowest = _LOWEST[kind(node).this]
        return f"(-nullif({w.sql(node.this)}, {lowest}))"
    return f"(-{w.sql(node.this)})"


def absolute(w: Writer, node: exp.Anonymous) -> str:
    """The lowest integer has no counterpart, and stays as it is in Spark."""
    value = node.expressions[0]
    if is_integer(kind(value)):
        return f"ll_abs({w.sql(value)}, CAST({_LOWEST[kind(value).this]} AS {duckdb_type(kind(value))}))"
    if not is_numeric(kind(value)):
        w.refuse(node, "abs of what is no number is not portable", "Cast it to a number.")
    return f"abs({w.sql(value)})"


def rounded(w: Writer, node: exp.Anonymous) -> str:
    """Half up on the decimal digits that are printed, as Spark does it, not on the binary fraction."""
    value, result = node.expressions[0], kind(node)
    places = whole(node.expressions[1]) if len(node.expressions) > 1 else 0
    if places is None:
        w.refuse(node, "the number of places is not written out", "Write it as a number.")
    if is_decimal(result):
        if places < 0:
            w.refuse(node, "rounding before the decimal point is not portable")
        return f"TRY_CAST({w.sql(value)} AS {duckdb_type(result)})"
    if is_integer(result):
        if places >= 0:
            return w.sql(value)
        w.refuse(node, "rounding whole numbers is not portable")
    if not is_fraction(result) or not 0 <= places <= 15:
        w.refuse(node, "this rounding is not portable", "Cast the value to a decimal.")
    digits = f"TRY_CAST(CAST({w.sql(value)} AS VARCHAR) AS DECIMAL(38,{places}))"
    if result.this == _Type.FLOAT:
        return f"ll_round_float({w.sql(value)}, {digits})"
    return f"ll_round_double({w.sql(value)}, {10**places}::DOUBLE, {digits})"


def stepped(function: str) -> CallRendering:
    """CEIL and FLOOR."""

    def render(w: Writer, node: exp.Anonymous) -> str:
        value = node.expressions[0]
        if len(node.expressions) > 1 or not is_numeric(kind(value)):
            w.refuse(node, f"this form of {function} is not portable", "Cast to a decimal and round.")
        if is_integer(kind(value)):
            return w.as_(value, "bigint")
        if is_decimal(kind(value)):
            return f"CAST({function}({w.sql(value)}) AS {duckdb_type(kind(node))})"
        return f"ll_saturated({function}({w.as_(value, 'double')}))"

    return render


def bitwise(symbol: str, function: str) -> NodeRendering:
    def render(w: Writer, node: exp.Expr) -> str:
        sides = [w.as_(side, kind(node)) for side in (node.this, node.expression)]
        if not is_integer(kind(node)):
            w.refuse(node, f"{symbol} needs whole numbers")
        return f"{function}({sides[0]}, {sides[1]})" if function else f"({sides[0]} {symbol} {sides[1]})"

    return render


def logarithm(function: str) -> str:
    """A logarithm of nothing or less is NULL."""
    return f"{function}(CASE WHEN {{0:double}} > 0 THEN {{0:double}} WHEN isnan({{0:double}}) THEN {{0:double}} END)"


NODES: dict[type[exp.Expr], NodeRendering] = {
    exp.Add: operator("try_add"),
    exp.Sub: operator("try_subtract"),
    exp.Mul: operator("try_multiply"),
    exp.Div: operator("try_divide"),
    exp.Mod: operator("try_mod"),
    exp.IntDiv: whole_quotient,
    exp.Neg: negated,
    exp.BitwiseAnd: bitwise("&", ""),
    exp.BitwiseOr: bitwise("|", ""),
    exp.BitwiseXor: bitwise("^", "xor"),
    exp.BitwiseNot: lambda w, node: f"(~{w.sql(node.this)})",
}
_DOUBLES = "acos asin atan cos cosh sin sinh tan tanh exp degrees radians cbrt asinh"
CALLS: dict[str, str | CallRendering] = {
    "try_add": arithmetic,
    "try_subtract": arithmetic,
    "try_multiply": arithmetic,
    "try_divide": divide,
    "try_mod": remainder,
    "mod": remainder,
    "pmod": positive_remainder,
    "div": whole_quotient,
    "abs": absolute,
    "round": rounded,
    "ceil": stepped("ceil"),
    "ceiling": stepped("ceil"),
    "floor": stepped("floor"),
    "sign": "CAST(ll_sign({0:double}) AS DOUBLE)",
    "signum": "CAST(ll_sign({0:double}) AS DOUBLE)",
    "sqrt": "ll_sqrt({0:double})",
    "ln": logarithm("ln"),
    "log10": logarithm("log10"),
    "log2": logarithm("log2"),
    "log/1": logarithm("ln"),
    "log/2": "ll_log({0:double}, {1:double})",
    "pow": "pow({0:double}, {1:double})",
    "power": "pow({0:double}, {1:double})",
    "isnan": "coalesce(isnan({0:double}), false)",
    "nanvl": "CASE WHEN isnan({0:double}) THEN {1:double} ELSE {0:double} END",
    "positive": "{0}",
    "atan2": "atan2({0:double}, {1:double})",
    "pi": "pi()",
    "e": "CAST(2.718281828459045 AS DOUBLE)",
    **{name: f"{name}({{0:double}})" for name in _DOUBLES.split()},
}
