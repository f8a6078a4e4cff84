"""Writing Delta tables through delta-rs: each write carries its run, and a repeated one is left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakelogic.engines.base import Stamp
from lakelogic.engines.commits import told
from lakelogic.engines.duckdb.session import Frame, Session
from lakelogic.engines.duckdb.tables import Table, table_columns
from lakelogic.engines.fitting import refuse_misfit, refuse_new
from lakelogic.engines.slices import condition_of, for_delta_rs, slices_of
from lakelogic.errors import WriteError
from lakelogic.formats.arrow_types import columns_of
from lakelogic.plan.model import TablePlan
from lakelogic.sql.duckdb.types import duckdb_type, quoted
from lakelogic.sql.types import Column, Columns, type_name
from lakelogic.write.operations import AppendRows, MergeRows, ReplaceRows, ReplaceSlices

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import CommitProperties

# Parquet can't hold these in a column's name; a table that maps names to its own can.
_NEEDS_MAPPING = re.compile(r"[ ,;{}()\n\t=]")
_BATCH_ROWS = 100_000


def write(session: Session, table: Table, plan: TablePlan, frame: Frame, stamp: Stamp) -> None:
    """Apply the plan's operation in one commit. The first rows of a table are appended, whatever the operation."""
    there = table.exists
    if there and (table.open().transaction_version(stamp.app_id) or 0) >= stamp.sequence:
        # delta-rs would write it again; whether the earlier commit is ours is for the caller to find out.
        return
    match plan.operation:
        case MergeRows() as merge if there:
            _merge(session, table, plan, merge, frame, stamp)
        case ReplaceSlices() as slices if there:
            rows = session.hold(_aligned(session, table, plan, frame))
            replaced = _replaced(session, slices, rows)
            _save(session, table, plan, rows, stamp, "overwrite" if replaced else "append", there=there, where=replaced)
        case ReplaceRows():
            rows = frame if plan.takes_columns or not there else _aligned(session, table, plan, frame)
            _save(session, table, plan, rows, stamp, "overwrite", there=there)
        case AppendRows() | MergeRows() | ReplaceSlices():
            staying = _staying(session, plan, frame)
            rows = _aligned(session, table, plan, staying) if there else staying
            _save(session, table, plan, rows, stamp, "append", there=there)
        case other:
            raise WriteError(f"DuckDB can't apply {type(other).__name__}.")


def _staying(session: Session, plan: TablePlan, frame: Frame) -> Frame:
    """The rows of a merge into a table that is not there yet: none can be taken out of it."""
    gone = plan.operation.gone if isinstance(plan.operation, MergeRows) else None
    if gone is None:
        return frame
    staying = session.select(f"SELECT * FROM source WHERE NOT {quoted(gone)}", {"source": frame})
    return _without(session, staying, gone)


def _without(session: Session, frame: Frame, column: str | None) -> Frame:
    return session.select(f"SELECT * EXCLUDE ({quoted(column)}) FROM source", {"source": frame}) if column else frame


def _replaced(session: Session, slices: ReplaceSlices, frame: Frame) -> str | None:
    """Which rows give way, as a condition for delta-rs; None where a batch without rows names no slice."""
    if slices.where is not None:
        return for_delta_rs(condition_of(slices.where))
    named = ", ".join(quoted(name) for name in slices.columns)
    distinct = session.select(f"SELECT DISTINCT {named} FROM source", {"source": frame})
    rows = session.relation(distinct).to_arrow_table()
    return for_delta_rs(slices_of(rows.to_pylist(), columns_of(rows.schema))) if rows.num_rows else None


def _save(
    session: Session,
    table: Table,
    plan: TablePlan,
    frame: Frame,
    stamp: Stamp,
    mode: str,
    *,
    there: bool,
    where: str | None = None,
) -> None:
    from deltalake import write_deltalake

    rows = _reader(session, frame)
    properties = dict(plan.properties)
    if not there and any(_NEEDS_MAPPING.search(name) for name in rows.schema.names):
        properties.setdefault("delta.columnMapping.mode", "name")
    evolution = "overwrite" if mode == "overwrite" and where is None and plan.takes_columns else "merge"
    changes = plan.evolve and there and _brings_columns(table, columns_of(rows.schema))
    write_deltalake(  # type: ignore[misc]
        table.path,
        rows,
        mode=mode,  # type: ignore[call-overload]
        schema_mode=evolution if changes else None,
        partition_by=list(plan.partition_by) or None,
        predicate=where,
        configuration=properties if not there else None,
        storage_options=table.options,
        commit_properties=_commit(stamp),
    )


