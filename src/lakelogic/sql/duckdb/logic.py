"""Values, conditions and comparisons."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.duckdb.types import duckdb_type, quoted, text
from lakelogic.sql.duckdb.writer import CallRendering, NodeRendering, Writer, constant, kind
from lakelogic.sql.types import is_nested, is_unknown, type_name
from lakelogic.sql.typing.lattice import NULL, common, is_array, is_decimal, is_map, is_struct, normal

_Type = exp.DType


def literal(_: Writer, node: exp.Expr) -> str:
    if node.is_string:
        return text(node.name)
    # DuckDB reads 1.5 as a decimal and 1e3 as a double, as Spark does; widths are said openly.
    return f"CAST({node.name} AS {duckdb_type(kind(node))})" if is_decimal(kind(node)) else node.name


def column(_: Writer, node: exp.Expr) -> str:
    parts = (node.args.get(key) for key in ("catalog", "db", "table", "this"))
    return ".".join(quoted(part.name) for part in parts if part is not None)


def dot(w: Writer, node: exp.Expr) -> str:
    held, name = kind(node.this), node.expression.name
    if is_array(held):
        return f"list_transform({w.sql(node.this)}, lambda ll_e: ll_e.{quoted(name)})"
    if not is_struct(held):
        w.refuse(node, f"{name} is no member that is known")
    return f"({w.sql(node.this)}).{quoted(name)}"


def _joined(word: str) -> NodeRendering:
    return lambda w, node: f"{w.sql(node.this)} {word} {w.sql(node.expression)}"


def compared(operator: str) -> NodeRendering:
    """A comparison of values that were made alike."""
    is_ordering = operator[0] in "<>" and operator != "<>"

    def render(w: Writer, node: exp.Expr) -> str:
        if is_ordering and is_nested(kind(node.this)):
            w.refuse(node, "the order of lists and structs is not portable")
        left, right = alike(w, node, [node.this, node.expression])
        return f"({left} {operator} {right})"

    return render


def alike(w: Writer, node: exp.Expr, values: list[exp.Expr]) -> list[str]:
    """The values as their common type, which must be one that can be compared."""
    kinds = [kind(value) for value in values]
    wanted = common(kinds)
    if any(is_unknown(found) for found in kinds):
        unknown = next(value for value in values if is_unknown(kind(value)))
        w.refuse(unknown, "its type is not known", "Declare the column's type in the model, or cast it.")
    if is_unknown(wanted) or any(is_map(part) for part in wanted.find_all(exp.DataType)):
        names = " and ".join(type_name(found) for found in kinds[:2])
        w.refuse(node, f"{names} can't be compared alike", "Cast one of them.")
    return [w.as_(value, wanted) for value in values]


def between(w: Writer, node: exp.Expr) -> str:
    value, low, high = alike(w, node, [node.this, node.args["low"], node.args["high"]])
    return f"({value} BETWEEN {low} AND {high})"


def in_(w: Writer, node: exp.Expr) -> str:
    query = node.args.get("query")
    if query is not None:
        if kind(query) != kind(node.this) or is_unknown(kind(query)):
            w.refuse(node, "the types on both sides of IN are not the same", "Cast one side.")
        inner = query.this if isinstance(query, exp.Subquery) else query
        return f"({w.sql(node.this)} IN ({w.sql(inner)}))"
    value, *listed = alike(w, node, [node.this, *node.expressions])
    return f"({value} IN ({', '.join(listed)}))"


def is_(w: Writer, node: exp.Expr) -> str:
    return f"({w.sql(node.this)} IS {w.sql(node.expression)})"


def like(w: Writer, node: exp.Expr) -> str:
    """LIKE; the pattern must be written out, since Spark raises for a stray escape in it."""
    pattern, escape = node.expression, "\\"
    subject = node.this
    parent = node.parent
    if isinstance(parent, exp.Escape):
        escape = constant(parent.expression) or ""
    written = constant(pattern)
    if written is None or len(escape) != 1:
        w.refuse(node, "the pattern of LIKE is not written out", "Write the pattern as text.")
    if not _escapes_well(written, escape):
        w.refuse(node, f"the pattern escapes a character other than %, _ and {escape}")
    value = w.as_(subject, "string")
    if isinstance(node, exp.ILike):
        value, written = f"ll_lower({value})", written.lower()
    negation = "NOT " if node.args.get("negate") else ""
    # Without ESCAPE, DuckDB looks for the parts between the wildcards.
    escaping = f" ESCAPE {text(escape)}" if escape in written else ""
    return f"({value} {negation}LIKE {text(written)}{escaping})"


def _escapes_well(pattern: str, escape: str) -> bool:
    position = 0
    while position < len(pattern):
        if pattern[position] == escape:
            if pattern[position + 1 : position + 2] not in {"%", "_", escape}:
                return False
            position += 1
        position += 1
    return True


def case(w: Writer, node: exp.Expr) -> str:
    subject = node.this
    parts = ["CASE"]
    for branch in node.args["ifs"]:
        if subject is not None:
            left, right = alike(w, node, [subject, branch.this])
            condition = f"{left} = {right}"
        else:
            condition = w.as_(branch.this, "boolean")
        parts.append(f"WHEN {condition} THEN {w.as_(branch.args['true'], kind(node))}")
    if default := node.args.get("default"):
        parts.append(f"ELSE {w.as_(default, kind(node))}")
    return " ".join([*parts, "END"])


def if_(w: Writer, node: exp.Expr) -> str:
    condition, true = w.as_(node.this, "boolean"), w.as_(node.args["true"], kind(node))
    false = node.args.get("false")
    end = f" ELSE {w.as_(false, kind(node))}" if false is not None and not isinstance(false, exp.Null) else ""
    return f"CASE WHEN {condition} THEN {true}{end} END"


def nullif(w: Writer, node: exp.Anonymous) -> str:
    left, right = alike(w, node, node.expressions)
    return f"CASE WHEN {left} = {right} THEN NULL ELSE {w.sql(node.expressions[0])} END"


def equal_null(w: Writer, node: exp.Anonymous) -> str:
    left, right = alike(w, node, node.expressions)
    return f"({left} IS NOT DISTINCT FROM {right})"


def extreme(function: str) -> CallRendering:
    """GREATEST and LEAST pass over NULL in both engines."""

    def render(w: Writer, node: exp.Anonymous) -> str:
        if kind(node).this in {_Type.UNKNOWN, NULL.this} or is_array(kind(node)) or is_struct(kind(node)):
            w.refuse(node, f"{function.lower()} of these types is not portable")
        return f"{function}({', '.join(w.as_(value, kind(node)) for value in node.expressions)})"

    return render


def coalesced(w: Writer, node: exp.Anonymous) -> str:
    if is_unknown(kind(node)):
        w.refuse(node, "its arguments have no common type", "Cast them to one type.")
    return f"coalesce({', '.join(w.as_(value, kind(node)) for value in node.expressions)})"


def hex_string(_: Writer, node: exp.Expr) -> str:
    digits = node.name
    return f"unhex('{digits if len(digits) % 2 == 0 else '0' + digits}')"


def typeof(w: Writer, node: exp.Anonymous) -> str:
    if is_unknown(kind(node.expressions[0])):
        w.refuse(node, "its type is not known")
    return text(type_name(normal(kind(node.expressions[0]))).replace("`", ""))


NODES: dict[type[exp.Expr], NodeRendering] = {
    exp.Literal: literal,
    exp.Null: lambda *_: "NULL",
    exp.Boolean: lambda _, node: "true" if node.this else "false",
    exp.Column: column,
    exp.Identifier: lambda w, node: w.variables.get(node.name.lower(), quoted(node.name)),
    exp.Dot: dot,
    exp.Paren: lambda w, node: f"({w.sql(node.this)})",
    exp.Alias: lambda w, node: f"{w.sql(node.this)} AS {quoted(node.alias)}",
    exp.And: _joined("AND"),
    exp.Or: _joined("OR"),
    exp.Not: lambda w, node: f"(NOT {w.as_(node.this, 'boolean')})",
    exp.EQ: compared("="),
    exp.NEQ: compared("<>"),
    exp.GT: compared(">"),
    exp.GTE: compared(">="),
    exp.LT: compared("<"),
    exp.LTE: compared("<="),
    exp.NullSafeEQ: compared("IS NOT DISTINCT FROM"),
    exp.NullSafeNEQ: compared("IS DISTINCT FROM"),
    exp.Is: is_,
    exp.Between: between,
    exp.In: in_,
    exp.Like: like,
    exp.ILike: like,
    exp.Escape: lambda w, node: w.sql(node.this),
    exp.Case: case,
    exp.If: if_,
    exp.HexString: hex_string,
}
CALLS: dict[str, str | CallRendering] = {
    "coalesce": coalesced,
    "nvl": coalesced,
    "ifnull": coalesced,
    "nvl2": "CASE WHEN {0} IS NOT NULL THEN {1:result} ELSE {2:result} END",
    "nullif": nullif,
    "nullifzero": "nullif({0}, 0)",
    "zeroifnull": "coalesce({0:result}, 0)",
    "isnull": "({0} IS NULL)",
    "isnotnull": "({0} IS NOT NULL)",
    "equal_null": equal_null,
    "greatest": extreme("greatest"),
    "least": extreme("least"),
    "typeof": typeof,
}
