"""The JSON Schema accepts what the loader accepts, and refuses what an editor should underline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from lakelogic.cli.schema import command
from lakelogic.contract.reading import read_yaml
from lakelogic.contract.schema import contract_schema
from lakelogic.contract.template import contract_template
from lakelogic.errors import UsageError

from .builders import HOME, contract


@pytest.fixture(scope="module")
def validator() -> Draft7Validator:
    schema = contract_schema()
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


ACCEPTED = [
    HOME,
    contract_template(),
    "version: 1.10\ndataset: 2024\n",
    "primary_key: id\nupstream: [a]\n",
    "schema_policy: strict\n",
    "schema_policy: {evolution: append}\n",
    "quarantine: {max_ratio: 5%}\n",
    "materialization: {table_properties: {delta.appendOnly: false, n: 3}}\n",
    "service_levels: {freshness: 24h}\n",
    "service_levels: {freshness: {threshold: 24h}, completeness: 99.5}\n",
    "x-mine: 1\nsource: {path: a.csv, x-note: [1]}\n",
    "metadata: {anything: {goes: here}}\n",
    "lineage: {source_column_name: a}\n",
    "quality: {row_rules: [{sql: a > 0, name: x, x-ticket: 1}, {not_null: [a, b]}, {not_null: a, severity: info}]}\n",
    "quality: {row_rules: [{range: {field: a, min: 1}, category: validity}]}\n",
    "quality: {dataset_rules: [{sql: COUNT(*), must_be_between: [1, 2]}, {unique: id}]}\n",
    "transformations: [{rename: {from: a, to: b}}, {deduplicate: {by: [a], sort_by: [b]}, phase: pre}, {lower: a}]\n",
]
REFUSED = [
    "sorce: {path: a}\n",
    "source: {pth: a}\n",
    "source: {load_mode: incremetal}\n",
    "source: 5\n",
    "model: {fields: [{type: string}]}\n",
    "model: {fields: [{name: a, masking: rot13}]}\n",
    "model: {fields: [{name: a, required: [1]}]}\n",
    "quality: {row_rules: [{rnage: {field: a}}]}\n",
    "quality: {row_rules: [a > 0]}\n",
    "quality: {row_rules: [{range: {field: a, mn: 1}}]}\n",
    "quality: {row_rules: [{sql: a > 0, severity: eror}]}\n",
    "quality: {dataset_rules: [{sql: COUNT(*), must_be_between: [1, 2, 3]}]}\n",
    "transformations: [{filtr: a > 0}]\n",
    "schema_policy: lax\n",
    "service_levels: {row_count: {min_rows: -1}}\n",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_loads_is_valid(text: str, validator: Draft7Validator) -> None:
    contract(text)
    data, _ = read_yaml(text, "orders.yaml")
    assert [error.message for error in validator.iter_errors(data)] == []


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_wrong_is_underlined(text: str, validator: Draft7Validator) -> None:
    data, _ = read_yaml(text, "orders.yaml")
    assert not validator.is_valid(data)


def test_every_key_is_described() -> None:
    schema = contract_schema()
    described = {f"#/definitions/{name}" for name, body in schema["definitions"].items() if body.get("description")}
    bodies = {"contract": schema, **schema["definitions"]}
    bare = [
        f"{name}.{key}"
        for name, body in bodies.items()
        for key, value in body.get("properties", {}).items()
        if "description" not in value and value.get("$ref") not in described
    ]
    assert bare == []


def test_the_command_prints_it_or_writes_a_new_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command()
    assert json.loads(capsys.readouterr().out) == contract_schema()
    file = tmp_path / "contract.schema.json"
    command(output=file)
    assert json.loads(file.read_text()) == contract_schema()
    with pytest.raises(UsageError, match="exists"):
        command(output=file)
