"""The files in data/, as the tests and scripts read them."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LAB = Path(__file__).resolve().parents[1]
DATA = LAB / "data"
ARTIFACTS = LAB / "artifacts"
REGISTRY = LAB / "contracts" / "_registry.yaml"
COLUMNS = ("order_id", "customer_id", "region", "channel", "status", "amount", "currency", "order_ts")


@dataclass(frozen=True)
class Rejected:
    """Why a row must be rejected: its rejection_reason, and every rule that it fails."""

    reason: str
    rules: tuple[str, ...]


@dataclass(frozen=True)
class CaseRow:
    """One row of a case: what is sent, and what must become of it; `stored` are values that silver must hold."""

    tag: str
    sent: dict[str, str]
    rejected: Rejected | None
    stored: dict[str, str]


@dataclass(frozen=True)
class Case:
    """A case of validation_cases.json; `gold` is the row of its region, None where there must be none."""

    name: str
    why: str
    rows: tuple[CaseRow, ...]
    gold: dict[str, Any] | None


def source_orders() -> list[dict[str, str]]:
    """The rows of the source file."""
    with (DATA / "source_orders.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def quality_gates() -> dict[str, str]:
    """The label of each quality gate, by its name, in rule order."""
    pack = json.loads((DATA / "quality_rules.json").read_text(encoding="utf-8"))
    steps = [step["deduplicate"] for step in pack["transformations"] if "deduplicate" in step]
    return {rule["name"]: rule["label"] for rule in [*pack["quality"]["row_rules"], *steps]}


def validation_cases() -> tuple[Case, ...]:
    """The cases, each row filled up with the defaults."""
    found = json.loads((DATA / "validation_cases.json").read_text(encoding="utf-8"))
    return tuple(_case(case, found["defaults"]) for case in found["cases"])


def _case(case: dict[str, Any], defaults: dict[str, str]) -> Case:
    rows = tuple(_row(case["name"], number, row, defaults) for number, row in enumerate(case["rows"], 1))
    return Case(case["name"], case["why"], rows, case.get("gold"))


def _row(case: str, number: int, row: dict[str, Any], defaults: dict[str, str]) -> CaseRow:
    # No rule looks at the channel, so that it can tell which row this was.
    tag = f"{case}-{number}"
    own = {"order_id": tag, "region": case, "channel": tag}
    sent = {**defaults, **own, **{key: value for key, value in row.items() if key in COLUMNS}}
    rejected = row.get("rejected")
    why = Rejected(rejected["reason"], tuple(rejected["rules"])) if rejected else None
    return CaseRow(tag, sent, why, row.get("stored", {}))
