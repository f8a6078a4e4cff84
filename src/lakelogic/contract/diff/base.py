"""What a comparison is: one function from two versions of a contract to what changed, and what that does to readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from lakelogic.contract.loaded import LoadedContract
from lakelogic.errors import Place
from lakelogic.models import Model
from lakelogic.registry import Registry

FORMAT = 1
_LINE = 100
Effect = Literal["breaking", "safe", "informational"]
EFFECTS: tuple[Effect, ...] = ("breaking", "safe", "informational")


@dataclass(frozen=True)
class Change:
    """One thing that changed: what it is about, in words, and what it does to those who read the target."""

    effect: Effect
    code: str
    subject: str
    message: str
    place: Place


@dataclass(frozen=True)
class Diff:
    """Everything that changed between two versions."""

    old: LoadedContract
    new: LoadedContract
    changes: tuple[Change, ...]

    @property
    def breaks(self) -> bool:
        """Whether somebody who reads the target may get fewer rows, other values or an error."""
        return any(change.effect == "breaking" for change in self.changes)

    def of(self, effect: Effect) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.effect == effect)

    def to_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        return {
            "format": FORMAT,
            "contract": self.new.name,
            "old_version": self.old.model.info.version,
            "new_version": self.new.model.info.version,
            "breaking": self.breaks,
            "counts": {effect: len(self.of(effect)) for effect in EFFECTS},
            "changes": [asdict(change) for change in self.changes],
        }


Comparison = Callable[[LoadedContract, LoadedContract], Iterator[Change]]

comparisons: Registry[Comparison] = Registry("comparison", "lakelogic.contract.diff")


def diff(old: LoadedContract, new: LoadedContract) -> Diff:
    """What changed, what breaks readers first, then in the order of the file."""
    found = [change for _, compare in comparisons for change in compare(old, new)]
    found.sort(key=lambda each: (EFFECTS.index(each.effect), each.place.line or 0, each.code, each.subject))
    return Diff(old, new, tuple(found))


def changed(before: object, after: object) -> str:
    """`before → after`."""
    return f"{_shown(before)} → {_shown(after)}"


def told(old: LoadedContract, new: LoadedContract, *path: str) -> str:
    """What was written before and after, where a line can hold both; variables stand as they are written, unfilled."""
    values = [_written(loaded, path) for loaded in (old, new)]
    text = changed(*values)
    plain = all(_is_plain(value) for value in values) and values[0] != values[1]
    return text if plain and len(text) <= _LINE else "changed"


def _written(loaded: LoadedContract, path: tuple[str, ...]) -> object:
    """What the file says, else the default."""
    document: object = loaded.written
    model: object = loaded.model
    for key in path:
        document = document.get(key) if isinstance(document, Mapping) else None
        unset = isinstance(model, Model) and key not in model.model_fields_set
        model = getattr(model, key, None)
        if unset:
            return model
    return document


def _is_plain(value: object) -> bool:
    """Whether a value can be told in a line; an address may hold a secret."""
    if isinstance(value, (tuple, list)):
        return all(_is_plain(each) for each in value)
    if isinstance(value, str):
        return "://" not in value or not set(value) & set("@?")
    return value is None or isinstance(value, (bool, int, float))


def _shown(value: object) -> str:
    if value is None or value in ((), {}, ""):
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return ", ".join(_shown(each) for each in value)
    return " ".join(str(value).split())
