"""Functions over windows, and their frames."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.duckdb.writer import CallRendering, NodeRendering, Writer, kind, whole
from lakelogic.sql.typing.lattice import is_known


def window(w: Writer, node: exp.Expr) -> str:
    """The function writes its own OVER."""
    return w.sql(node.this)


def over(w: Writer, node: exp.Expr) -> str:
    """` OVER (…)` of a window."""
    parts = []
    if partition := node.args.get("partition_by"):
        parts.append(f"PARTITION BY {w.list(partition)}")
    if order := node.args.get("order"):
        parts.append(f"ORDER BY {w.list(order.expressions)}")
    if spec := node.args.get("spec"):
        parts.append(_frame(w, spec))
    return f" OVER ({' '.join(parts)})"


def _frame(w: Writer, spec: exp.Expr) -> str:
    kind_ = str(spec.args.get("kind") or "RANGE").upper()
    start = _bound(w, spec, "start", kind_)
    end = _bound(w, spec, "end", kind_) if spec.args.get("end") else "CURRENT ROW"
    return f"{kind_} BETWEEN {start} AND {end}"


def _bound(w: Writer, spec: exp.Expr, side: str, frame: str) -> str:
    value, direction = spec.args.get(side), spec.args.get(f"{side}_side")
    if isinstance(value, str):
        return f"{value} {direction}".strip() if direction else value
    number = whole(value) if isinstance(value, exp.Expr) else None
    if number is None or frame != "ROWS":
        w.refuse(spec, "a frame over a range of values is not portable", "Use ROWS BETWEEN.")
    return f"{number} {direction}"


def ordered(w: Writer, node: exp.Expr) -> str:
    """An order with its NULLs said openly: first when it goes up, last when it goes down, as in Spark."""
    downwards = bool(node.args.get("desc"))
    first = node.args.get("nulls_first")
    nulls_first = (not downwards) if first is None else bool(first)
    direction = "DESC" if downwards else "ASC"
    return f"{w.sql(node.this)} {direction} NULLS {'FIRST' if nulls_first else 'LAST'}"


def ranked(function: str, result: str) -> CallRendering:
    """A number of the row within its window."""

    def render(w: Writer, node: exp.Anonymous) -> str:
        arguments = ", ".join(w.as_(value, "bigint") for value in node.expressions)
        return f"CAST({function}({arguments}){_own_window(w, node)} AS {result})"

    return render


def _own_window(w: Writer, node: exp.Expr) -> str:
    parent = node.parent
    while isinstance(parent, (exp.IgnoreNulls, exp.RespectNulls)):
        parent = parent.parent
    if not isinstance(parent, exp.Window):
        w.refuse(node, "it needs a window", "Add OVER (…).")
    return over(w, parent)


def shifted(function: str) -> CallRendering:
    """LAG and LEAD."""

    def render(w: Writer, node: exp.Anonymous) -> str:
        value, *rest = node.expressions
        offset = whole(rest[0]) if rest else 1
        if offset is None or not is_known(kind(value)):
            w.refuse(node, "the number of rows is not written out, or the type is not known")
        arguments = [w.sql(value), str(offset)]
        if len(rest) > 1:
            arguments.append(w.as_(rest[1], kind(value)))
        return f"{function}({', '.join(arguments)}{_nulls(node)}){_own_window(w, node)}"

    return render


def placed(w: Writer, node: exp.Anonymous) -> str:
    number = whole(node.expressions[1])
    if number is None:
        w.refuse(node, "the number of the row is not written out")
    return f"nth_value({w.sql(node.expressions[0])}, {number}{_nulls(node)}){_own_window(w, node)}"


def _nulls(node: exp.Expr) -> str:
    return " IGNORE NULLS" if isinstance(node.parent, exp.IgnoreNulls) else ""


def edge(function: str, aggregate: CallRendering) -> CallRendering:
    """FIRST_VALUE and LAST_VALUE over a window, or the aggregate without one."""

    def render(w: Writer, node: exp.Anonymous) -> str:
        holder = node.parent
        while isinstance(holder, (exp.IgnoreNulls, exp.RespectNulls)):
            holder = holder.parent
        if not isinstance(holder, exp.Window):
            return aggregate(w, node)
        said = node.expressions[1] if len(node.expressions) > 1 else None
        nulls = " IGNORE NULLS" if isinstance(said, exp.Boolean) and said.this else _nulls(node)
        return f"{function}({w.sql(node.expressions[0])}{nulls}){over(w, holder)}"

    return render


NODES: dict[type[exp.Expr], NodeRendering] = {exp.Window: window, exp.Ordered: ordered}
CALLS: dict[str, str | CallRendering] = {
    "row_number": ranked("row_number", "INTEGER"),
    "rank": ranked("rank", "INTEGER"),
    "dense_rank": ranked("dense_rank", "INTEGER"),
    "ntile": ranked("ntile", "INTEGER"),
    "percent_rank": ranked("percent_rank", "DOUBLE"),
    "cume_dist": ranked("cume_dist", "DOUBLE"),
    "lag": shifted("lag"),
    "lead": shifted("lead"),
    "nth_value": placed,
}
