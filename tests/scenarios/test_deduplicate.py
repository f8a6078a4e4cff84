"""Deduplication whose dropped rows are kept in quarantine, and which never prefers a bad row."""

from __future__ import annotations

import pytest

from tests.scenarios.project import Project

_ROWS = "id,at,amount\n1,1,5\n1,2,-1\n1,3,x\n2,1,7\n2,2,8\n3,1,-3\n3,2,-4\n,1,1\n"
_CONTRACT = """
    source: {{path: in.csv}}
    model:
      fields: [{{name: id, type: int}}, {{name: at, type: int}}, {{name: amount, type: int}}]
    transformations:
      - {{deduplicate: {{on: id, sort_by: at, {options}}}, phase: {phase}}}
    quality: {{row_rules: [{{name: positive, sql: "amount > 0", label: negative}}]}}
    materialization: {{target_path: out}}
"""


def _published(project: Project) -> set[tuple[int | None, int]]:
    return {(row["id"], row["at"]) for row in project.rows()}


def _quarantined(project: Project) -> dict[tuple[str | None, str], tuple[list[str], str]]:
    return {
        (row["id"], row["at"]): (list(row["_lakelogic_rules"]), row["rejection_reason"])
        for row in project.rows("out_quarantine")
    }


def test_dropped_rows_are_quarantined_under_the_steps_name_and_label(project: Project) -> None:
    project.file("in.csv", _ROWS)
    options = "dropped: quarantine, name: newest, label: stale"
    result = project.run(_CONTRACT.format(options=options, phase="pre"))
    assert _published(project) == {(2, 2), (None, 1)}
    assert _quarantined(project) == {
        ("1", "1"): (["newest"], "stale"),
        ("1", "2"): (["newest", "positive"], "stale"),
        ("1", "3"): (["amount_type"], "amount_type"),
        ("2", "1"): (["newest"], "stale"),
        ("3", "1"): (["newest", "positive"], "stale"),
        ("3", "2"): (["positive"], "negative"),
    }
    counts = result.counts
    assert (counts.source, counts.good, counts.quarantined, counts.deduplicated) == (8, 2, 6, 0)
    (told,) = [rule for rule in result.rules if rule.name == "newest"]
    assert (told.failed, told.category) == (4, "uniqueness")


def test_a_bad_row_never_beats_a_good_one(project: Project) -> None:
    project.file("in.csv", _ROWS)
    result = project.run(_CONTRACT.format(options="prefer: valid", phase="pre"))
    assert _published(project) == {(1, 1), (2, 2), (None, 1)}
    assert set(_quarantined(project)) == {("3", "2")}
    counts = result.counts
    assert (counts.source, counts.good, counts.quarantined, counts.deduplicated) == (8, 3, 1, 4)


def test_a_bad_row_never_beats_a_good_one_and_is_kept(project: Project) -> None:
    project.file("in.csv", _ROWS)
    project.run(_CONTRACT.format(options="prefer: valid, dropped: quarantine, label: stale", phase="pre"))
    assert _published(project) == {(1, 1), (2, 2), (None, 1)}
    assert _quarantined(project) == {
        ("1", "2"): (["positive", "id_deduplicate"], "negative"),
        ("1", "3"): (["amount_type", "id_deduplicate"], "amount_type"),
        ("2", "1"): (["id_deduplicate"], "stale"),
        ("3", "1"): (["positive", "id_deduplicate"], "negative"),
        ("3", "2"): (["positive"], "negative"),
    }


@pytest.mark.parametrize("prefer", ["any", "valid"])
def test_after_the_split_only_good_rows_compete(project: Project, prefer: str) -> None:
    project.file("in.csv", _ROWS)
    options = f"prefer: {prefer}, dropped: quarantine, label: stale"
    result = project.run(_CONTRACT.format(options=options, phase="post"))
    assert _published(project) == {(1, 1), (2, 2), (None, 1)}
    assert _quarantined(project)["2", "1"] == (["id_deduplicate"], "stale")
    counts = result.counts
    assert (counts.good, counts.quarantined, counts.good_at_split, counts.quarantined_at_split) == (3, 5, 4, 4)
