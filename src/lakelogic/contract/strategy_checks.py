"""What a contract may ask of its write strategy: each key has a meaning for some of them only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lakelogic.contract.loaded import LoadedContract
from lakelogic.errors import ContractError, LakeLogicError

_MEANT_FOR: Mapping[str, tuple[str, ...]] = {
    "scd1": ("merge",),
    "scd2": ("scd2",),
    "soft_delete_column": ("merge",),
    "deletion": ("merge",),
    "unknown_member": ("merge", "scd2"),
    "replace_where": ("replace_partitions",),
}
_WITH_COLUMN = ("soft_delete_value", "soft_delete_time_column", "soft_delete_reason_column")


def strategy_problems(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    """Keys without a meaning for the strategy, and strategies without a key that they need."""
    yield from _keys(loaded)
    yield from _deletes(loaded)
    yield from _changes(loaded)


def _keys(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    target = loaded.model.materialization
    for key, strategies in _MEANT_FOR.items():
        if getattr(target, key) is not None and target.strategy not in strategies:
            yield ContractError(
                f"{key} has no meaning for strategy {target.strategy}.",
                cure=f"Remove it, or use strategy {' or '.join(strategies)}.",
                place=loaded.place("materialization", key),
            )
    for key in _WITH_COLUMN:
        if getattr(target, key) is not None and target.soft_delete_column is None:
            yield ContractError(
                f"{key} has no meaning without soft_delete_column.", place=loaded.place("materialization", key)
            )
    lone = target.unknown_member is not None and target.strategy == "merge"
    if lone and not (target.scd1 and target.scd1.surrogate_key):
        yield ContractError(
            "unknown_member needs a surrogate key.",
            cure="Add scd1: {surrogate_key: column}.",
            place=loaded.place("materialization", "unknown_member"),
        )


def _deletes(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    target, older = loaded.model.materialization, loaded.model.soft_deletes
    alone = older is not None and older.flag_field is not None and target.soft_delete_column is None
    if older is not None and older.enabled and (target.strategy != "merge" or not alone):
        yield ContractError(
            "soft_deletes needs strategy merge and a flag_field, and no soft_delete_column beside it.",
            cure="Use materialization.soft_delete_column.",
            place=loaded.place("soft_deletes"),
        )
    if target.deletion is not None and loaded.source is not None and loaded.source.load_mode != "full":
        yield ContractError(
            f"snapshot_reconcile takes what is not in the batch for deleted, and load_mode "
            f"{loaded.source.load_mode} reads only a part.",
            cure="Use load_mode: full.",
            place=loaded.place("materialization", "deletion"),
        )


def _changes(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    source, target = loaded.model.source, loaded.model.materialization
    applied = source is not None and source.load_mode == "cdc" and target.strategy in ("merge", "scd2")
    if applied and target.secondary_targets:
        yield ContractError(
            "a secondary target would get captured deletes as if they were rows.",
            cure="Write it by a contract of its own that reads the target.",
            place=loaded.place("materialization", "secondary_targets"),
        )
    if source is None or source.load_mode == "cdc":
        return
    for key in ("cdc_op_field", "cdc_delete_values"):
        if getattr(source, key):
            yield ContractError(
                f"{key} has no meaning without load_mode: cdc.",
                cure="Use load_mode: cdc, or remove it.",
                place=loaded.place("source", key),
            )
