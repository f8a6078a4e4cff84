"""How good rows get into the target: the strategy with what the contract says of it, as SQL and one operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp, parse_one

from lakelogic.contract import LoadedContract
from lakelogic.contract.materialization import Materialization, UnknownMember
from lakelogic.plan.locations import Location, deletes_of
from lakelogic.plan.model import ChangesPlan, TablePlan
from lakelogic.rules.base import Check
from lakelogic.sql.annotate import output_columns
from lakelogic.sql.types import Columns
from lakelogic.write.base import Changes, Lowered, Rows
from lakelogic.write.clauses import DELETE, is_delete
from lakelogic.write.operations import MergeRows
from lakelogic.write.options import Cdc, Dimension, History, Reconcile, SoftDelete

Render = Callable[[exp.Expr, Columns, Mapping[str, Columns]], str]
# How tools that capture changes spell a delete.
_DELETES = ("d", "D", "delete", "DELETE", "Delete", "deleted", "DELETED")


def asked_of(loaded: LoadedContract, rows: Rows) -> Rows:
    """The rows with what the contract asks of the strategy."""
    wanted = loaded.model.materialization
    return replace(
        rows,
        partition_by=wanted.partition_by,
        replace_where=wanted.replace_where,
        cdc=captured(loaded),
        soft_delete=_soft_delete(loaded),
        reconcile=Reconcile(wanted.deletion.max_delete_ratio, wanted.deletion.scope) if wanted.deletion else None,
        dimension=_dimension(wanted),
        history=_history(wanted),
    )


def changes_plan(lowered: Lowered, source: Columns, target: Location, render: Render) -> ChangesPlan | None:
    """The SELECTs that tell what is merged, and the table of deletes beside the target."""
    changes = lowered.changes
    if changes is None:
        return None
    stored = output_columns(lowered.stored, source) if lowered.stored else source
    table = output_columns(changes.shape, stored)
    relations = {"target": table}
    deleted, shape = _table_of_deletes(changes, stored, target)
    if changes.deletes is not None:
        relations["deleted"] = output_columns(changes.deletes, stored)

    def rendered(tree: exp.Query | None) -> str | None:
        return render(tree, stored, relations) if tree is not None else None

    return ChangesPlan(
        shape=render(changes.shape, stored, relations),
        rows=render(changes.rows, stored, relations),
        deletes=rendered(changes.deletes),
        deletes_shape=rendered(shape),
        deleted=deleted,
        share_gone=rendered(changes.share_gone),
        max_share_gone=changes.max_share_gone,
    )


def stored_columns(lowered: Lowered, source: Columns) -> Columns:
    """Good rows with what the strategy adds to each of them, but for the mark of those that go."""
    return output_columns(lowered.stored, source).without([DELETE]) if lowered.stored else source


def table_columns(lowered: Lowered, source: Columns) -> Columns:
    """The columns that a table of this strategy has."""
    stored = output_columns(lowered.stored, source) if lowered.stored else source
    return output_columns(lowered.changes.shape, stored) if lowered.changes else stored.without([DELETE])


def _table_of_deletes(changes: Changes, stored: Columns, target: Location) -> tuple[TablePlan | None, exp.Query | None]:
    if changes.deletes is None:
        return None, None
    place = deletes_of(target)
    keys = tuple(output_columns(changes.deletes, stored).names)
    none = exp.select("*").from_(changes.deletes.subquery("e")).where(exp.false())
    return TablePlan(place.text, place.is_name, "merge", MergeRows((), keys, ())), none


def excused(check: Check, loaded: LoadedContract, columns: Columns) -> Check:
    """The check, which a row that only tells of a delete need not pass unless it is about its key or time."""
    cdc = captured(loaded)
    applied = loaded.model.materialization.strategy in ("merge", "scd2")
    if not applied or cdc is None or cdc.op is None or cdc.op not in columns:
        return check
    needed = {name.lower() for name in (*loaded.primary_key, cdc.time or "")}
    read = {column.name.removeprefix("_ll_read_").lower() for column in check.predicate.find_all(exp.Column)}
    if read <= needed:
        return check
    return replace(check, predicate=exp.or_(parse_one(is_delete(cdc), read="spark"), exp.paren(check.predicate)))


def captured(loaded: LoadedContract) -> Cdc | None:
    """How the contract's source tells of changes, if it does."""
    source = loaded.source
    if source is None or source.load_mode != "cdc":
        return None
    return Cdc(source.cdc_op_field, source.cdc_delete_values or _DELETES, source.cdc_timestamp_field)


def _soft_delete(loaded: LoadedContract) -> SoftDelete | None:
    wanted, older = loaded.model.materialization, loaded.model.soft_deletes
    if wanted.soft_delete_column:
        value = True if wanted.soft_delete_value is None else wanted.soft_delete_value
        return SoftDelete(
            wanted.soft_delete_column, value, wanted.soft_delete_time_column, wanted.soft_delete_reason_column
        )
    if older is None or not older.enabled or older.flag_field is None:
        return None
    return SoftDelete(older.flag_field, True, older.timestamp_field, older.reason_field)


def _dimension(wanted: Materialization) -> Dimension | None:
    if wanted.strategy == "scd2":
        keys = wanted.scd2
        unknown = _unknown((keys.unknown_member if keys else None) or wanted.unknown_member)
        kind = keys.surrogate_key_strategy if keys else "hash"
        return Dimension(keys.surrogate_key if keys else "_sk", kind, *unknown)
    if wanted.scd1 is None or wanted.scd1.surrogate_key is None:
        return None
    unknown = _unknown(wanted.scd1.unknown_member or wanted.unknown_member)
    return Dimension(wanted.scd1.surrogate_key, wanted.scd1.surrogate_key_strategy, *unknown)


def _unknown(member: UnknownMember | None) -> tuple[str | None, Mapping[str, bool | int | float | str | None]]:
    if member is None or not member.enabled:
        return None, {}
    return member.surrogate_key_value, member.default_values


def _history(wanted: Materialization) -> History | None:
    said = wanted.scd2
    if said is None:
        return None
    return History(
        said.track_columns,
        said.timestamp_field,
        said.effective_from_field,
        said.effective_to_field,
        said.current_flag_field,
        said.version_column,
        said.change_reason_column,
        said.start_date_default,
        said.end_date_default,
    )
