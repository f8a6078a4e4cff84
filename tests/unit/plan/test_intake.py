"""Rows as they come in: what flattening, text and extraction make of columns, and what they refuse."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from lakelogic.contract import load_text
from lakelogic.errors import ContractError
from lakelogic.plan.intake import take_in
from lakelogic.plan.stages import Chain
from lakelogic.sql.types import STRING, Column, Columns, type_name

HIDDEN = Column("_ll_file", STRING, hidden=True)
COLUMNS = Columns(
    (*Columns.of(id="int", at="struct<city:string,geo:struct<lat:double>>", tags="array<struct<a:int>>"), HIDDEN)
)


def taken_in(text: str, columns: Columns = COLUMNS) -> dict[str, str]:
    chain = Chain(columns, {})
    take_in(load_text(textwrap.dedent(text), file="c.yaml", directory=Path("/project")), chain)
    assert HIDDEN in chain.columns.hidden.items
    for _, step, _, _ in chain.steps:
        assert step.row_wise
        assert step.select.named_selects == step.columns.names
    return {column.name: type_name(column.type) for column in chain.columns.visible}


def refused(text: str, columns: Columns = COLUMNS) -> str:
    with pytest.raises(ContractError) as caught:
        taken_in(text, columns)
    return str(caught.value)


def test_structs_become_columns_in_their_place_and_lists_stay() -> None:
    wanted = {"id": "int", "at_city": "string", "at_geo_lat": "double", "tags": "array<struct<a:int>>"}
    for said in ("true", "[at]", "at"):
        found = taken_in(f"source: {{path: a.json, flatten_nested: {said}}}")
        assert found == wanted
        assert list(found) == list(wanted)


def test_without_a_wish_rows_come_in_as_they_are() -> None:
    assert list(taken_in("source: {path: a.json}")) == ["id", "at", "tags"]
    assert list(taken_in("server: {type: local, mode: ingest, path: a.json}")) == ["id", "at", "tags"]


def test_what_can_not_be_flattened_is_refused_with_its_place() -> None:
    told = refused("source:\n  path: a.json\n  flatten_nested: [adress]\n")
    assert told.startswith("c.yaml:3:3: column 'adress' is unknown.")
    assert "'id' is int, and only a struct can be flattened" in refused("source: {path: a.json, flatten_nested: [id]}")
    twice = Columns((*Columns.of(at_city="int"), *COLUMNS))
    assert "would yield column 'at_city' twice" in refused("source: {path: a.json, flatten_nested: true}", twice)


def test_all_is_text_where_the_server_says_so() -> None:
    found = taken_in("server: {type: local, path: a.json, cast_to_string: true}")
    assert found == {"id": "string", "at": "string", "tags": "string"}


def test_patterns_become_columns_of_the_types_that_are_declared() -> None:
    columns = Columns((*Columns.of(note="string"), HIDDEN))
    found = taken_in(
        """
        extraction:
          provider: regex
          text_column: note
          patterns: {order: "order (\\\\d+)", mail: "\\\\S+@\\\\S+"}
          output_schema: [mail, {name: order, type: int}]
        """,
        columns,
    )
    assert found == {"note": "string", "order": "int", "mail": "string"}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("{provider: regex, text_column: note}", "needs text_column and patterns"),
        ("{provider: regex, patterns: {a: b}}", "needs text_column and patterns"),
        ("{provider: regex, text_column: notes, patterns: {a: b}}", "column 'notes' is unknown. Did you mean 'note'?"),
        ("{provider: regex, text_column: note, patterns: {a: '('}}", "the pattern of 'a' can't be read: missing )"),
        ("{provider: regex, text_column: note, patterns: {_ll_file: x}}", "is used by the run itself"),
        ("{provider: regex, text_column: note, patterns: {a: b}, output_schema: [c]}", "for which there is no pattern"),
        (
            "{provider: regex, text_column: note, patterns: {a: b}, output_schema: [{name: a, type: integr}]}",
            "type 'integr' is unknown",
        ),
        (
            "{provider: regex, text_column: note, patterns: {a: b}, model: gpt}",
            "extraction by regex has no use for model",
        ),
    ],
)
def test_an_extraction_that_makes_no_sense_is_refused_with_its_place(body: str, told: str) -> None:
    message = refused(f"extraction: {body}", Columns((*Columns.of(note="string"), HIDDEN)))
    assert told in message
    assert message.startswith("c.yaml:1:1: ")
