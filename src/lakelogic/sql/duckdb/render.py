"""Contract SQL for DuckDB, with the meaning it has in Spark."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from lakelogic.sql.duckdb import aggregates, casts, documents, logic, nested, numbers, queries, text, time, windows
from lakelogic.sql.duckdb.writer import CallRendering, NodeRendering, Renderings, Writer, kind
from lakelogic.sql.render import for_engines
from lakelogic.sql.types import Columns
from lakelogic.sql.typing.lattice import MOMENTS

_EDGES: dict[str, CallRendering] = {
    **{name: windows.edge("first_value", aggregates.first("first", "any_value")) for name in ("first", "first_value")},
    **{name: windows.edge("last_value", aggregates.first("last", "last")) for name in ("last", "last_value")},
}


def _moments_or(symbol: str, numbers_rendering: NodeRendering) -> NodeRendering:
    moved = time.moved(symbol)

    def render(w: Writer, node: exp.Expr) -> str:
        kinds = {kind(node.this).this, kind(node.expression).this}
        return moved(w, node) if kinds & set(MOMENTS) else numbers_rendering(w, node)

    return render


RENDERINGS = Renderings(
    nodes={
        **logic.NODES,
        **casts.NODES,
        **numbers.NODES,
        **text.NODES,
        **time.NODES,
        **nested.NODES,
        **aggregates.NODES,
        **windows.NODES,
        **queries.NODES,
        exp.Add: _moments_or("+", numbers.NODES[exp.Add]),
        exp.Sub: _moments_or("-", numbers.NODES[exp.Sub]),
    },
    calls={
        **logic.CALLS,
        **numbers.CALLS,
        **text.CALLS,
        **time.CALLS,
        **nested.CALLS,
        **documents.CALLS,
        **aggregates.CALLS,
        **windows.CALLS,
        **_EDGES,
    },
    explicit=casts.explicit,
    implicit=casts.implicit,
)


def to_duckdb(tree: exp.Expr, columns: Columns, links: Mapping[str, Columns] | None = None) -> str:
    """DuckDB SQL text of a resolved tree; run it on a connection to which `Macros` provides what it calls.

    Raises:
        SqlError: a part of it has no equal in DuckDB; underlines it.
    """
    return Writer(RENDERINGS).sql(for_engines(tree, columns, links))
