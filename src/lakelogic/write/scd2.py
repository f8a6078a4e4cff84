"""`strategy: scd2`: the table keeps every version of a row, with the time from which and to which it was so."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.sql.build import is_moment, quoted
from lakelogic.write.base import Changes, Lowered, Rows, Strategy, strategies
from lakelogic.write.clauses import DELETE, DELETED_AT, GONE, is_delete, listed, query
from lakelogic.write.dimension import unknown_member
from lakelogic.write.operations import MergeRows
from lakelogic.write.options import Dimension, History
from lakelogic.write.versions import Versions


@strategies.add("scd2")
class Scd2(Strategy):
    """Adds a version where a row has changed, and ends the one before it."""

    needs_key = True
    keeps_history = True

    def operation(self, rows: Rows) -> MergeRows:
        versions = _versions(rows)
        begin, key = versions.history.begin, versions.dimension.key
        told = (*versions.own.without([begin, key]), *versions.tracked, *versions.untracked)
        return MergeRows(
            rows.keys,
            (*rows.keys, begin),
            tuple(column.name for column in told),
            # A version keeps the key that facts point to.
            insert_only=(key,),
            gone=GONE,
            may_repeat=versions.time is not None,
        )

    def lower(self, rows: Rows) -> Lowered:
        versions = _versions(rows)
        _refuse_own_names(rows, versions)
        return Lowered(self.operation(rows), _stored(rows), _changes(rows, versions))


def _versions(rows: Rows) -> Versions:
    history, dimension = rows.history or History(), rows.dimension or Dimension("_sk")
    time = history.time or (rows.cdc.time if rows.cdc else None)
    if rows.cdc and rows.cdc.op and time is None:
        raise ContractError(
            "deletes of a history need to know when they happened.", cure="Add source.cdc_timestamp_field."
        )
    if time is not None and not is_moment(rows.columns.get(time).type):
        raise ContractError(
            f"a history needs moments, and '{time}' is none.",
            cure=f"Declare '{time}' as timestamp or date in model.fields.",
        )
    content = rows.kept.without((*rows.keys, *rows.stamps, *((time,) if time else ())))
    track = {rows.columns.get(name).name for name in history.track} or {column.name for column in content}
    return Versions(
        history,
        dimension,
        keys=rows.keys,
        columns=rows.kept.items,
        tracked=tuple(column for column in content if column.name in track),
        untracked=tuple(column for column in content if column.name not in track),
        stamps=tuple(rows.columns.get(name) for name in rows.stamps),
        time=rows.columns.get(time) if time else None,
        deletes=bool(rows.cdc and rows.cdc.op),
    )


def _refuse_own_names(rows: Rows, versions: Versions) -> None:
    taken = [column.name for column in versions.own if column.name in rows.columns]
    if taken:
        raise ContractError(
            f"strategy scd2 brings a column '{taken[0]}', and the rows have one already.",
            cure="Rename it by a transformation, or name the other in materialization.scd2.",
        )
    if rows.compare is None:
        raise ContractError(
            "strategy scd2 must tell whether a row has changed, and a column can't be compared.",
            cure="Use 'masking_mode: deterministic' with encrypt, and cast maps to text.",
        )


def _stored(rows: Rows) -> exp.Query | None:
    if not (rows.cdc and rows.cdc.op):
        return None
    return query(f"SELECT {listed(rows.kept.names)}, {is_delete(rows.cdc)} AS {DELETE} FROM source")


def _changes(rows: Rows, versions: Versions) -> Changes:
    parts = [versions.rows()]
    dimension = versions.dimension
    if dimension.unknown:
        row = unknown_member(dimension, versions.table, versions.of_unknown_member())
        parts.append(f"SELECT *, false AS {GONE} FROM ({row}) AS u")
    deletes = None
    if versions.deletes and versions.time is not None:
        at = f"CAST({quoted(versions.time.name)} AS TIMESTAMP) AS {quoted(DELETED_AT)}"
        deletes = query(f"SELECT DISTINCT {listed(rows.keys)}, {at} FROM source WHERE {DELETE}")
    return Changes(
        shape=query(versions.shape()),
        rows=query(" UNION ALL ".join(f"SELECT * FROM ({part}) AS p" for part in parts)),
        deletes=deletes,
    )
