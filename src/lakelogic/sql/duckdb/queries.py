"""Whole queries: what is selected from where."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.duckdb.types import duckdb_type, quoted
from lakelogic.sql.duckdb.writer import NodeRendering, Writer, kind
from lakelogic.sql.plain import call_name
from lakelogic.sql.typing.lattice import is_array, is_fraction

_JOINS = {"LEFT", "RIGHT", "FULL", "INNER", "CROSS", "OUTER", "SEMI", "ANTI", ""}
_CLAUSES = {
    "with_", "expressions", "from_", "joins", "laterals", "where", "group", "having", "qualify", "order", "distinct",
    "limit", "kind", "hint", "operation_modifiers", "alias", "windows",
}  # fmt: skip


def select(w: Writer, node: exp.Expr) -> str:
    unknown = [key for key, value in node.args.items() if value and key not in _CLAUSES]
    if unknown:
        w.refuse(node, f"{unknown[0]} is not portable")
    parts = [_with(w, node), "SELECT"]
    if distinct := node.args.get("distinct"):
        if distinct.args.get("on"):
            w.refuse(node, "DISTINCT ON is not portable")
        parts.append("DISTINCT")
    zeros = _keys_with_zeros(node)
    with w.unsigned(zeros):
        return " ".join(part for part in (*parts, *_clauses(w, node)) if part)


def _clauses(w: Writer, node: exp.Expr) -> list[str]:
    parts = [", ".join(_output(w, item) for item in node.expressions)]
    if from_ := node.args.get("from_"):
        parts.append(f"FROM {relation(w, from_.this)}")
    parts += [join(w, item) for item in node.args.get("joins") or ()]
    parts += [lateral(w, item) for item in node.args.get("laterals") or ()]
    if where := node.args.get("where"):
        parts.append(f"WHERE {w.as_(where.this, 'boolean')}")
    if group := node.args.get("group"):
        parts.append(_group(w, group))
    if having := node.args.get("having"):
        parts.append(f"HAVING {w.as_(having.this, 'boolean')}")
    if qualify := node.args.get("qualify"):
        parts.append(f"QUALIFY {w.as_(qualify.this, 'boolean')}")
    return [*parts, *_tail(w, node)]


def _keys_with_zeros(node: exp.Expr) -> list[str]:
    """Keys that may be 0.0 or -0.0, of which Spark makes 0.0 when it groups by them."""
    group = node.args.get("group")
    keys = [*group.expressions] if group else []
    if node.args.get("distinct"):
        keys += [item.unalias() for item in node.expressions]
    return [key.sql() for key in keys if is_fraction(kind(key))]


def _tail(w: Writer, node: exp.Expr) -> list[str]:
    parts = []
    if order := node.args.get("order"):
        parts.append(f"ORDER BY {w.list(order.expressions)}")
    if limit := node.args.get("limit"):
        parts.append(f"LIMIT {w.sql(limit.expression)}")
    return parts


def _with(w: Writer, node: exp.Expr) -> str:
    with_ = node.args.get("with_")
    if not with_:
        return ""
    if with_.args.get("recursive"):
        w.refuse(node, "WITH RECURSIVE is not portable")
    return "WITH " + ", ".join(f"{_alias(cte)} AS ({w.sql(cte.this)})" for cte in with_.expressions)


def _output(w: Writer, item: exp.Expr) -> str:
    value = item.this if isinstance(item, exp.Alias) else item
    if call_name(value) in {"explode", "explode_outer"}:
        name = item.alias if isinstance(item, exp.Alias) else "col"
        return f"{exploded(w, value)} AS {quoted(name)}"
    text = w.sql(item)
    return f"{text} AS {quoted(item.name)}" if isinstance(item, exp.Column) and text.endswith("+ 0)") else text


def exploded(w: Writer, node: exp.Expr) -> str:
    """A row for each element; with OUTER also one for a list without any."""
    held = node.expressions[0]
    if not is_array(kind(held)):
        w.refuse(node, "only lists can be exploded here", "Use map_entries for a map.")
    text = w.sql(held)
    if call_name(node) == "explode":
        return f"unnest({text})"
    return f"unnest(CASE WHEN len({text}) > 0 THEN {text} ELSE CAST([NULL] AS {duckdb_type(kind(held))}) END)"


def relation(w: Writer, node: exp.Expr) -> str:
    if isinstance(node, exp.Table):
        if len(node.parts) != 1 or node.args.get("sample") or node.args.get("when"):
            w.refuse(node, "this table can't be read by SQL")
        text = quoted(node.name)
    elif isinstance(node, exp.Subquery):
        text = f"({w.sql(node.this)})"
    else:
        w.refuse(node, f"{type(node).__name__.upper()} is not portable")
    alias = f"{text} AS {_alias(node)}" if node.args.get("alias") else text
    laterals = [lateral(w, item) for item in node.args.get("laterals") or ()]
    joins = [join(w, item) for item in node.args.get("joins") or ()]
    return " ".join([alias, *laterals, *joins])


def _alias(node: exp.Expr) -> str:
    alias = node.args["alias"]
    if not isinstance(alias, exp.TableAlias):
        return quoted(node.alias)
    columns = ", ".join(quoted(column.name) for column in alias.columns)
    return f"{quoted(alias.name)}({columns})" if columns else quoted(alias.name)


def join(w: Writer, node: exp.Expr) -> str:
    words = [str(node.args.get(key) or "").upper() for key in ("side", "kind")]
    if any(word not in _JOINS for word in words) or node.args.get("method"):
        w.refuse(node, "this kind of join is not portable")
    if words[1] in {"SEMI", "ANTI"}:
        words[0] = ""
    text = f"{' '.join(word for word in words if word)} JOIN {relation(w, node.this)}".strip()
    if condition := node.args.get("on"):
        return f"{text} ON {w.as_(condition, 'boolean')}"
    if using := node.args.get("using"):
        return f"{text} USING ({', '.join(quoted(column.name) for column in using)})"
    return text if "CROSS" in words else f"CROSS {text}"


def lateral(w: Writer, node: exp.Expr) -> str:
    """LATERAL VIEW: the rows of a list beside the row that holds it."""
    call, alias = node.this, node.args.get("alias")
    name = call_name(call)
    if name not in {"explode", "explode_outer", "posexplode", "posexplode_outer"} or alias is None:
        w.refuse(node, f"LATERAL VIEW {name} is not portable", "Use explode.")
    held = call.expressions[0]
    if not is_array(kind(held)):
        w.refuse(node, "only lists can be exploded here", "Use map_entries for a map.")
    columns = [quoted(column.name) for column in alias.columns]
    inner = f"unnest({w.sql(held)}) AS {columns[-1]}"
    if name.startswith("posexplode"):
        inner = f"CAST(generate_subscripts({w.sql(held)}, 1) - 1 AS INTEGER) AS {columns[0]}, {inner}"
    outer = bool(node.args.get("outer")) or name.endswith("_outer")
    kind_ = "LEFT JOIN LATERAL" if outer else "CROSS JOIN LATERAL"
    return f"{kind_} (SELECT {inner}) AS {quoted(alias.name)}{' ON true' if outer else ''}"


def _group(w: Writer, node: exp.Expr) -> str:
    if any(node.args.get(key) for key in ("grouping_sets", "cube", "rollup", "totals", "all")):
        w.refuse(node, "grouping sets are not portable", "Group once for each, and use UNION ALL.")
    return f"GROUP BY {w.list(node.expressions)}"


def union(w: Writer, node: exp.Expr) -> str:
    """UNION, INTERSECT and EXCEPT of columns that have the same types."""
    word = type(node).__name__.upper()
    if node.args.get("by_name") or node.args.get("side"):
        w.refuse(node, f"{word} BY NAME is not portable")
    left, right = ([kind(item) for item in side.selects] for side in (node.this, node.expression))
    if len(left) == len(right) and any(a != b for a, b in zip(left, right, strict=True)):
        w.refuse(node, f"the columns of the {word} are of different types", "Cast them to one type.")
    every = "" if node.args.get("distinct") else " ALL"
    sides = [f"({w.sql(side)})" for side in (node.this, node.expression)]
    return " ".join(
        [part for part in (_with(w, node), f"{sides[0]} {word}{every} {sides[1]}", *_tail(w, node)) if part]
    )


def subquery(w: Writer, node: exp.Expr) -> str:
    return f"({w.sql(node.this)})"


def exists(w: Writer, node: exp.Expr) -> str:
    return f"EXISTS ({w.sql(node.this)})"


def star(w: Writer, node: exp.Expr) -> str:
    if node.args.get("except_") or node.args.get("replace") or node.args.get("rename"):
        w.refuse(node, "* EXCEPT is not portable", "Name the columns.")
    return "*"


NODES: dict[type[exp.Expr], NodeRendering] = {
    exp.Select: select,
    exp.Union: union,
    exp.Intersect: union,
    exp.Except: union,
    exp.Subquery: subquery,
    exp.Exists: exists,
    exp.Star: star,
    exp.Tuple: lambda w, node: f"({w.list(node.expressions)})",
}
