"""`strategy: merge`: update by key, insert what is new, leave the rest."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.sql.build import quoted
from lakelogic.sql.types import STRING, Column, Columns
from lakelogic.write.base import Changes, Lowered, Rows, Strategy, strategies
from lakelogic.write.changes import absent_rows, batch_rows, newest_rows, share_gone
from lakelogic.write.clauses import DELETE, DELETED_AT, GONE, is_delete, listed, query
from lakelogic.write.dimension import made_key, unknown_member
from lakelogic.write.operations import MergeRows
from lakelogic.write.soft_delete import living, marks


@strategies.add("merge")
class Merge(Strategy):
    """Updates rows whose key is in the table and inserts the others."""

    needs_key = True

    def operation(self, rows: Rows) -> MergeRows:
        once = (rows.dimension.key,) if rows.dimension else ()
        marked = tuple(mark.name for mark in marks(rows.soft_delete, rows.columns)) if rows.soft_delete else ()
        compare = rows.compare
        if compare is not None:
            compare = (*(name for name in compare if name in rows.kept), *marked)
        return MergeRows(
            rows.keys,
            rows.keys,
            compare,
            (*rows.insert_only, *once),
            gone=GONE if _needs_table(rows) else None,
            may_repeat=bool(rows.cdc and rows.cdc.time),
        )

    def lower(self, rows: Rows) -> Lowered:
        """Rows are merged as they are, or what is merged follows from the batch and the table."""
        changes = _changes(rows) if _needs_table(rows) else None
        return Lowered(self.operation(rows), _stored(rows), changes)


def _needs_table(rows: Rows) -> bool:
    return bool(rows.cdc or rows.reconcile or (rows.dimension and rows.dimension.unknown))


def _own(rows: Rows) -> dict[Column, str]:
    """Columns that the table has beside those of the rows, with their values in a new row."""
    own = {}
    if rows.dimension:
        if rows.dimension.key in rows.columns:
            raise ContractError(
                f"the surrogate key '{rows.dimension.key}' is a column of the rows already.", cure="Name another."
            )
        own[Column(rows.dimension.key, STRING)] = made_key(rows.dimension, f"STRUCT({listed(rows.keys)})")
    if soft := rows.soft_delete:
        own |= {mark: living(soft, mark) for mark in marks(soft, rows.columns)}
    return own


def _columns(rows: Rows) -> Columns:
    """The columns of the table."""
    return rows.kept.with_(*_own(rows))


def _stored(rows: Rows) -> exp.Query | None:
    own = _own(rows)
    if not own and rows.cdc is None:
        return None
    kept = [quoted(column.name) for column in rows.kept]
    kept += [f"{value} AS {quoted(column.name)}" for column, value in own.items()]
    if rows.cdc:
        kept.append(f"{is_delete(rows.cdc)} AS {DELETE}")
    return query(f"SELECT {', '.join(kept)} FROM source")


def _changes(rows: Rows) -> Changes:
    columns = _columns(rows)
    parts = [newest_rows(rows, rows.cdc, columns, _content(rows)) if rows.cdc else batch_rows(columns)]
    if rows.reconcile:
        parts.append(absent_rows(rows, rows.reconcile, columns))
    if rows.dimension and rows.dimension.unknown:
        parts.append(f"SELECT *, false AS {GONE} FROM ({unknown_member(rows.dimension, columns, {})}) AS u")
    deletes = None
    if rows.cdc and rows.cdc.time:
        keys_and_time = f"{listed(rows.keys)}, {quoted(rows.cdc.time)} AS {quoted(DELETED_AT)}"
        deletes = query(f"SELECT DISTINCT {keys_and_time} FROM source WHERE {DELETE}")
    return Changes(
        shape=query(f"SELECT {listed(columns.names)} FROM source WHERE false"),
        rows=query(" UNION ALL ".join(f"SELECT * FROM ({part}) AS p" for part in parts)),
        deletes=deletes,
        share_gone=query(share_gone(rows, rows.reconcile, columns)) if rows.reconcile else None,
        max_share_gone=rows.reconcile.max_share if rows.reconcile else 1.0,
    )


def _content(rows: Rows) -> Columns:
    """The columns that tell one row from another: not where and when it was read."""
    return rows.kept.without((*rows.keys, *rows.stamps))
