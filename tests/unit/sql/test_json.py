"""JSON is read as Spark reads it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakelogic.sql.duckdb.json_converting import converted
from lakelogic.sql.duckdb.json_reading import java_double, list_length, member_names, value_at


@pytest.mark.parametrize(
    ("text", "path", "found"),
    [
        ('{"a":{"b":[1,"x"]}}', '["a","b",1]', "x"),
        ('{"a":1.50}', '["a"]', "1.5"),
        ('{"a":12345678901234567890}', '["a"]', "12345678901234567890"),
        ('{"a":{"x":1, "y": [ 1 , 2 ]}}', '["a"]', '{"x":1,"y":[1,2]}'),
        ('{"a":null,"a":2}', '["a"]', "2"),
        ("{'a':'it'}", '["a"]', "it"),
        ('{"a":1} and more', '["a"]', "1"),
        ('{"a":1', '["a"]', None),
        ('{"a":[1]}', '["a","b"]', None),
        ("[1]", "[3]", None),
        ('{"a":NaN}', '["a"]', None),
    ],
)
def test_a_value_is_found_at_its_path(text: str, path: str, found: str | None) -> None:
    assert value_at(text, path) == found


def test_names_and_lengths_are_those_of_the_outermost_value() -> None:
    assert member_names('{"a":{"b":1},"c":2}') == ["a", "c"]
    assert member_names("[1]") is None
    assert list_length("[1,[2,3]]") == 2
    assert list_length("{}") is None
    assert list_length("[1") is None


@pytest.mark.parametrize(
    ("text", "schema", "found"),
    [
        ('{"v":[1,2]}', "struct<v:array<int>,bad:string>", '{"v":["1","2"],"bad":null}'),
        ('{"v":["x"]}', "struct<v:array<int>,bad:string>", '{"v":null,"bad":"{\\"v\\":[\\"x\\"]}"}'),
        ('{"v":{"d":"2024-1-5","t":"2024-01-05T10:11:12+02:00"}}', "struct<v:struct<d:date,t:timestamp>>",
         '{"v":{"d":"2024-01-05","t":"2024-01-05 08:11:12+00:00"}}'),
        ('{"v":1.255}', "struct<v:decimal(5,2)>", '{"v":"1.26"}'),
        ('{"v":3000000000}', "struct<v:int>", '{"v":null}'),
        ("[true,null]", "array<boolean>", '["true",null]'),
        ("{broken", "array<int>", None),
        (" ", "array<int>", None),
    ],
)  # fmt: skip
def test_a_document_is_converted_or_broken(text: str, schema: str, found: str | None) -> None:
    assert converted(text, schema, "bad") == found


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1e10, "1.0E10"),
        (0.001, "0.001"),
        (0.0009, "9.0E-4"),
        (-123456789.5, "-1.234567895E8"),
        (1e7, "1.0E7"),
        (0.0, "0.0"),
    ],
)
def test_a_double_is_printed_as_java_prints_it(number: float, text: str) -> None:
    assert java_double(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_printed_is_the_same_number(number: float) -> None:
    assert float(java_double(number)) == number
