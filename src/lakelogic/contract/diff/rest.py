"""Everything else that a contract says: worth knowing, and nothing that a reader of the target depends on."""

from __future__ import annotations

from collections.abc import Iterator

from lakelogic.contract.diff.base import Change, changed, comparisons, told
from lakelogic.contract.loaded import LoadedContract
from lakelogic.contract.model import Contract
from lakelogic.models import Model

# Compared by a family of their own.
_ELSEWHERE = {
    "model", "quality", "materialization", "soft_deletes", "schema_policy", "lineage", "transformations", "primary_key",
    "dataset", "layer", "tier", "target_layer",
}  # fmt: skip


@comparisons.add("transformations")
def transformations(old: LoadedContract, new: LoadedContract) -> Iterator[Change]:
    """Steps that came, went or changed: what they do to values, a comparison of texts can't tell."""
    before, after = old.model.transformations, new.model.transformations
    for number in range(max(len(before), len(after))):
        was = before[number] if number < len(before) else None
        now = after[number] if number < len(after) else None
        if was == now:
            continue
        place = (new if now is not None else old).place("transformations", number)
        subject = f"transformation {number + 1}"
        kinds = [each.kind if each is not None else None for each in (was, now)]
        what = f"{kinds[0]} changed" if kinds[0] == kinds[1] else changed(*kinds)
        yield Change("informational", "transformation-changed", subject, f"{what}; values may differ", place)


@comparisons.add("rest")
def rest(old: LoadedContract, new: LoadedContract) -> Iterator[Change]:
    """Source, links, owners, promises and all else, key by key."""
    for key in Contract.model_fields:
        if key in _ELSEWHERE:
            continue
        before, after = getattr(old.model, key), getattr(new.model, key)
        if isinstance(before, Model) and isinstance(after, Model):
            yield from (_change(old, new, key, name) for name in _differing(before, after))
        elif before != after:
            yield _change(old, new, key)


def _differing(before: Model, after: Model) -> Iterator[str]:
    names = dict.fromkeys((*type(before).model_fields, *(before.model_extra or {}), *(after.model_extra or {})))
    return (name for name in names if getattr(before, name, None) != getattr(after, name, None))


def _change(old: LoadedContract, new: LoadedContract, *path: str) -> Change:
    code = f"{path[0].replace('_', '-')}-changed"
    return Change("informational", code, ".".join(path), told(old, new, *path), new.place(*path))
