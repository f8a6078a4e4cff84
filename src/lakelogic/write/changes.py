"""What a merge has to do, as SELECTs over the batch and the table: newest rows, deletes, and keys that vanished."""

from __future__ import annotations

from lakelogic.sql.build import is_moment, quoted
from lakelogic.sql.render import NOW
from lakelogic.sql.types import Columns
from lakelogic.write.base import Rows
from lakelogic.write.clauses import DELETE, DELETED_AT, GONE, listed, nested, of_batch, same, ties
from lakelogic.write.dimension import unknown_key
from lakelogic.write.options import Cdc, Reconcile
from lakelogic.write.soft_delete import deleted, is_living

_NOW = f"CAST('{NOW}' AS TIMESTAMP)"


def batch_rows(columns: Columns) -> str:
    """The batch as it is."""
    return f"SELECT {listed(columns.names)}, false AS {GONE} FROM source"


def newest_rows(rows: Rows, cdc: Cdc, columns: Columns, content: Columns) -> str:
    """The newest row of each key of the batch, whether it came now or before, and whether a later delete is known.

    At the same time a row counts more than a delete, and of two rows the one with the higher `content`.
    """
    keys, names = listed(rows.keys), listed(columns.names)
    newer = [f"{quoted(cdc.time)} DESC", *ties(content, "DESC"), "_ll_old DESC"] if cdc.time else ["_ll_old ASC"]
    at = "d._ll_at" if cdc.time and is_moment(columns.get(cdc.time).type) else _NOW
    gone = f"d._ll_at > n.{quoted(cdc.time)}" if cdc.time else "d._ll_at IS NOT NULL"
    gone = f"coalesce({gone}, false)"
    rank = f"row_number() OVER (PARTITION BY {keys} ORDER BY {', '.join(newer)})"
    steps = {
        "_ll_given": f"SELECT {names}, false AS _ll_old FROM source WHERE NOT {DELETE} "
        f"UNION ALL SELECT {names}, true AS _ll_old "
        f"FROM ({of_batch('target', columns.names, rows.keys)}) AS t",
        "_ll_ranked": f"SELECT {names}, _ll_old, {rank} AS _ll_rank FROM _ll_given",
    }
    deletes = f"SELECT {keys}, max(_ll_at) AS _ll_at FROM ({_deletes(rows, cdc)}) AS e GROUP BY {keys}"
    newest = (
        f"SELECT {_marked(rows, columns, gone, at)} "
        f"FROM _ll_ranked AS n LEFT JOIN ({deletes}) AS d ON {same(rows.keys, 'n', 'd')} "
        f"WHERE n._ll_rank = 1 AND (NOT n._ll_old OR {gone})"
    )
    return nested(steps, newest)


def _deletes(rows: Rows, cdc: Cdc) -> str:
    """Deletes of the batch; in the order of a column also those that were seen before."""
    keys = listed(rows.keys)
    if cdc.time is None:
        return f"SELECT {keys}, true AS _ll_at FROM source WHERE {DELETE}"
    return (
        f"SELECT {keys}, {quoted(cdc.time)} AS _ll_at FROM source WHERE {DELETE} "
        f"UNION ALL SELECT {keys}, {quoted(DELETED_AT)} AS _ll_at "
        f"FROM ({of_batch('deleted', (*rows.keys, DELETED_AT), rows.keys)}) AS b"
    )


def _marked(rows: Rows, columns: Columns, gone: str, at: str) -> str:
    """The columns of a row that may be gone: taken out, or marked where deleted rows stay."""
    if rows.soft_delete is None:
        return f"{listed(columns.names, 'n')}, {gone} AS {GONE}"
    marks = deleted(rows.soft_delete, columns, at, "deleted at the source")
    out = [
        f"IF({gone}, {marks[name]}, n.{quoted(name)}) AS {quoted(name)}" if name in marks else f"n.{quoted(name)}"
        for name in columns.names
    ]
    return f"{', '.join(out)}, false AS {GONE}"


def absent_rows(rows: Rows, reconcile: Reconcile, columns: Columns) -> str:
    """Rows of the table whose key a full batch does not hold."""
    values = {}
    if rows.soft_delete is not None:
        values = deleted(rows.soft_delete, columns, _NOW, "absent from the source")
    out = ", ".join(f"{values[n]} AS {quoted(n)}" if n in values else f"t.{quoted(n)}" for n in columns.names)
    gone = "true" if rows.soft_delete is None else "false"
    return (
        f"SELECT {out}, {gone} AS {GONE} FROM ({_reached(rows, reconcile, columns)}) AS t "
        f"LEFT ANTI JOIN source AS s ON {same(rows.keys, 't', 's')}"
    )


def share_gone(rows: Rows, reconcile: Reconcile, columns: Columns) -> str:
    """How many rows a full batch could take out of the table, and how many it does."""
    batch = f"SELECT DISTINCT {listed(rows.keys)}, true AS _ll_there FROM source"
    return (
        f"SELECT count(1) AS rows, count_if(s._ll_there IS NULL) AS gone "
        f"FROM ({_reached(rows, reconcile, columns)}) AS t LEFT JOIN ({batch}) AS s ON {same(rows.keys, 't', 's')}"
    )


def _reached(rows: Rows, reconcile: Reconcile, columns: Columns) -> str:
    """The living rows of the table that the batch has something to say of."""
    text = f"SELECT {listed(columns.names, 'a')} FROM target AS a"
    if reconcile.scope:
        scopes = f"SELECT DISTINCT {listed(reconcile.scope)} FROM source"
        text += f" LEFT SEMI JOIN ({scopes}) AS c ON {same(reconcile.scope, 'a', 'c', '<=>')}"
    living = [is_living(rows.soft_delete, columns, "a")] if rows.soft_delete else []
    if rows.dimension and rows.dimension.unknown:
        living.append(f"NOT (a.{quoted(rows.dimension.key)} <=> {unknown_key(rows.dimension)})")
    return f"{text} WHERE {' AND '.join(living)}" if living else text
