"""Promise 1: rows read + expanded = good + quarantined + filtered + deduplicated, whatever the rows."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lakelogic.run.result import Counts
from tests.scenarios.project import Project

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

_CONTRACT = """
    source: {{path: in/*.csv}}
    model:
      fields:
        - {{name: id, type: int, required: true}}
        - {{name: kind, type: string}}
        - {{name: parts, type: string}}
    transformations:
      - {{filter: {{sql: "kind <> 'drop'"}}, phase: {phase}}}
      - {{deduplicate: {{on: [id], sort_by: [kind]}}, phase: {phase}}}
      - {{split: {{field: parts, delimiter: "|"}}, phase: {phase}}}
      - {{explode: {{field: parts}}, phase: {phase}}}
    quality:
      row_rules:
        - {{name: known, sql: "kind IN ('a', 'b')"}}
    materialization: {{target_path: {target}, strategy: overwrite}}
"""

_ROWS = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "3", "4", "5", "6", "x", "y", ""]),
        st.sampled_from(["a", "b", "c", "drop", ""]),
        st.sampled_from(["", "p", "p|q", "p|q|r"]),
    ),
    max_size=60,
)
Row = tuple[str, str, str]


def _as_csv(rows: list[Row]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([("id", "kind", "parts"), *rows])
    return out.getvalue()


def _deduplicated(rows: list[Row]) -> list[Row]:
    """One row of each key that is not blank: the highest kind, and of equal ones the lowest row."""
    kept = [row for row in rows if not row[0]]
    for key in {row[0] for row in rows if row[0]}:
        same = [row for row in rows if row[0] == key]
        highest = max(row[1] for row in same)
        kept.append(min(row for row in same if row[1] == highest))
    return kept


def _exploded(rows: list[Row]) -> list[Row]:
    return [(key, kind, part) for key, kind, parts in rows for part in (parts.split("|") if parts else [""])]


def _is_good(row: Row) -> bool:
    return row[0].isdigit() and row[1] in ("a", "b")


def _oracle_pre(rows: list[Row]) -> tuple[Counts, list[Row]]:
    filtered = [row for row in rows if row[1] not in ("drop", "")]
    once = _deduplicated(filtered)
    parts = _exploded(once)
    good = [row for row in parts if _is_good(row)]
    bad = len(parts) - len(good)
    return Counts(
        source=len(rows),
        expanded=len(parts) - len(once),
        good=len(good),
        quarantined=bad,
        filtered=len(rows) - len(filtered),
        deduplicated=len(filtered) - len(once),
        good_at_split=len(good),
        quarantined_at_split=bad,
    ), good


def _oracle_post(rows: list[Row]) -> tuple[Counts, list[Row]]:
    good = [row for row in rows if _is_good(row)]
    bad = len(rows) - len(good)
    published = _exploded(_deduplicated(good))
    return Counts(
        source=len(rows),
        expanded=0,
        good=len(published),
        quarantined=bad,
        filtered=0,
        deduplicated=0,
        good_at_split=len(good),
        quarantined_at_split=bad,
    ), published


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Project:
    folder: Path = tmp_path_factory.mktemp("accounts")
    project = Project(folder, spark)
    for phase in ("pre", "post"):
        project.contract(_CONTRACT.format(phase=phase, target=phase), f"{phase}.yaml")
    return project


@pytest.mark.parametrize("phase", ["pre", "post"])
@example(rows=[])
@settings(max_examples=3, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(rows=_ROWS)
def test_counts_and_rows_are_those_of_a_plain_oracle(workshop: Project, phase: str, rows: list[Row]) -> None:
    workshop.file("in/1.csv", _as_csv(rows))
    result = workshop.processor(f"{phase}.yaml").run(force=True)
    counts, good = (_oracle_pre if phase == "pre" else _oracle_post)(rows)
    assert result.counts == counts
    written = [(str(row["id"]), row["kind"], row["parts"] or "") for row in workshop.rows(phase)]
    assert sorted(written) == sorted(good)


def test_every_declared_rule_is_reported_once_and_in_order(project: Project) -> None:
    project.file("in/1.csv", "id,kind,parts\n1,a,p\n")
    text = _CONTRACT.format(phase="post", target="out")
    text += "    primary_key: [id]\n"
    result = project.run(
        text.replace("- {name: known", "- {sql: id > 0}\n        - not_null: kind\n        - {name: known")
    )
    assert [rule.name for rule in result.rules] == [
        "malformed_record",
        "id_type",
        "id_required",
        "id_gt_0",
        "kind_not_null",
        "known",
    ]
    assert {rule.status for rule in result.rules} == {"passed"}
    assert [rule.name for rule in result.dataset_rules] == ["id_unique"]
    logged = project.log()[-1]
    assert [rule["name"] for rule in logged["rules"]] == [rule.name for rule in result.rules]


def test_steps_after_the_split_tell_rows_in_and_out(project: Project) -> None:
    project.file("in/1.csv", "id,kind,parts\n1,a,p|q\n1,b,\n2,a,p|q|r\nx,a,p\n")
    result = project.run(_CONTRACT.format(phase="post", target="out"))
    assert [(step.rows_in, step.rows_out) for step in result.steps] == [(3, 3), (3, 2), (2, 4)]
    assert (result.counts.source, result.counts.good, result.counts.quarantined) == (4, 4, 1)


def test_the_log_holds_the_same_counts_as_the_result(project: Project) -> None:
    project.file("in/1.csv", "id,kind,parts\n1,a,p|q\n1,b,\n2,drop,p\nx,a,p\n")
    result = project.run(_CONTRACT.format(phase="pre", target="out"))
    row = project.log()[-1]
    told = {name: row[f"counts_{name}"] for name in ("source", "expanded", "good", "quarantined", "filtered")}
    assert told == {name: getattr(result.counts, name) for name in told}
    assert (row["run_id"], row["plan"], row["status"]) == (result.run_id, result.fingerprint, "succeeded")
    assert (row["started_at"], row["ended_at"]) == (result.started, result.ended)
    assert json.loads(row["report"]) == json.loads(json.dumps(result.to_dict()))
