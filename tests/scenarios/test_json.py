"""json files as they come: lines, arrays, documents over many lines, and text that is no json."""

from __future__ import annotations

import gzip
import json

import pytest

from lakelogic.errors import SourceError
from tests.scenarios.project import Project

_SOURCE = "source: {path: in/*.json}\nmaterialization: {target_path: out}\n"


def test_lines_arrays_and_documents_are_told_apart_file_by_file(project: Project) -> None:
    rows = [{"id": 1, "tags": ["a"]}, {"id": 2, "tags": []}]
    project.file("in/lines.json", "\n".join(json.dumps(row) for row in rows) + "\n")
    project.file("in/array.json", json.dumps([{"id": 3, "tags": ["b"]}, {"id": 4}]))
    project.file("in/pretty.json", json.dumps({"id": 5, "tags": ["c"]}, indent=2))
    project.file("in/pretty_array.json", json.dumps([{"id": 6, "tags": ["d"]}], indent=2))
    project.file("in/empty.json", "")
    assert [(row["id"], row["tags"]) for row in project.read(_SOURCE)] == [
        (1, ["a"]),
        (2, []),
        (3, ["b"]),
        (4, None),
        (5, ["c"]),
        (6, ["d"]),
    ]


def test_columns_come_from_every_row_and_not_from_a_sample(project: Project) -> None:
    lines = [json.dumps({"id": number}) for number in range(500)] + ['{"id": 500, "late": {"deep": "x"}}']
    project.file("in/1.json", "\n".join(lines))
    found = [row["late"] for row in project.read(_SOURCE) if row["late"]]
    assert found == [{"deep": "x"}]


def test_declared_columns_are_read_as_they_are_written(project: Project) -> None:
    project.file(
        "in/1.json", '{"id": "007", "amount": 1.50, "note": {"a": [1]}}\n{"id": 8, "amount": "2", "note": "n"}\n'
    )
    model = (
        "model: {fields: [{name: id, type: string}, {name: amount, type: 'decimal(9,2)'}, {name: note, type: string}]}"
    )
    result = project.run(_SOURCE + model)
    assert result.counts.good == 2
    assert [(row["id"], str(row["amount"]), row["note"]) for row in project.rows()] == [
        ("007", "1.50", '{"a":[1]}'),
        ("8", "2.00", "n"),
    ]


def test_malformed_lines_are_quarantined_with_their_text(project: Project) -> None:
    project.file("in/1.json", '{"id": 1}\n{"id": 2\nnot json\n[1, 2]\n{"id": 3}\n')
    result = project.run(_SOURCE + "model: {fields: [{name: id, type: int, required: true}]}\n")
    assert (result.counts.source, result.counts.good, result.counts.quarantined) == (5, 2, 3)
    assert project.values("_lakelogic_raw", "out_quarantine") == ["[1, 2]", "not json", '{"id": 2']
    assert project.values("_lakelogic_rules", "out_quarantine") == [["malformed_record"]] * 3


def test_a_file_of_nothing_but_malformed_text_is_quarantined_whole(project: Project) -> None:
    project.file("in/1.json", "not json at all\nneither this\n")
    result = project.run(_SOURCE + "model: {fields: [{name: id, type: int}]}\n")
    assert (result.counts.source, result.counts.good, result.counts.quarantined) == (2, 0, 2)
    assert project.values("_lakelogic_raw", "out_quarantine") == ["neither this", "not json at all"]


def test_a_broken_document_is_one_malformed_record(project: Project) -> None:
    project.file("in/1.json", '[\n  {"id": 1},\n  {"id": \n')
    project.file("in/2.json", '{"id": 2}\n')
    result = project.run(_SOURCE)
    assert (result.counts.source, result.counts.good, result.counts.quarantined) == (2, 1, 1)
    assert project.values("id") == [2]


def test_a_column_with_two_types_in_two_kinds_of_file_keeps_every_value(project: Project) -> None:
    project.file("in/1.json", '[{"id": "x1"}]')
    project.file("in/2.json", '{"id": 2}\n')
    assert [row["id"] for row in project.read(_SOURCE)] == ["2", "x1"]


def test_partition_folders_are_columns_of_json_too(project: Project) -> None:
    project.file("in/day=2026-01-01/1.json", '{"id": 1}\n')
    project.file("in/day=2026-01-02/2.json", '[{"id": 2}]')
    text = "source: {path: in, format: json}\nmodel: {fields: [{name: id, type: int}, {name: day, type: date}]}\n"
    assert project.read(text) == [{"id": "1", "day": "2026-01-01"}, {"id": "2", "day": "2026-01-02"}]
    project.file("in/day=2026-01-02/3.json", '{"id": 3, "day": "another"}\n')
    with pytest.raises(SourceError, match="'day' is a column of the files"):
        project.read(text)


def test_compressed_lines_are_read(project: Project) -> None:
    project.file("in/1.json.gz", gzip.compress(b'{"id": 1}\n{"id": 2}\n'))
    assert [row["id"] for row in project.read(_SOURCE.replace("*.json", "*.json.gz"))] == [1, 2]


def test_keys_that_differ_only_in_case_are_told_and_not_guessed(project: Project) -> None:
    project.file("in/1.json", '{"id": 1, "ID": 2}\n')
    with pytest.raises(SourceError, match=r"1.json has columns 'ID' and 'id', which differ in case only"):
        project.read(_SOURCE)
