"""Where a row came from: lineage columns, the quarantine table, and what is kept of the original row."""

from __future__ import annotations

import json
from datetime import UTC
from textwrap import dedent

import pytest

from lakelogic.masks.keys import load_keys
from lakelogic.masks.sealed import unseal
from tests.scenarios.project import Project

_HEAD = "source: {path: in/*.csv, load_mode: incremental}\n"
_INFO = "info: {title: T, version: 2.1.0, domain: sales, system: crm}\n"


def test_lineage_columns_tell_run_file_and_contract(project: Project) -> None:
    project.file("in/1.csv", "id\n1\n")
    text = (
        _HEAD + _INFO + "lineage: {enabled: true, created_by_override: tester}\nmaterialization: {target_path: out}\n"
    )
    result = project.run(text)
    row = project.rows()[0]
    assert row.pop("_lakelogic_source").endswith("/in/1.csv")
    moments = {row.pop("_lakelogic_processed_at"), row.pop("_lakelogic_created_at")}
    assert {moment.astimezone(UTC) for moment in moments} == {result.started}
    assert row == {
        "id": "1",
        "_lakelogic_run_id": result.run_id,
        "_lakelogic_contract_name": "contract.yaml (v2.1.0)",
        "_lakelogic_domain": "sales",
        "_lakelogic_system": "crm",
        "_lakelogic_created_by": "tester",
    }


def test_the_pipelines_id_and_upstream_columns_are_kept_where_asked(project: Project) -> None:
    project.file("in/1.csv", "id,_lakelogic_run_id\n1,r-upstream\n")
    lineage = """
        lineage:
          enabled: true
          run_id_source: pipeline_run_id
          preserve_upstream: [_lakelogic_run_id]
          capture_source_path: false
          run_id_column_name: pipeline
        materialization: {target_path: out}
    """
    project.run(_HEAD + dedent(lineage), pipeline_run_id="p-7")
    row = project.rows()[0]
    assert (row["_upstream_lakelogic_run_id"], row["pipeline"]) == ("r-upstream", "p-7")
    assert not {"_lakelogic_source", "_lakelogic_run_id"} & set(row)


def test_a_merge_keeps_when_a_row_was_first_written(project: Project) -> None:
    project.file("in/1.csv", "id,name\n1,a\n2,b\n")
    text = _HEAD + "lineage: {enabled: true}\nprimary_key: [id]\nmaterialization: {strategy: merge, target_path: out}\n"
    first = project.run(text)
    project.file("in/2.csv", "id,name\n1,A\n2,b\n")
    second = project.run()
    rows = {row["id"]: row for row in project.rows()}
    assert {row["_lakelogic_created_at"].astimezone(UTC) for row in rows.values()} == {first.started}
    # A row that did not change was not touched.
    assert (rows["1"]["_lakelogic_run_id"], rows["2"]["_lakelogic_run_id"]) == (second.run_id, first.run_id)


def test_the_quarantine_table_keeps_its_shape_when_the_source_changes(project: Project) -> None:
    project.file("in/1.csv", "id,name\nx,a\n")
    model = (
        "model: {fields: [{name: id, type: int}, {name: name, type: string}]}\nmaterialization: {target_path: out}\n"
    )
    project.run(_HEAD + model)
    shape = list(project.rows("out_quarantine")[0])
    project.file("in/2.csv", "more,id\nm,y\n")
    project.file("in/3.json", '{"id": {"deep": 1}, "name": 5}\n')
    project.run()
    project.run(_HEAD.replace("in/*.csv", "in/*.json") + model)
    rows = project.rows("out_quarantine")
    assert [list(row) for row in rows] == [shape] * 3
    assert {row["id"]: json.loads(row["_lakelogic_raw"]) for row in rows} == {
        "x": {"id": "x", "name": "a"},
        "y": {"more": "m", "id": "y"},
        '{"deep":1}': {"id": '{"deep":1}', "name": "5"},
    }
    assert {(row["quarantine_state"], row["quarantine_reprocessed"]) for row in rows} == {("active", False)}


@pytest.mark.parametrize("declared", [True, False])
def test_rows_that_were_quarantined_before_are_judged_like_others(project: Project, declared: bool) -> None:
    project.file("in/1.csv", "id,rejection_reason,_lakelogic_errors,_lakelogic_run_id\nx,old,[],r0\n1,old,[],r0\n")
    fields = "{name: id, type: int}, {name: rejection_reason}, {name: _lakelogic_run_id}"
    rules = "quality: {row_rules: [{sql: id <> 'x'}]}\n"
    model = f"model: {{fields: [{fields}]}}\n" if declared else rules
    result = project.run(_HEAD + model + "materialization: {target_path: out}\n")
    row = project.rows("out_quarantine")[0]
    assert (row["id"], row["_lakelogic_run_id"]) == ("x", result.run_id)
    assert row["rejection_reason"] in ("id_type", "id_ne")
    assert json.loads(row["_lakelogic_raw"])["rejection_reason"] == "old"
    assert [bad["id"] for bad in result.bad.collect()] == ["x"]
    assert project.rows()[0]["rejection_reason"] == "old"


_PII = """
    model:
      fields:
        - {name: id, type: int}
        - {name: email, pii: true, masking: redact}
    materialization: {target_path: out}
"""


@pytest.mark.parametrize("with_key", [True, False])
def test_the_original_row_is_sealed_with_a_key_and_not_kept_without(
    project: Project, monkeypatch: pytest.MonkeyPatch, with_key: bool
) -> None:
    key = "00112233445566778899aabbccddeeff102132435465768798a9babbdcddfefe"
    monkeypatch.delenv("LAKELOGIC_PII_KEY", raising=False)
    if with_key:
        monkeypatch.setenv("LAKELOGIC_PII_KEY", key)
    project.file("in/1.csv", "id,email\nx,who@corp.com\n1,me@corp.com\n")
    result = project.run(_HEAD + dedent(_PII))
    row = project.rows("out_quarantine")[0]
    assert (row["id"], row["email"]) == ("x", "***REDACTED***")
    assert project.values("email") == ["***REDACTED***"]
    if with_key:
        opened = unseal(row["_lakelogic_raw"], load_keys({"LAKELOGIC_PII_KEY": key}))
        assert json.loads(opened) == {"id": "x", "email": "who@corp.com"}
    else:
        assert row["_lakelogic_raw"] is None
        assert any("LAKELOGIC_PII_KEY is not set" in note for note in result.notes)
    assert [bad["email"] for bad in result.bad.collect()] == ["who@corp.com"]
