"""What transformations mean, on every engine: the examples of each kind, and the promises that hold for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pytest
from sqlglot import exp

from lakelogic.sql.types import BIGINT, Column, Columns
from lakelogic.transforms.base import Step, Transform, TransformExample, transforms
from tests.conformance.evaluators import Evaluator, Frame, Row, alike, plain
from tests.conformance.test_rules import ODD_NAMES, judge

HIDDEN = Column("_ll_position", BIGINT, hidden=True)
CASES = [
    pytest.param(kind, example, id=f"{kind}-{number}")
    for kind, transform in transforms
    for number, example in enumerate(transform.examples, 1)
]
Rows = list[dict[str, Any]]


def made(kind: str, body: Any) -> Transform:
    transform = transforms.get(kind)
    return transform.model_validate(transform.from_yaml(body))


def with_position(frame: Frame) -> Frame:
    """The frame with a hidden column that numbers its rows."""
    rows = [{**row, HIDDEN.name: position} for position, row in enumerate(frame.rows)]
    return Frame({**frame.types, HIDDEN.name: "bigint"}, rows)


def apply(
    engine: Evaluator, transform: Transform, frame: Frame, links: Mapping[str, Frame] | None = None
) -> tuple[Step, list[Row]]:
    links = links or {}
    columns = Columns((*frame.columns.without([HIDDEN.name]), HIDDEN))
    step = transform.step(columns, {name: link.columns for name, link in links.items()})
    return step, engine.evaluate(step.select, {"source": with_position(frame), **links})


def visible(step: Step, rows: list[Row]) -> list[Row]:
    return [{name: row[name] for name in step.columns.visible.names} for row in rows]


def run(engine: Evaluator, kind: str, body: Any, frame: Frame, links: Mapping[str, Frame] | None = None) -> list[Row]:
    step, rows = apply(engine, made(kind, body), frame, links)
    return visible(step, rows)


def chained(engine: Evaluator, steps: Sequence[Transform], frame: Frame, links: Mapping[str, Frame]) -> list[Row]:
    """Several transformations as one query, each over the one before."""
    columns = Columns((*frame.columns, HIDDEN))
    known = {name: link.columns for name, link in links.items()}
    query: exp.Query = exp.select("*").from_("source")
    for transform in steps:
        step = transform.step(columns, known)
        following = step.select.copy()
        for table in [table for table in following.find_all(exp.Table) if table.name == "source"]:
            table.replace(query.subquery(table.alias or "source"))
        query, columns = following, step.columns
    rows = engine.evaluate(query, {"source": with_position(frame), **links})
    return [{name: row[name] for name in columns.visible.names} for row in rows]


@pytest.mark.parametrize(("kind", "example"), CASES)
def test_a_transformation_yields_its_examples(engine: Evaluator, kind: str, example: TransformExample) -> None:
    links = {name: Frame((example.link_types or {})[name], rows) for name, rows in (example.links or {}).items()}
    step, rows = apply(engine, made(kind, example.arguments), Frame(example.types, example.before), links)
    wanted = [{name: plain(value) for name, value in row.items()} for row in example.after]
    assert alike(visible(step, rows)) == alike(wanted)
    assert all(list(row) == step.columns.names for row in rows)
    assert not step.row_wise or sorted(row[HIDDEN.name] for row in rows) == list(range(len(example.before)))


@pytest.mark.parametrize(("kind", "example"), CASES)
def test_hidden_columns_survive(kind: str, example: TransformExample) -> None:
    types = {name: Frame(kinds, ()).columns for name, kinds in (example.link_types or {}).items()}
    columns = Columns((*Columns.of(**example.types), HIDDEN))
    step = made(kind, example.arguments).step(columns, types)
    groups = step.select.args.get("group") is not None
    assert (HIDDEN in step.columns.hidden.items) != groups


def test_rows_that_tie_are_kept_alike_whatever_their_order(engine: Evaluator) -> None:
    types = {"id": "int", "at": "int", "text": "string", "list": "array<int>", "map": "map<string,int>"}
    rows: Rows = [
        {"id": 1, "at": 1, "text": "b", "list": [1], "map": {"k": 1}},
        {"id": 1, "at": 1, "text": "a", "list": [2], "map": {"k": 2}},
        {"id": 1, "at": 1, "text": "a", "list": [1], "map": {"k": 2}},
        {"id": 1, "at": 1, "text": "a", "list": [1], "map": {"k": 1}},
        {"id": 1, "at": 1, "text": None, "list": None, "map": None},
    ]
    body = {"on": "id", "sort_by": "at"}
    for order in (rows, rows[::-1], rows[2:] + rows[:2]):
        assert run(engine, "deduplicate", body, Frame(types, order)) == [rows[3]]


def test_identical_rows_lose_all_but_one(engine: Evaluator) -> None:
    frame = Frame({"id": "int"}, [{"id": 1}] * 3)
    assert run(engine, "deduplicate", {"on": "id", "sort_by": "id"}, frame) == [{"id": 1}]


def test_a_blank_key_among_several_is_never_grouped(engine: Evaluator) -> None:
    rows: Rows = [{"a": "x", "b": None}, {"a": "x", "b": None}, {"a": "x", "b": "\u0020"}, {"a": "x", "b": "y"}]
    frame = Frame({"a": "string", "b": "string"}, [*rows, rows[3]])
    transform = made("deduplicate", {"by": ["a", "b"], "sort_by": "a", "blank_keys": "quarantine"})
    step, kept = apply(engine, transform, frame)
    assert alike(visible(step, kept)) == alike(rows)
    checks = transform.checks(step.columns)
    judged = Frame({**frame.types, "position": "int"}, [{**row, "position": n} for n, row in enumerate(rows)])
    verdicts = judge(engine, checks, {"source": judged})
    assert {check.name: verdict for check, verdict in zip(checks, verdicts, strict=True)} == {
        "a_required_for_dedup": [True, True, True, True],
        "b_required_for_dedup": [False, False, False, True],
    }


def test_a_value_that_a_cast_loses_fails_its_row(engine: Evaluator) -> None:
    frame = Frame({"n": "string"}, [{"n": "1"}, {"n": "x"}, {"n": None}])
    transform = made("cast", {"columns": {"n": "int"}})
    step, rows = apply(engine, transform, frame)
    (check,) = transform.checks(step.columns)
    assert (check.name, check.message) == ("n_type", "Type mismatch: n cannot be cast to int")
    assert [(row["n"], row[check.predicate.name]) for row in rows] == [(1, True), (None, False), (None, True)]


def test_a_second_cast_does_not_forget_what_the_first_one_lost(engine: Evaluator) -> None:
    frame = with_position(Frame({"n": "string"}, [{"n": "1"}, {"n": "x"}, {"n": "300"}]))
    first, second = made("cast", {"columns": {"n": "int"}}), made("cast", {"columns": {"n": "tinyint"}})
    one = first.step(frame.columns, {})
    two = second.step(one.columns, {})
    query = two.select.copy()
    query.set("from_", exp.From(this=one.select.subquery("source")))
    flags = [check.predicate.name for check in (*first.checks(one.columns), *second.checks(two.columns))]
    rows = engine.evaluate(query, {"source": frame})
    assert [[row[flag] for flag in flags] for row in rows] == [[True, True], [False, True], [True, False]]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_transformations_work_on_columns_with_odd_names(engine: Evaluator, name: str) -> None:
    quoted = exp.to_identifier(name, quoted=True).sql("spark")
    frame = Frame({name: "string", "n": "int"}, [{name: " a,b ", "n": 1}, {name: None, "n": 2}])
    link = Frame({name: "string", "v": "int"}, [{name: "A,B", "v": 7}])
    steps = [
        made("sql", f"UPPER({quoted}) AS {quoted}"),
        made("sql", f"SELECT s.{quoted}, n FROM source s"),
        made("filter", f"{quoted} IS NOT NULL"),
        made("trim", name),
        made("lookup", {"field": "looked up", "reference": name, "on": name, "value": "v"}),
        made("join", {"reference": name, "on": name, "prefix": name, "type": "inner"}),
        made("split", {"field": name, "output": f"{name} parts"}),
        made("explode", {"field": f"{name} parts"}),
        made("cast", {"columns": {f"{name}v": "string"}}),
        made("map_values", {"field": f"{name} parts", "mapping": {"A": name}}),
        made("deduplicate", {"on": [name, f"{name} parts"], "sort_by": [name]}),
        made("rename", {"from": name, "to": f"{name}!"}),
        made("drop", "n"),
    ]
    assert alike(chained(engine, steps, frame, {name: link})) == alike(
        [{f"{name}!": "A,B", "looked up": 7, f"{name}v": "7", f"{name} parts": part} for part in (name, "B")]
    )


def test_a_key_of_another_type_is_found(engine: Evaluator) -> None:
    frame = Frame({"id": "string"}, [{"id": "1"}, {"id": "01"}, {"id": "one"}])
    links = {"names": Frame({"id": "int", "name": "string"}, [{"id": 1, "name": "x"}])}
    body = {"field": "name", "reference": "names", "on": "id", "value": "name"}
    assert [row["name"] for row in run(engine, "lookup", body, frame, links)] == ["x", "x", None]


CASTS: list[tuple[str, Any, str, Any]] = [
    ("boolean", True, "date", None),
    ("date", date(2024, 1, 2), "int", None),
    ("int", 5, "timestamp_ntz", None),
    ("int", 2, "boolean", True),
    ("binary", b"5", "int", 5),
    ("string", "maybe", "boolean", None),
    ("string", "12345", "decimal(3,1)", None),
    ("string", " 2024-01-02 ", "date", date(2024, 1, 2)),
    ("double", 1e300, "int", None),
    ("struct<a:int>", {"a": 1}, "string", '{"a":1}'),
    ("struct<b:string,A:string>", {"b": "2", "A": "1"}, "struct<a:int,b:int>", {"a": 1, "b": 2}),
    ("struct<b:string,A:string>", {"b": None, "A": "1"}, "struct<a:int,b:int>", {"a": 1, "b": None}),
    ("struct<a:string>", {"a": "x"}, "struct<a:int>", None),
    ("struct<a:int>", {"a": 1}, "struct<a:int,b:int>", None),
    ("struct<a:struct<b:string>>", {"a": {"b": "x"}}, "struct<a:struct<b:int>>", None),
    ("array<string>", ["1", None], "array<int>", [1, None]),
    ("array<string>", ["1", "x"], "array<int>", None),
    ("array<struct<a:string>>", [{"a": "1"}], "array<struct<a:int>>", [{"a": 1}]),
    ("array<int>", [1], "int", None),
    ("int", 1, "array<int>", None),
    ("string", '{"a":1,"c":2}', "struct<a:int>", {"a": 1}),
    ("string", '{"a":null}', "struct<a:int>", {"a": None}),
    ("string", '{"b":1}', "struct<a:int>", None),
    ("string", '{"a":"x"}', "struct<a:int>", None),
    ("string", '{"a":{"b":"x"}}', "struct<a:struct<b:int>>", None),
    ("string", "{broken", "struct<a:int>", None),
    ("string", "[1,2]", "array<int>", [1, 2]),
    ("string", '[1,"x"]', "array<int>", None),
    ("string", '{"k":1}', "map<string,int>", {"k": 1}),
    ("string", "", "map<string,int>", None),
]


def test_any_cast_can_be_planned_and_one_that_loses_something_gives_null(engine: Evaluator) -> None:
    casts = [case for case in CASTS if case[0] not in engine.refuses]
    frame = Frame(
        {f"c{number}": kind for number, (kind, _, _, _) in enumerate(casts)},
        [{f"c{number}": value for number, (_, value, _, _) in enumerate(casts)}],
    )
    targets = {f"c{number}": target for number, (_, _, target, _) in enumerate(casts)}
    (row,) = run(engine, "cast", {"columns": targets}, frame)
    assert list(row.values()) == [wanted for _, _, _, wanted in casts]


def test_a_row_whose_list_is_json_of_anything_is_never_lost(engine: Evaluator) -> None:
    texts = ['[{"a":1},[2],null,"x"]', '{"a":1}', "5", "", "[1,", "null"]
    frame = Frame({"v": "string"}, [{"v": text} for text in texts])
    step, rows = apply(engine, made("explode", {"field": "v"}), frame)
    assert {row[HIDDEN.name] for row in rows} == set(range(len(texts)))
    assert [row["v"] for row in rows if row[HIDDEN.name] == 0] == ['{"a":1}', "[2]", None, "x"]
    assert step.effect == "expanded"
