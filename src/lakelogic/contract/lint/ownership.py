"""Remarks about who answers for the data, and what readers are told."""

from __future__ import annotations

from collections.abc import Iterator

from lakelogic.contract.lint.base import Remark, lint_rules
from lakelogic.contract.loaded import LoadedContract
from lakelogic.errors import Place


@lint_rules.add("no-owner")
def has_no_owner(loaded: LoadedContract) -> Iterator[Remark]:
    """Nobody answers for the data."""
    if not loaded.model.info.owner:
        yield Remark("nobody owns the contract.", "Add info.owner, or ownership.owner in _domain.yaml.", _place(loaded))


@lint_rules.add("no-title")
def has_no_title(loaded: LoadedContract) -> Iterator[Remark]:
    """Readers are not told what the data is about."""
    if not loaded.model.info.title and not loaded.model.info.description:
        yield Remark("readers can't tell what the data is about.", "Add info.title.", _place(loaded))


@lint_rules.add("no-freshness")
def promises_no_freshness(loaded: LoadedContract) -> Iterator[Remark]:
    """A gold table that may grow old without anybody being told."""
    promised = loaded.model.service_levels
    if loaded.layer == "gold" and promised.freshness is None and promised.freshness_hours is None:
        yield Remark(
            "a gold table without a promise of freshness.", "Add service_levels.freshness, such as 24h.", _place(loaded)
        )


def _place(loaded: LoadedContract) -> Place:
    return loaded.place("info")
