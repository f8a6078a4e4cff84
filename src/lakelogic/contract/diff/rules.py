"""Rules that came, went, or let other rows pass than before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lakelogic.contract.diff.base import Change, Effect, changed, comparisons
from lakelogic.contract.diff.columns import renames
from lakelogic.contract.loaded import LoadedContract
from lakelogic.contract.places import Path
from lakelogic.errors import Place
from lakelogic.rules.base import RuleModel
from lakelogic.rules.declared import field_rules

_ABOUT = ("field", "fields", "columns", "event_key", "reference")
_SHARED = {"name", "category", "description", "severity", "label"}

Found = Mapping[tuple[str, str, str], tuple[RuleModel, Place]]


@comparisons.add("rules")
def rules(old: LoadedContract, new: LoadedContract) -> Iterator[Change]:
    """Rules of rows and of the dataset, wherever they are written: a stricter one takes rows from readers."""
    there, renamed = _names(new), renames(old, new)
    # What a column's own rules say is gone or renamed with it.
    before, after = _rules(old, there), _rules(new, there - set(renamed.values()))
    effect: Effect
    for key, (rule, place) in before.items():
        if key not in after:
            effect = "safe" if rule.severity == "error" else "informational"
            yield Change(effect, "rule-removed", _title(rule), "is no longer checked", place)
    for key, (rule, place) in after.items():
        if key not in before:
            effect = "breaking" if rule.severity == "error" else "informational"
            yield Change(effect, "rule-added", _title(rule), f"is checked now: {_said(rule)}", place)
        elif before[key][0] != rule:
            yield _changed(before[key][0], rule, place)
    was, now = old.model.quality, new.model.quality
    place = new.place("quality")
    if was.enforce_required != now.enforce_required:
        effect = "breaking" if now.enforce_required else "safe"
        told = changed(was.enforce_required, now.enforce_required)
        yield Change(effect, "required-enforced", "quality.enforce_required", told, place)
    if was.fail_pipeline_on_dataset_error != now.fail_pipeline_on_dataset_error:
        told = changed(was.fail_pipeline_on_dataset_error, now.fail_pipeline_on_dataset_error)
        yield Change("informational", "gate-changed", "quality.fail_pipeline_on_dataset_error", told, place)


def _names(loaded: LoadedContract) -> set[str]:
    return {field.name.lower() for field in loaded.model.model.fields}


def _rules(loaded: LoadedContract, columns: set[str]) -> Found:
    listed: list[tuple[str, RuleModel, Path]] = []
    for at, field in enumerate(loaded.model.model.fields):
        if field.name.lower() not in columns:
            continue
        listed += [("row", rule, ("model", "fields", at)) for rule in field_rules(field)]
    quality = loaded.model.quality
    listed += [("row", rule, ("quality", "row_rules", at)) for at, rule in enumerate(quality.row_rules)]
    listed += [("dataset", rule, ("quality", "dataset_rules", at)) for at, rule in enumerate(quality.dataset_rules)]
    found: dict[tuple[str, str, str], tuple[RuleModel, Place]] = {}
    for over, rule, path in listed:
        key = (over, rule.kind, rule.name or _about(rule))
        while key in found:
            key = (over, rule.kind, key[2] + "+")
        found[key] = rule, loaded.place(*path)
    return found


def _changed(old: RuleModel, new: RuleModel, place: Place) -> Change:
    title = _title(new)
    if "error" not in (old.severity, new.severity) or (_meaning(old) == _meaning(new) and old.severity == new.severity):
        return Change("informational", "rule-described", title, "is told in another way", place)
    if old.severity != new.severity:
        tighter = new.severity == "error"
        told = f"severity {changed(old.severity, new.severity)}"
        return Change(
            "breaking" if tighter else "safe", "rule-tightened" if tighter else "rule-loosened", title, told, place
        )
    told = ", ".join(_differences(old, new))
    stricter = new.refuses_more_than(old)
    if stricter is None:
        return Change("breaking", "rule-changed", title, f"{told}; it may refuse more rows", place)
    return Change(
        "breaking" if stricter else "safe", "rule-tightened" if stricter else "rule-loosened", title, told, place
    )


def _differences(old: RuleModel, new: RuleModel) -> Iterator[str]:
    """What a rule says now in place of what it said, key by key; SQL needs no key."""
    before, after = _meaning(old), _meaning(new)
    for key in dict.fromkeys((*before, *after)):
        if before.get(key) != after.get(key):
            told = changed(_listed(before.get(key)), _listed(after.get(key)))
            yield told if key == "sql" else f"{key} {told}"


def _meaning(rule: RuleModel) -> dict[str, object]:
    """What of a rule decides which rows pass."""
    return {key: value for key, value in rule.model_dump(exclude_defaults=True).items() if key not in _SHARED}


def _about(rule: RuleModel) -> str:
    """What tells a rule without a name from others of its kind: its columns, else its SQL."""
    about = [str(value) for key, value in _meaning(rule).items() if key in _ABOUT]
    return " ".join(about) or " ".join(str(getattr(rule, "sql", "")).split())


def _title(rule: RuleModel) -> str:
    if rule.name:
        return rule.name
    columns = [getattr(rule, key, None) for key in ("field", "fields", "columns")]
    named = next((value if isinstance(value, str) else ", ".join(value) for value in columns if value), None)
    return f"{rule.kind} of {named}" if named else rule.kind


def _said(rule: RuleModel) -> str:
    """What a rule says, in one line."""
    parts = _meaning(rule)
    if set(parts) == {"sql"}:
        return " ".join(str(parts["sql"]).split())
    told = (
        f"{key} {_listed(value)}" for key, value in parts.items() if key not in ("field", "fields", "columns", "phase")
    )
    return ", ".join(told) or rule.kind


def _listed(value: object) -> str:
    if value is None:
        return "none"
    return f"[{', '.join(map(str, value))}]" if isinstance(value, (tuple, list)) else " ".join(str(value).split())
