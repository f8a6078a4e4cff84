"""Aggregates; the same functions stand over windows."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.duckdb.types import duckdb_type
from lakelogic.sql.duckdb.writer import CallRendering, NodeRendering, Writer, kind
from lakelogic.sql.types import is_unknown
from lakelogic.sql.typing.lattice import MAX_DIGITS, digits_of, is_decimal, is_fraction, is_integer, is_numeric

_Type = exp.DType


def over_rows(function: str, argument: str, w: Writer, node: exp.Expr, condition: str | None = None) -> str:
    """An aggregate with its FILTER and OVER, inside which a cast of its result can't stand."""
    conditions = [condition] if condition else []
    parent = node.parent
    if isinstance(parent, exp.Filter) and parent.this is node:
        conditions.append(f"({w.sql(parent.expression.this)})")
        node, parent = parent, parent.parent
    while isinstance(parent, (exp.IgnoreNulls, exp.RespectNulls)):
        node, parent = parent, parent.parent
    text = f"{function}({argument})"
    if conditions:
        text += f" FILTER (WHERE {' AND '.join(conditions)})"
    if isinstance(parent, exp.Window) and parent.this is node:
        from lakelogic.sql.duckdb.windows import over

        text += over(w, parent)
    return text


def plain(template: str, result: str = "{}") -> CallRendering:
    """An aggregate of one argument: `function(type)`, and what is made of its result."""
    function, _, wanted = template.partition(":")

    def render(w: Writer, node: exp.Anonymous) -> str:
        value = node.expressions[0]
        distinct = "DISTINCT " if isinstance(value, exp.Distinct) else ""
        inner = value.expressions[0] if isinstance(value, exp.Distinct) else value
        argument = w.as_(inner, wanted) if wanted else w.sql(inner)
        return result.format(over_rows(function, distinct + argument, w, node))

    return render


def count(w: Writer, node: exp.Anonymous) -> str:
    """Rows in which every argument has a value; DISTINCT of several counts their combinations."""
    if not node.expressions:
        w.refuse(node, "count without an argument is not portable", "Write count(*).")
    value = node.expressions[0]
    if isinstance(value, exp.Star):
        return over_rows("count", "*", w, node)
    distinct = isinstance(value, exp.Distinct)
    values = value.expressions if distinct else node.expressions
    if distinct and any(is_fraction(part) for item in values for part in kind(item).find_all(exp.DataType)):
        values_text = [f"({w.sql(item)} + 0)" if is_fraction(kind(item)) else w.sql(item) for item in values]
    else:
        values_text = [w.sql(item) for item in values]
    if len(values) == 1:
        return over_rows("count", f"{'DISTINCT ' if distinct else ''}{values_text[0]}", w, node)
    there = " AND ".join(f"{item} IS NOT NULL" for item in values_text)
    what = f"DISTINCT row({', '.join(values_text)})" if distinct else "*"
    return over_rows("count", what, w, node, there)


def count_if(w: Writer, node: exp.Anonymous) -> str:
    return over_rows("count", "*", w, node, f"({w.as_(node.expressions[0], 'boolean')})")


def _value(node: exp.Anonymous) -> tuple[exp.Expr, str]:
    value = node.expressions[0]
    if isinstance(value, exp.Distinct):
        return value.expressions[0], "DISTINCT "
    return value, ""


def total(w: Writer, node: exp.Anonymous) -> str:
    """SUM: whole numbers wrap around as a bigint does, decimals that do not fit are NULL."""
    value, distinct = _value(node)
    if not is_numeric(kind(value)):
        w.refuse(node, "sum needs a number of a known type", "Cast it to a number.")
    if is_integer(kind(value)):
        return f"ll_wrapped_sum({over_rows('sum', distinct + w.sql(value), w, node)})"
    if is_decimal(kind(value)):
        return f"TRY_CAST({over_rows('sum', distinct + w.sql(value), w, node)} AS {duckdb_type(kind(node))})"
    return over_rows("sum", distinct + w.as_(value, "double"), w, node)


