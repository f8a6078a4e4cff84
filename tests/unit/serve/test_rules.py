"""Rules of a contract, told without its data."""

from __future__ import annotations

import pytest

from lakelogic.contract import load_text
from lakelogic.serve.reading.rules import condition_in, declared_rules

_CONTRACT = """
source: {path: in.csv}
model:
  fields:
    - {name: id, type: string, required: true}
    - {name: amount, type: double, min: 0}
quality:
  row_rules:
    - {name: known, sql: "region IN ('A', 'B')", label: odd_region}
    - {sql: amount < 100, severity: warning}
  dataset_rules:
    - row_count_between: {min: 1}
    - {name: enough, sql: SUM(other), must_be_greater_than: 5}
transformations:
  - deduplicate:
      {on: [id], sort_by: [amount], dropped: quarantine, blank_keys: quarantine, name: newest, label: stale}
materialization: {target_path: out}
"""


def test_every_rule_is_told_with_what_it_is_about() -> None:
    rules = {rule.name: rule for rule in declared_rules(load_text(_CONTRACT))}
    told = {name: (rule.condition, rule.about, rule.label, rule.named) for name, rule in rules.items()}
    assert told == {
        "id_required": ("id is required", ("id",), None, False),
        "amount_range": (rules["amount_range"].condition, ("amount",), None, False),
        "known": ("region IN ('A', 'B')", (), "odd_region", True),
        "amount_lt_100": ("amount < 100", ("amount",), None, False),
        "id_required_for_dedup": ("id is not blank", ("id",), None, False),
        "newest": ("one row of each id is kept", ("id",), "stale", True),
        "row_count_between": (rules["row_count_between"].condition, (), None, False),
        "enough": ("SUM(other)", (), None, True),
    }
    assert rules["amount_lt_100"].severity == "warning"
    assert rules["enough"].of_dataset


@pytest.mark.parametrize(
    ("message", "name", "condition"),
    [
        ("Rule failed: a > (b)", "a_gt_b", "a > (b)"),
        ("Rule failed: good (a > (b))", "good", "a > (b)"),
        ("Rule failed: email is required", "email_required", "email is required"),
        ("Type mismatch: a cannot be cast to int", "a_type", "Type mismatch: a cannot be cast to int"),
    ],
)
def test_a_condition_is_found_in_its_message(message: str, name: str, condition: str) -> None:
    assert condition_in(message, name) == condition
