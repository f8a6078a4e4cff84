"""Remarks about rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lakelogic.contract.lint.base import Remark, lint_rules
from lakelogic.contract.loaded import LoadedContract
from lakelogic.rules.declared import field_rules

_JUDGED = ("silver", "gold")


@lint_rules.add("unnamed-rule")
def has_unnamed_rules(loaded: LoadedContract) -> Iterator[Remark]:
    """A SQL rule has no name, so reports name it by its SQL."""
    quality = loaded.model.quality
    for key, rules in (("row_rules", quality.row_rules), ("dataset_rules", quality.dataset_rules)):
        for index, rule in enumerate(rules):
            if rule.kind == "sql" and not rule.name:
                place = loaded.place("quality", key, index)
                yield Remark("a SQL rule without a name.", "Add name: reports and quarantine show it.", place)


@lint_rules.add("repeated-rule-name")
def repeats_a_name(loaded: LoadedContract) -> Iterator[Remark]:
    """Two rules have one name; reports number them."""
    seen: Counter[str] = Counter()
    for index, rule in enumerate(loaded.model.quality.row_rules):
        if rule.name:
            seen[rule.name] += 1
        if rule.name and seen[rule.name] == 2:
            place = loaded.place("quality", "row_rules", index)
            yield Remark(f"two rules are called '{rule.name}'.", "Give each a name of its own.", place)


@lint_rules.add("no-rules")
def judges_nothing(loaded: LoadedContract) -> Iterator[Remark]:
    """A silver or gold table whose rows nothing judges."""
    model = loaded.model
    declared = any(field.must_be_present or field_rules(field) for field in model.model.fields)
    if loaded.layer in _JUDGED and not declared and not model.quality.row_rules and not model.quality.dataset_rules:
        yield Remark(f"nothing judges the rows of this {loaded.layer} table.", "Add quality rules.", loaded.place())
