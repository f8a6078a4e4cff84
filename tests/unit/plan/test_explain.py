"""A plan tells its passes, its SQL, its writes and what it can't promise."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lakelogic import DataProcessor, LakeLogicError
from lakelogic.plan.explain import explained
from lakelogic.plan.model import Plan

ORDERS = """
dataset: orders
source: {{path: "data/*.csv"}}
model:
  fields:
    - {{name: id, type: bigint, required: true}}
    - {{name: buyer, type: string, pii: true, masking: {masking}}}
    - {{name: amount, type: double}}
quality:
  row_rules: [{{name: positive, sql: "amount > 0"}}]
  dataset_rules: [{dataset_rules}]
quarantine: {{fail_on_quarantine: {strict}}}
materialization: {{strategy: {strategy}, primary_key: [id], target_path: lake/orders}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAKELOGIC_PII_KEY", "00112233445566778899aabbccddeeff102132435465768798a9babbdcddfefe")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("id,buyer,amount\n1,Jane,10\n")
    return tmp_path


def plan_of(
    project: Path, strategy: str = "append", masking: str = "redact", dataset_rules: str = "", strict: bool = False
) -> Plan:
    text = ORDERS.format(strategy=strategy, masking=masking, dataset_rules=dataset_rules, strict=str(strict).lower())
    (project / "orders.yaml").write_text(text)
    return DataProcessor(project / "orders.yaml").plan()


def test_bad_rows_and_good_rows_are_a_pass_each(project: Path) -> None:
    (project / "plain.yaml").write_text(
        'source: {path: "data/*.csv"}\nquality: {row_rules: [{sql: "amount > 0"}]}\n'
        "materialization: {target_path: lake/plain}\n"
    )
    passes = explained(DataProcessor(project / "plain.yaml").plan()).passes
    assert [each.purpose for each in passes] == ["write the bad rows", "write the good rows"]


def test_files_that_do_not_declare_their_columns_cost_a_pass_to_learn_them(project: Path) -> None:
    plan = plan_of(project)
    learnt = explained(replace(plan, read=replace(plan.read, format="json"))).passes
    assert learnt[0].purpose == "learn the columns"
    assert len(learnt) == len(explained(plan).passes) + 1


def test_code_of_the_contract_makes_the_rows_in_a_pass_of_its_own(project: Path) -> None:
    plan = plan_of(project)
    made = replace(plan, read=replace(plan.read, options=(("external_logic", "logic.py"),)))
    first, *others = explained(made).passes
    assert (first.purpose, first.because) == (
        "make the rows",
        "logic.py is called, and the rows that it returns are kept",
    )
    assert tuple(others) == explained(plan).passes


def test_dataset_rules_cost_one_pass_however_many(project: Path) -> None:
    one = explained(plan_of(project, dataset_rules="{row_count_between: {min: 1}}"))
    three = explained(
        plan_of(
            project,
            dataset_rules="{row_count_between: {min: 1}}, {null_ratio: {field: id, max: 0.1}}, {unique: id}",
        )
    )
    assert [each.purpose for each in one.passes] == [each.purpose for each in three.passes]
    assert one.passes[0].purpose == "measure the good rows"


def test_a_merge_measures_its_keys_and_writes_the_rows_it_kept(project: Path) -> None:
    passes = explained(plan_of(project, "merge")).passes
    assert [each.over for each in passes] == ["source", "source", "good rows that were kept"]
    assert "each once: id" in passes[0].because


def test_a_contract_that_allows_no_bad_row_counts_them_first(project: Path) -> None:
    passes = explained(plan_of(project, strict=True)).passes
    assert passes[0].purpose == "count the bad rows"


def test_writes_are_in_order_with_their_transactions(project: Path) -> None:
    plan = plan_of(project, "merge")
    writes = explained(plan).writes
    assert [(write.role, write.how) for write in writes] == [("quarantined", "append"), ("good", "merge, by id")]
    assert writes[1].writer == f"lakelogic/{plan.identity}/target"


def test_a_merge_of_values_encrypted_anew_promises_less(project: Path) -> None:
    (promise,) = explained(plan_of(project, "merge", "encrypt")).weaker_promises
    assert "changed or not: buyer is encrypted anew" in promise
    assert explained(plan_of(project, "merge", "hash")).weaker_promises == ()
    assert explained(plan_of(project, "append", "encrypt")).weaker_promises == ()


def test_every_statement_of_the_plan_is_told(project: Path) -> None:
    plan = plan_of(project)
    told = {statement.sql for statement in explained(plan).statements}
    stages = (plan.pre, plan.post)
    there = {sql for stage in stages for sql in (stage.good, stage.bad, stage.quarantine) if sql}
    there |= {step.sql for stage in stages for step in stage.steps} | {plan.publish}
    assert there <= told


def test_the_plan_as_data_has_a_format_and_no_secret(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221101"
    monkeypatch.setenv("LAKELOGIC_PII_KEY", secret)
    data = explained(plan_of(project, "merge", "encrypt")).to_dict()
    text = json.dumps(data)
    assert data["format"] == 1
    assert secret not in text
    assert json.loads(text)["plan"]["masks"] == [["buyer", "encrypt"]]


def test_columns_made_from_a_private_one_are_hidden_unless_declared(project: Path) -> None:
    (project / "made.yaml").write_text(
        """
source: {path: "data/*.csv"}
model: {fields: [{name: buyer, pii: true}, {name: initial}]}
transformations:
  - {derive: {field: initial, sql: "left(buyer, 1)"}}
  - {derive: {field: copy, sql: "upper(buyer)"}}
  - {derive: {field: size, sql: "amount * 2"}}
materialization: {target_path: lake/made}
"""
    )
    assert DataProcessor(project / "made.yaml").plan().hide == ("buyer", "copy")


def test_a_preview_leaves_nothing_behind(project: Path) -> None:
    plan_of(project)
    assert sorted(path.name for path in project.iterdir()) == ["data", "orders.yaml"]


def test_a_preview_without_any_file_says_so(project: Path) -> None:
    (project / "data" / "a.csv").unlink()
    with pytest.raises(LakeLogicError, match="no file matches"):
        plan_of(project)
