"""The table that readers know: its name, its place, its key, how it is written, and the columns that a run adds."""

from __future__ import annotations

from collections.abc import Iterator

from lakelogic.contract.diff.base import Change, Effect, changed, comparisons, told
from lakelogic.contract.loaded import LoadedContract

# What readers, or the files they read, depend on; of the rest only writers notice.
_BREAKING = {
    "strategy", "target_path", "format", "location", "partition_by", "scd1", "scd2", "soft_delete_column",
    "soft_delete_value", "soft_delete_time_column", "soft_delete_reason_column",
}  # fmt: skip
_ELSEWHERE = {"primary_key"}


@comparisons.add("target")
def target(old: LoadedContract, new: LoadedContract) -> Iterator[Change]:
    """Name, key, place, strategy, partitions."""
    if old.name != new.name:
        yield Change("breaking", "dataset-renamed", "dataset", changed(old.name, new.name), new.place("dataset"))
    if old.layer != new.layer:
        yield Change("informational", "layer-changed", "layer", changed(old.layer, new.layer), new.place("layer"))
    if _lowered(old.primary_key) != _lowered(new.primary_key):
        keys = changed(old.primary_key, new.primary_key)
        yield Change("breaking", "key-changed", "primary_key", keys, new.key_place)
    was, now = old.model.materialization, new.model.materialization
    for key in type(now).model_fields:
        if key in _ELSEWHERE or getattr(was, key) == getattr(now, key):
            continue
        effect: Effect = "breaking" if key in _BREAKING else "informational"
        place = new.place("materialization", key)
        said = told(old, new, "materialization", key)
        yield Change(effect, f"{key.replace('_', '-')}-changed", f"materialization.{key}", said, place)
    if old.model.soft_deletes != new.model.soft_deletes:
        place = new.place("soft_deletes")
        yield Change("breaking", "soft-deletes-changed", "soft_deletes", "changed", place)


@comparisons.add("schema_policy")
def schema_policy(old: LoadedContract, new: LoadedContract) -> Iterator[Change]:
    """What happens to columns that the model does not know."""
    was, now = old.model.schema_policy, new.model.schema_policy
    if was.unknown_fields != now.unknown_fields:
        effect: Effect = "safe" if now.unknown_fields == "allow" else "breaking"
        place = new.place("schema_policy", "unknown_fields")
        said = changed(was.unknown_fields, now.unknown_fields)
        yield Change(effect, "unknown-fields-changed", "schema_policy.unknown_fields", said, place)
    if was.evolution != now.evolution:
        place = new.place("schema_policy", "evolution")
        said = changed(was.evolution, now.evolution)
        yield Change("informational", "evolution-changed", "schema_policy.evolution", said, place)


@comparisons.add("lineage")
def lineage(old: LoadedContract, new: LoadedContract) -> Iterator[Change]:
    """The columns of origin: readers may join or filter by them."""
    before, after = _stamps(old), _stamps(new)
    place = new.place("lineage")
    for column in before - after:
        yield Change("breaking", "column-removed", column, "is gone", place)
    for column in after - before:
        yield Change("safe", "column-added", column, "is new", place)
    if old.model.lineage != new.model.lineage and before == after:
        yield Change("informational", "lineage-changed", "lineage", "changed", place)


def _stamps(loaded: LoadedContract) -> set[str]:
    wanted = loaded.model.lineage
    if not wanted.enabled:
        return set()
    captured = [name for name in type(wanted).model_fields if name.startswith("capture_") and getattr(wanted, name)]
    return {str(getattr(wanted, f"{name.removeprefix('capture_')}_column_name")) for name in captured}


def _lowered(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)