def average(w: Writer, node: exp.Anonymous) -> str:
    value, distinct = _value(node)
    if not is_numeric(kind(value)):
        w.refuse(node, "avg needs a number of a known type", "Cast it to a number.")
    if not is_decimal(kind(value)):
        argument = distinct + w.as_(value, "double")
        return f"({over_rows('sum', argument, w, node)} / nullif({over_rows('count', argument, w, node)}, 0))"
    digits, scale = digits_of(kind(value))
    _, wanted = digits_of(kind(node))
    if digits + 10 + (wanted - scale) + 1 > MAX_DIGITS:
        w.refuse(node, "an average of decimals of this width needs more than 38 digits", "Cast to a smaller decimal.")
    argument = distinct + w.sql(value)
    added, counted = over_rows("sum", argument, w, node), over_rows("count", argument, w, node)
    quotient = f"ll_quotient(ll_digits({added}) * {10 ** (wanted - scale)}, CAST({counted} AS HUGEINT))"
    return f"TRY_CAST(ll_scaled({quotient}, {wanted}) AS {duckdb_type(kind(node))})"


def first(function: str, function_of_values: str) -> CallRendering:
    """FIRST, LAST and ANY_VALUE take NULL as a value unless they are told to ignore it."""

    def render(w: Writer, node: exp.Anonymous) -> str:
        ignore = isinstance(node.parent, exp.IgnoreNulls)
        if len(node.expressions) > 1:
            said = node.expressions[1]
            if not isinstance(said, exp.Boolean):
                w.refuse(node, "whether NULL counts is not written out")
            ignore = bool(said.this)
        value = w.sql(node.expressions[0])
        if ignore:
            return over_rows(function_of_values, value, w, node, f"{value} IS NOT NULL")
        return over_rows(function, value, w, node)

    return render


def by(function: str) -> CallRendering:
    """The value in the row where another is highest or lowest."""

    def render(w: Writer, node: exp.Anonymous) -> str:
        value, order = (w.sql(part) for part in node.expressions)
        return over_rows(function, f"{value}, {order}", w, node, f"{order} IS NOT NULL")

    return render


def collected(distinct: str) -> CallRendering:
    """A list of all values; none is an empty list."""

    def render(w: Writer, node: exp.Anonymous) -> str:
        value, said = _value(node)
        if is_unknown(kind(value)):
            w.refuse(node, "the type of the values is not known")
        text = w.sql(value)
        listed = over_rows("list", f"{distinct or said}{text}", w, node, f"{text} IS NOT NULL")
        return f"coalesce({listed}, CAST([] AS {duckdb_type(kind(node))}))"

    return render


def percentile(w: Writer, node: exp.Anonymous) -> str:
    value, share = node.expressions[:2]
    if len(node.expressions) > 2 or not is_numeric(kind(value)) or not isinstance(share, exp.Literal):
        w.refuse(node, "the percentage is not written out, or the value is no number")
    number = w.as_(value, "double")
    return over_rows("quantile_cont", f"{number}, {share.name}::DOUBLE", w, node)


def filtered(w: Writer, node: exp.Expr) -> str:
    """The aggregate writes its own FILTER."""
    return w.sql(node.this)


NODES: dict[type[exp.Expr], NodeRendering] = {
    exp.Filter: filtered,
    exp.IgnoreNulls: filtered,
    exp.RespectNulls: filtered,
}
CALLS: dict[str, str | CallRendering] = {
    "count": count,
    "count_if": count_if,
    "sum": total,
    "try_sum": total,
    "avg": average,
    "mean": average,
    "try_avg": average,
    "min": plain("min"),
    "max": plain("max"),
    "any_value": first("first", "any_value"),
    "first": first("first", "any_value"),
    "first_value": first("first", "any_value"),
    "last": first("last", "last"),
    "last_value": first("last", "last"),
    "max_by": by("arg_max_null"),
    "min_by": by("arg_min_null"),
    "bool_and": plain("bool_and:boolean"),
    "every": plain("bool_and:boolean"),
    "bool_or": plain("bool_or:boolean"),
    "any": plain("bool_or:boolean"),
    "some": plain("bool_or:boolean"),
    "bit_and": plain("bit_and"),
    "bit_or": plain("bit_or"),
    "bit_xor": plain("bit_xor"),
    "stddev": plain("stddev_samp:double"),
    "std": plain("stddev_samp:double"),
    "stddev_samp": plain("stddev_samp:double"),
    "stddev_pop": plain("stddev_pop:double"),
    "variance": plain("var_samp:double"),
    "var_samp": plain("var_samp:double"),
    "var_pop": plain("var_pop:double"),
    "median": plain("median:double"),
    "percentile": percentile,
    "collect_list": collected(""),
    "array_agg": collected(""),
    "collect_set": collected("DISTINCT "),
}