def _merge(session: Session, table: Table, plan: TablePlan, merge: MergeRows, frame: Frame, stamp: Stamp) -> None:
    _add_columns(session, table, plan, _without(session, frame, merge.gone))
    frame = _aligned(session, table, plan, frame, whole=False, besides=merge.gone)
    columns = [name for name in session.columns(frame) if name != merge.gone]
    fixed = {name.lower() for name in (*merge.keys, *merge.insert_only)}
    updates = {quoted(name): f"s.{quoted(name)}" for name in columns if name.lower() not in fixed}
    compare = [name for name in columns if merge.compare and name.lower() in {c.lower() for c in merge.compare}]
    builder = table.open().merge(
        _reader(session, frame),
        " AND ".join(f"t.{_named(columns, key)} = s.{_named(columns, key)}" for key in merge.keys),
        source_alias="s",
        target_alias="t",
        commit_properties=_commit(stamp),
    )
    if merge.gone:
        builder = builder.when_matched_delete(predicate=f"s.{quoted(merge.gone)}")
    # With nothing to compare a match never differs: the table has keys only.
    if updates and merge.compare != ():
        same = " AND ".join(f"(t.{quoted(name)} IS NOT DISTINCT FROM s.{quoted(name)})" for name in compare)
        builder = builder.when_matched_update(updates, predicate=f"NOT ({same})" if compare else None)
    stays = f"NOT s.{quoted(merge.gone)}" if merge.gone else None
    builder.when_not_matched_insert({quoted(name): f"s.{quoted(name)}" for name in columns}, stays).execute()
    if (table.open().transaction_version(stamp.app_id) or 0) < stamp.sequence:
        _record_idle_merge(table, stamp)


def _record_idle_merge(table: Table, stamp: Stamp) -> None:
    """delta-rs makes no commit of a merge that changes nothing; the run must be found all the same."""
    import pyarrow as pa
    from deltalake import write_deltalake

    nothing = pa.schema(table.open().schema().to_arrow()).empty_table()
    commit = _commit(stamp, operation="MERGE")
    write_deltalake(table.path, nothing, mode="append", storage_options=table.options, commit_properties=commit)


def _add_columns(session: Session, table: Table, plan: TablePlan, frame: Frame) -> None:
    """A commit of its own, without the run's stamp: it must not pass for the write of the rows."""
    from deltalake import Schema

    opened = table.open()
    there = table_columns(opened)
    schema = session.relation(frame).limit(0).to_arrow_table().schema
    refuse_new(table.shown, plan, there, columns_of(schema))
    new = [field for field in schema if field.name not in there]
    if new:
        opened.alter.add_columns(Schema.from_arrow(_arrow_schema(new)).fields)


def _aligned(
    session: Session, table: Table, plan: TablePlan, frame: Frame, *, whole: bool = True, besides: str | None = None
) -> Frame:
    """The rows with the table's names and types; new columns come last, and one that is not the table's.

    Raises:
        WriteError: a column has a type that the table's own can't hold, or is new and may not be.
    """
    given = _columns(session, frame)
    there = table_columns(table.open())
    refuse_new(table.shown, plan, there, given.without([besides] if besides else []))
    known = [_fitted(table, column, given.find(column.name)) for column in there if whole or column.name in given]
    new = [quoted(column.name) for column in given if column.name not in there]
    return session.select(f"SELECT {', '.join((*known, *new))} FROM source", {"source": frame})


def _fitted(table: Table, own: Column, given: Column | None) -> str:
    if given is None:
        return f"CAST(NULL AS {duckdb_type(own.type)}) AS {quoted(own.name)}"
    refuse_misfit(table.shown, own, given)
    return f"CAST({quoted(given.name)} AS {duckdb_type(own.type)}) AS {quoted(own.name)}"


def _brings_columns(table: Table, given: Columns) -> bool:
    """Whether a write changes the table's columns; asked first, since not every table can have them changed."""
    has = [(column.name, type_name(column.type)) for column in table_columns(table.open())]
    return has != [(column.name, type_name(column.type)) for column in given]


def _columns(session: Session, frame: Frame) -> Columns:
    return columns_of(session.relation(frame).limit(0).to_arrow_table().schema)


def _reader(session: Session, frame: Frame) -> pa.RecordBatchReader:
    return session.relation(frame).to_arrow_reader(_BATCH_ROWS)


def _commit(stamp: Stamp, **more: object) -> CommitProperties:
    from deltalake import CommitProperties, Transaction

    return CommitProperties(
        custom_metadata={"userMetadata": told(stamp, **more)},
        app_transactions=[Transaction(stamp.app_id, stamp.sequence)],
    )


def _named(columns: list[str], key: str) -> str:
    return quoted(next(name for name in columns if name.lower() == key.lower()))


def _arrow_schema(fields: list[pa.Field]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema(fields)
