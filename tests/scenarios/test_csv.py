"""csv files as they come: quotes, encodings, headers, and rows that are not what they should be."""

from __future__ import annotations

import pytest

from lakelogic.errors import GateClosed, SourceError
from tests.scenarios.project import Project


def _source(options: str = "", path: str = "in/*.csv") -> str:
    return f"source: {{path: {path}, options: {{{options}}}}}\nmaterialization: {{target_path: out}}\n"


def test_quoted_values_hold_delimiters_line_ends_and_doubled_quotes(project: Project) -> None:
    project.file("in/1.csv", b'id,text\r\n1,"a,b"\r\n2,"two\nlines"\r\n3,"say ""hi"""\r\n4,back\\slash\r\n')
    assert [row["text"] for row in project.read(_source())] == ["a,b", "two\nlines", 'say "hi"', "back\\slash"]


def test_every_value_is_text_and_only_listed_tokens_are_null(project: Project) -> None:
    project.file("in/1.csv", 'id,code,flag\n1,007,true\n2,,NA\n3,"",null\n')
    assert project.read(_source()) == [
        {"id": "1", "code": "007", "flag": "true"},
        {"id": "2", "code": None, "flag": "NA"},
        {"id": "3", "code": None, "flag": "null"},
    ]
    listed = project.read(_source("null_values: ['NA', '']"))
    assert [row["flag"] for row in listed] == ["true", None, "null"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin1", "cp1252", "utf-16"])
def test_text_in_any_encoding_is_read_alike(project: Project, encoding: str) -> None:
    project.file("in/1.csv", "naïve,größe\nçà,1\n".encode(encoding))
    named = "utf-8" if encoding == "utf-8-sig" else encoding
    assert project.read(_source(f"encoding: {named}")) == [{"naïve": "çà", "größe": "1"}]


def test_a_wrong_encoding_is_told_with_the_cure(project: Project) -> None:
    project.file("in/1.csv", "größe\n1\n".encode("latin1"))
    with pytest.raises(SourceError, match=r"1.csv is not utf-8 text") as caught:
        project.read(_source())
    assert caught.value.cure is not None and "latin1" in caught.value.cure


def test_delimiter_quote_and_comment_are_as_the_contract_says(project: Project) -> None:
    project.file("in/1.csv", "# by hand\nid;text\n1;'a;b'\n# the end\n2;c\n")
    rows = project.read(_source("delimiter: ';', quote_char: \"'\", comment_prefix: '#'"))
    assert rows == [{"id": "1", "text": "a;b"}, {"id": "2", "text": "c"}]
    project.file("tabs/1.csv", "id\ttext\n1\ta,b\n")
    assert project.read(_source('delimiter: "\\t"', "tabs/1.csv")) == [{"id": "1", "text": "a,b"}]


def test_without_a_header_the_model_names_the_columns_in_order(project: Project) -> None:
    project.file("in/1.csv", "1,a,x\n2,b,y\n")
    fields = "model: {fields: [{name: id, type: int}, {name: name}]}\n"
    rows = project.read(_source("has_header: false") + fields)
    assert rows == [{"id": "1", "name": "a", "_c2": "x"}, {"id": "2", "name": "b", "_c2": "y"}]


def test_files_with_other_headers_meet_by_name(project: Project) -> None:
    project.file("in/1.csv", "id,name\n1,a\n")
    project.file("in/2.csv", "name,id,more\nb,2,m\n")
    project.file("in/3.csv", "NAME\nc\n")
    project.file("in/4.csv", "")
    project.file("in/5.csv", "id,name\n")
    assert project.read(_source()) == [
        {"id": "1", "name": "a", "more": None},
        {"id": "2", "name": "b", "more": "m"},
        {"id": None, "name": "c", "more": None},
    ]


@pytest.mark.parametrize("header", ["id,id", "id,ID"])
def test_a_column_that_is_there_twice_is_refused(project: Project, header: str) -> None:
    project.file("in/1.csv", f"{header}\n1,2\n")
    with pytest.raises(SourceError, match=r"1.csv has column") as caught:
        project.run(_source())
    assert caught.value.cure
    assert project.versions() is None


def test_malformed_rows_are_quarantined_with_their_text(project: Project) -> None:
    project.file("in/1.csv", "id,name\n1,a\n2\n3,b,c,d\n")
    fields = "model: {fields: [{name: id, type: int, required: true}, {name: name}]}\n"
    result = project.run(_source() + fields)
    assert (result.counts.source, result.counts.good, result.counts.quarantined) == (3, 1, 2)
    bad = project.rows("out_quarantine")
    assert {row["_lakelogic_raw"].strip() for row in bad} == {"2", "3,b,c,d"}
    assert {tuple(row["_lakelogic_rules"]) for row in bad} == {("malformed_record",)}
    assert project.rows() == [{"id": 1, "name": "a"}]


def test_a_file_without_header_may_have_fewer_columns_than_another(project: Project) -> None:
    project.file("in/1.csv", "1,a\n")
    project.file("in/2.csv", "2\n")
    fields = "model: {fields: [{name: id}, {name: name}]}\n"
    assert project.read(_source("has_header: false") + fields) == [{"id": "1", "name": "a"}, {"id": "2", "name": None}]


def test_bad_rows_are_found_where_nothing_else_is_asked_of_them(project: Project) -> None:
    project.file("in/1.csv", "id,name\n1,a\n2\n")
    with pytest.raises(GateClosed, match="1 bad row,"):
        project.run(_source() + "quarantine: {fail_on_quarantine: true}\n")


def test_an_empty_file_is_a_run_of_no_rows(project: Project) -> None:
    project.file("in/1.csv", "")
    fields = "model: {fields: [{name: id, type: int, required: true}]}\nquality: {row_rules: [{sql: id > 0}]}\n"
    result = project.run(_source() + fields)
    assert (result.status, result.counts.source, result.counts.good) == ("succeeded", 0, 0)
    assert project.rows() == []
