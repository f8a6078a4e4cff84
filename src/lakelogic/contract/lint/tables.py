"""Remarks about keys, types and how rows are written."""

from __future__ import annotations

from collections.abc import Iterator

from lakelogic.contract.lint.base import Remark, lint_rules
from lakelogic.contract.loaded import LoadedContract

_KEYED = ("silver", "gold")


@lint_rules.add("no-key")
def has_no_key(loaded: LoadedContract) -> Iterator[Remark]:
    """A silver or gold table without a key."""
    if loaded.layer in _KEYED and not loaded.primary_key:
        place = loaded.place("materialization")
        yield Remark(f"the {loaded.layer} table has no primary_key.", "Add one: it is then held to be unique.", place)


@lint_rules.add("untyped-field")
def has_untyped_fields(loaded: LoadedContract) -> Iterator[Remark]:
    """Fields of a silver or gold table without a type."""
    bare = [index for index, field in enumerate(loaded.model.model.fields) if field.type is None]
    if loaded.layer in _KEYED and bare:
        names = ", ".join(f"'{loaded.model.model.fields[index].name}'" for index in bare)
        place = loaded.place("model", "fields", bare[0])
        yield Remark(f"no type is declared for {names}.", "Add type: what is read may change.", place)


@lint_rules.add("append-of-everything")
def appends_everything_again(loaded: LoadedContract) -> Iterator[Remark]:
    """A full load that is appended: rows that were there before are there twice."""
    source = loaded.source
    if source and source.load_mode == "full" and loaded.model.materialization.strategy == "append":
        place = loaded.place("materialization", "strategy")
        cure = "Use load_mode: incremental, or strategy: overwrite or merge."
        yield Remark("all rows are read each time, and appended to those of the last run.", cure, place)
