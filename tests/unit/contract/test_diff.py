"""What changed between two versions of a contract, and whether it breaks readers."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakelogic.cli.main import main
from lakelogic.contract import LoadedContract, load_text
from lakelogic.contract.diff.base import Diff, diff
from lakelogic.contract.model import Contract

_OLD = """
version: 1
info: {title: Customers, owner: a@example.com}
dataset: customers
layer: silver
source: {path: in.csv}
primary_key: [id]
model:
  fields:
    - {name: id, type: bigint, required: true}
    - {name: email, type: string, pii: true, masking: hash}
    - {name: status, type: string, accepted_values: [new, paid]}
    - {name: amount, type: "decimal(12,2)", min: 0, max: 1000}
    - {name: note, type: string, max_length: 50}
quality:
  row_rules:
    - {name: has_at, sql: "email LIKE '%@%'"}
    - {name: heed, sql: amount > 1, severity: warning}
  dataset_rules:
    - row_count_between: {min: 1}
materialization: {strategy: merge, target_path: silver/customers}
lineage: {enabled: true}
"""


def _loaded(text: str) -> LoadedContract:
    return load_text(text, file="c.yaml", directory=Path("/project"))


def _diff(*changes: tuple[str, str]) -> Diff:
    text = _OLD
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return diff(_loaded(_OLD), _loaded(text))


def _told(*changes: tuple[str, str]) -> list[tuple[str, str, str]]:
    return [(change.effect, change.code, change.subject) for change in _diff(*changes).changes]


def test_a_contract_does_not_differ_from_itself() -> None:
    found = _diff()
    assert found.changes == () and not found.breaks


def test_a_key_that_is_written_in_another_way_is_the_same_rule() -> None:
    anchor = "    - row_count_between"
    first, *others = (
        _loaded(_OLD.replace(anchor, f"    - unique: {key}\n{anchor}")) for key in ("id", "[id]", "{field: id}")
    )
    assert [diff(first, other).changes for other in others] == [(), ()]


@pytest.mark.parametrize(
    ("before", "after", "effect", "code", "subject"),
    [
        ("    - {name: note, type: string, max_length: 50}\n", "", "breaking", "column-removed", "note"),
        ("name: note", "name: notes", "breaking", "column-renamed", "note"),
        ("type: bigint", "type: int", "breaking", "type-narrowed", "id"),
        ("type: bigint", "type: string", "breaking", "type-changed", "id"),
        ("decimal(12,2)", "decimal(14,2)", "safe", "type-widened", "amount"),
        ("decimal(12,2)", "decimal(12,4)", "breaking", "type-changed", "amount"),
        ("bigint, required: true", "bigint", "breaking", "column-optional", "id"),
        ("name: note, type: string", "name: note, type: string, required: true", "breaking", "column-required", "note"),
        ("masking: hash", "masking: redact", "breaking", "mask-changed", "email"),
        ("pii: true, ", "", "informational", "privacy-changed", "email"),
        ("[new, paid]", "[new]", "breaking", "rule-tightened", "accepted_values of status"),
        ("[new, paid]", "[new, paid, lost]", "safe", "rule-loosened", "accepted_values of status"),
        ("min: 0,", "min: 5,", "breaking", "rule-tightened", "range of amount"),
        ("max: 1000", "max: 2000", "safe", "rule-loosened", "range of amount"),
        ("max_length: 50", "max_length: 40", "breaking", "rule-tightened", "max_length of note"),
        (", max_length: 50", "", "safe", "rule-removed", "max_length of note"),
        ("'%@%'", "'%@%.%'", "breaking", "rule-changed", "has_at"),
        ("severity: warning", "severity: error", "breaking", "rule-tightened", "heed"),
        ("{min: 1}", "{min: 2}", "breaking", "rule-tightened", "row_count_between"),
        ("primary_key: [id]", "primary_key: [id, email]", "breaking", "key-changed", "primary_key"),
        ("strategy: merge", "strategy: scd2", "breaking", "strategy-changed", "materialization.strategy"),
        ("silver/customers}", "silver/clients}", "breaking", "target-path-changed", "materialization.target_path"),
        ("customers}", "customers, partition_by: [status]}", "breaking", "partition-by-changed",
         "materialization.partition_by"),
        ("customers}", "customers, cluster_by: [status]}", "informational", "cluster-by-changed",
         "materialization.cluster_by"),
        ("enabled: true", "enabled: true, capture_domain: false", "breaking", "column-removed", "_lakelogic_domain"),
        ("dataset: customers", "dataset: clients", "breaking", "dataset-renamed", "dataset"),
        ("in.csv", "other.csv", "informational", "source-changed", "source.path"),
        ("version: 1\n", "version: 1\nschema_policy: {unknown_fields: drop}\n", "breaking", "unknown-fields-changed",
         "schema_policy.unknown_fields"),
        ("version: 1\n", "version: 1\ntransformations: [{trim: note}]\n", "informational", "transformation-changed",
         "transformation 1"),
    ],
)  # fmt: skip
def test_each_kind_of_change_is_found_and_judged(before: str, after: str, effect: str, code: str, subject: str) -> None:
    assert _told((before, after)) == [(effect, code, subject)]


def test_a_new_column_is_safe_and_a_new_rule_is_not() -> None:
    more = "50}\n    - {name: city, type: string}\n    - {name: zip, type: string}\n"
    assert _told(("50}\n", more)) == [("safe", "column-added", "city"), ("safe", "column-added", "zip")]
    assert _told(("50}\n", "50}\n    - {name: city, type: string, required: true}\n")) == [
        ("breaking", "column-required", "city"),
        ("safe", "column-added", "city"),
    ]
    assert _told(("row_rules:\n", "row_rules:\n    - {name: short, sql: length(note) < 9}\n")) == [
        ("breaking", "rule-added", "short")
    ]
    assert _told(("row_rules:\n", "row_rules:\n    - {name: short, sql: id > 1, severity: info}\n")) == [
        ("informational", "rule-added", "short")
    ]


def test_the_order_and_the_names_of_rules_break_nothing() -> None:
    rules = (
        "    - {name: has_at, sql: \"email LIKE '%@%'\"}\n",
        "    - {name: heed, sql: amount > 1, severity: warning}\n",
    )
    assert _told(("".join(rules), "".join(reversed(rules)))) == []
    assert _told(("min: 1}", "min: 1, description: Never empty}")) == [
        ("informational", "rule-described", "row_count_between")
    ]


@pytest.mark.parametrize("key", sorted(Contract.model_fields))
def test_no_key_of_a_contract_is_left_out(key: str) -> None:
    samples = {
        "version": "1.1", "info": {"title": "Other"}, "metadata": {"domain": "x"}, "dataset": "x", "tier": "gold",
        "layer": "gold", "target_layer": "gold", "primary_key": ["email"], "natural_key": ["email"],
        "source": {"path": "x.csv"}, "server": {"path": "x.csv"}, "environments": {"prod": {"path": "x.csv"}},
        "links": [{"name": "x", "path": "x.csv"}], "model": {"fields": [{"name": "id", "type": "bigint"}]},
        "schema_policy": "strict", "external_logic": {"type": "python", "path": "x.py"},
        "extraction": {"provider": "regex", "text_column": "note", "patterns": {"a": "b"}},
        "transformations": [{"trim": "note"}], "logic": "SELECT * FROM source",
        "quality": {"row_rules": [{"sql": "id > 1"}]}, "quarantine": {"max_ratio": 0.5},
        "materialization": {"strategy": "append", "target_path": "silver/customers"},
        "soft_deletes": {"flag_field": "gone"}, "lineage": {"enabled": False}, "service_levels": {"freshness_hours": 3},
        "notifications": [{"type": "email", "target": "a@example.com"}], "upstream": ["x"],
        "upstream_freshness": {"x": {"max_age": "1h"}}, "upstream_contracts": ["x"], "upstream_sources": ["x"],
        "downstream": ["x"], "schedule": "daily", "compliance": {"gdpr": True}, "stages": {"silver": {"a": 1}},
        "observatory": {"a": 1},
    }  # fmt: skip
    # The layer has several names, of which the first that is there counts.
    old = _loaded(_OLD.replace("layer: silver\n", ""))
    document = {**old.document, key: samples.get(key)}
    other = old.model.model_copy(update={key: "something else"})
    model = Contract.model_validate(document) if key in samples else other
    assert not diff(old, old).changes
    assert diff(old, replace(old, model=model, document=document, written=document)).changes


_TYPES = st.sampled_from(["int", "bigint", "string", "decimal(10,2)", "date"])
_FIELDS = st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(_TYPES, st.booleans()), max_size=6)


@settings(max_examples=40, deadline=None)
@given(before=_FIELDS, after=_FIELDS)
def test_columns_are_compared_as_sets(before: dict[str, tuple[str, bool]], after: dict[str, tuple[str, bool]]) -> None:
    def loaded(fields: dict[str, tuple[str, bool]]) -> LoadedContract:
        lines = [f"    - {{name: {name}_column, type: '{kind}', required: {str(must).lower()}}}"
                 for name, (kind, must) in fields.items()]  # fmt: skip
        return _loaded("source: {path: in.csv}\n" + ("model:\n  fields:\n" + "\n".join(lines) + "\n" if lines else ""))

    found = diff(loaded(before), loaded(after))
    codes = {change.code for change in found.changes}
    assert bool(codes - {"columns-reordered"}) == (before != after)
    # Names that are this much alike are taken for renamed ones, if the types agree.
    assert ("column-removed" in codes or "column-renamed" in codes) == bool(before.keys() - after.keys())
    assert diff(loaded(after), loaded(after)).changes == ()


def test_values_of_variables_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACE", "s3://secret")
    text = _OLD.replace("in.csv", '"${PLACE}/in.csv"')
    found = diff(_loaded(_OLD), _loaded(text))
    assert [change.message for change in found.changes] == ["in.csv → ${PLACE}/in.csv"]


def test_the_command_exits_with_1_for_what_breaks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text(_OLD)
    new.write_text(_OLD.replace("type: bigint", "type: int"))
    assert main(["diff", str(old), str(old)]) == 0
    assert "Nothing changed." in capsys.readouterr().out
    assert main(["diff", str(old), str(new)]) == 1
    told = capsys.readouterr().out
    assert "Breaking" in told and "type bigint → int" in told and "asks for 2.0.0" in told
    assert main(["diff", str(old), str(new), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["breaking"] is True and data["changes"][0]["code"] == "type-narrowed"
    assert data["changes"][0]["place"]["line"] == 10
    new.write_text("quality: 3\n")
    assert main(["diff", str(old), str(new)]) == 2
    assert main(["diff", str(old), "git:main"]) == 2


def test_a_version_may_come_from_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contracts").mkdir()
    file = tmp_path / "contracts" / "c.yaml"
    file.write_text(_OLD)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "First"]):
        subprocess.run([*git, *command], check=True)
    file.write_text(_OLD.replace("    - {name: note, type: string, max_length: 50}\n", ""))
    assert main(["diff", "git:HEAD:contracts/c.yaml", "contracts/c.yaml"]) == 1
    assert "note" in capsys.readouterr().out
    assert main(["diff", "git:nowhere:contracts/c.yaml", "contracts/c.yaml"]) == 2
    assert "can't be read" in capsys.readouterr().err
