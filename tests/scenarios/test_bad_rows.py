"""Rows that are not as the contract says: which, why, and what is kept of them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from lakelogic.errors import GateClosed
from tests.scenarios.project import Project

_HEAD = "source: {path: in/*.csv}\nmaterialization: {target_path: out}\n"


def test_a_value_of_another_type_keeps_its_original_text(project: Project) -> None:
    project.file(
        "in/1.csv",
        """
        id,amount,day,flag
        1,1.5,2026-01-31,true
        2,lots,2026-02-30,maybe
        3,,,
        99999999999,1e400,today,1
        """,
    )
    fields = "{name: id, type: int}, {name: amount, type: double}, {name: day, type: date}, {name: flag, type: boolean}"
    result = project.run(_HEAD + f"model: {{fields: [{fields}]}}\n")
    assert result.counts.good == 2
    bad = {row["id"]: row for row in project.rows("out_quarantine")}
    assert (bad["2"]["amount"], bad["2"]["day"], bad["2"]["flag"]) == ("lots", "2026-02-30", "maybe")
    assert bad["2"]["_lakelogic_errors"] == [
        "Type mismatch: amount cannot be cast to double",
        "Type mismatch: day cannot be cast to date",
        "Type mismatch: flag cannot be cast to boolean",
    ]
    assert set(bad["2"]["_lakelogic_categories"]) == {"validity"}
    assert "Type mismatch: id cannot be cast to int" in bad["99999999999"]["_lakelogic_errors"]
    assert bad["2"]["_lakelogic_raw"] == '{"id":"2","amount":"lots","day":"2026-02-30","flag":"maybe"}'


def test_required_values_and_columns_and_optional_columns(project: Project) -> None:
    project.file("in/1.csv", "id,name\n1,a\n,b\n")
    model = "model: {fields: [{name: id, type: int, required: true}, {name: name}, {name: later, type: date}]}\n"
    assert project.run(_HEAD + model).counts.good == 1
    assert project.rows() == [{"id": 1, "name": "a", "later": None}]
    assert [row["_lakelogic_errors"] for row in project.rows("out_quarantine")] == [["Rule failed: id is required"]]

    model = model.replace("{name: later, type: date}", "{name: gone, type: date, required: true}")
    result = project.run(_HEAD.replace("out", "other") + model)
    assert (result.counts.good, result.counts.quarantined) == (0, 2)
    assert {rule.name: rule.failed for rule in result.rules} == {
        "malformed_record": 0,
        "id_type": 0,
        "id_required": 1,
        "gone_required": 2,
    }


@pytest.mark.parametrize("policy", ["quarantine", "drop", "allow"])
def test_unknown_columns_follow_the_policy(project: Project, policy: str) -> None:
    project.file("in/1.csv", "id,extra\n1,\n2,surprise\n")
    model = f"model: {{fields: [{{name: id, type: int}}]}}\nschema_policy: {{unknown_fields: {policy}}}\n"
    result = project.run(_HEAD + model)
    if policy == "quarantine":
        assert project.values("id") == [1]
        assert project.bad() == {"2": ["Unknown fields present: extra"]}
    else:
        kept = {"drop": [{"id": 1}, {"id": 2}], "allow": [{"id": 1, "extra": None}, {"id": 2, "extra": "surprise"}]}
        assert (project.rows(), result.counts.quarantined) == (kept[policy], 0)


def test_a_rule_that_is_null_fails_and_one_that_would_raise_is_null(project: Project) -> None:
    project.file("in/1.csv", "id,a,b\n1,6,3\n2,6,0\n3,,1\n4,9223372036854775807,1\n")
    rules = """
    quality:
      row_rules:
        - {name: ratio, sql: a / b >= 1}
        - {name: sum, sql: a + b > 0}
        - {name: whole, sql: "cast(concat(id, 'x') AS int) IS NULL"}
    model: {fields: [{name: id}, {name: a, type: bigint}, {name: b, type: bigint}]}
    """
    result = project.run(_HEAD + dedent(rules))
    assert project.values("id") == ["1"]
    assert project.bad() == {
        "2": ["Rule failed: ratio (a / b >= 1)"],
        "3": ["Rule failed: ratio (a / b >= 1)", "Rule failed: sum (a + b > 0)"],
        "4": ["Rule failed: sum (a + b > 0)"],
    }
    failed = {rule.name: (rule.status, rule.failed) for rule in result.rules if not rule.name.endswith("_type")}
    assert failed["ratio"] == ("failed", 2)
    assert failed["sum"] == ("failed", 2)
    assert failed["whole"] == ("passed", 0)


def test_warnings_are_counted_and_their_rows_kept(project: Project) -> None:
    project.file("in/1.csv", "id,name\n1,a\n2,\n3,c\nx,d\n")
    rules = """
    model: {fields: [{name: id, type: int}]}
    quality:
      row_rules:
        - {name: named, sql: name IS NOT NULL, severity: warning}
        - {name: small, sql: id < 3, severity: info}
    """
    result = project.run(_HEAD + dedent(rules))
    assert project.values("id") == [1, 2, 3]
    told = {rule.name: (rule.failed, rule.severity) for rule in result.rules}
    assert (told["named"], told["small"]) == ((1, "warning"), (1, "info"))
    assert result.exit_code == 0


def test_labels_fill_the_reason_with_the_first_rule_that_failed(project: Project) -> None:
    project.file("in/1.csv", "id,amount\n1,5\n2,-5\n3,-50\nx,-1\n")
    rules = """
    model: {fields: [{name: id, type: int}, {name: amount, type: int}]}
    quality:
      row_rules:
        - {name: positive, sql: amount > 0, label: NEGATIVE}
        - {name: sane, sql: amount > -10, label: ABSURD}
    """
    project.run(_HEAD + dedent(rules))
    reasons = {row["id"]: row["rejection_reason"] for row in project.rows("out_quarantine")}
    assert reasons == {"2": "NEGATIVE", "3": "NEGATIVE", "x": "id_type"}


def test_post_rules_judge_what_transformations_made(project: Project) -> None:
    project.file("in/1.csv", "id,price,count\n1,2,3\n2,2,30\n3,,1\nx,1,1\n")
    rules = """
    model: {fields: [{name: id, type: int}, {name: price, type: int, required: true}, {name: count, type: int}]}
    transformations:
      - derive: {field: total, sql: price * count}
      - filter: {sql: "id <> 9"}
    quality:
      row_rules:
        - {name: affordable, sql: total < 50}
    """
    result = project.run(_HEAD + dedent(rules))
    assert project.rows() == [{"id": 1, "price": 2, "count": 3, "total": 6}]
    assert project.bad() == {
        "2": ["Rule failed: affordable (total < 50)"],
        "3": ["Rule failed: price is required"],
        "x": ["Type mismatch: id cannot be cast to int"],
    }
    assert {rule.name: rule.stage for rule in result.rules}["affordable"] == "post"
    assert (result.counts.good, result.counts.quarantined) == (1, 3)


def test_dataset_rules_are_reported_and_block_only_where_they_should(project: Project) -> None:
    project.file("in/1.csv", "id,name\n1,a\n1,b\n2,\nx,bad\n")
    rules = """
    model: {fields: [{name: id, type: int}]}
    quality:
      dataset_rules:
        - unique: id
        - row_count_between: {min: 3}
        - null_ratio: {field: name, max: 0.5}
        - {name: total, sql: sum(id), must_be_between: [4, 4]}
    """
    text = _HEAD + dedent(rules)
    result = project.run(text)
    assert {rule.name: (rule.status, rule.value) for rule in result.dataset_rules} == {
        "id_unique": ("failed", 1.0),
        "row_count_between": ("passed", 3.0),
        "name_null_ratio": ("passed", pytest.approx(1 / 3)),
        "total": ("passed", 4.0),
    }
    assert (result.status, result.blocks_downstream, result.exit_code) == ("succeeded", True, 1)
    assert project.values("id") == [1, 1, 2]

    blocking = text.replace("quality:", "quality:\n  fail_pipeline_on_dataset_error: true")
    with pytest.raises(GateClosed, match="id_unique") as caught:
        project.run(blocking.replace("target_path: out", "target_path: other"))
    assert caught.value.exit_code == 1
    assert (project.versions("other"), project.versions("other_quarantine")) == (None, None)


def test_bad_rows_stop_the_run_where_the_contract_says_so(project: Project) -> None:
    project.file("in/1.csv", "id\n1\nx\n")
    model = "model: {fields: [{name: id, type: int}]}\n"
    for gate in ("{fail_on_quarantine: true}", "{enabled: false}"):
        with pytest.raises(GateClosed, match=r"1 bad row.*Type mismatch: id cannot be cast to int"):
            project.run(_HEAD + model + f"quarantine: {gate}\n")
    assert (project.versions(), project.versions("out_quarantine")) == (None, None)


@pytest.mark.parametrize(("limit", "blocks"), [(0.5, False), (0.4, True)])
def test_too_many_bad_rows_block_what_comes_after(project: Project, limit: float, blocks: bool) -> None:
    project.file("in/1.csv", "id\n1\nx\n")
    result = project.run(_HEAD + f"model: {{fields: [{{name: id, type: int}}]}}\nquarantine: {{max_ratio: {limit}}}\n")
    assert (result.status, result.blocks_downstream, result.exit_code) == ("succeeded", blocks, int(blocks))
    assert project.values("id") == [1]
