"""Parts of a contract that do not fit together are told before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.contract import load_contract
from lakelogic.errors import ContractInvalid

from .builders import contract, problems


@pytest.mark.parametrize("version", ["1", "'1'", "1.0", "1.10", "1.0.0", "'1.x'"])
def test_version_1_is_read_in_every_spelling(version: str) -> None:
    contract(f"version: {version}\n")


def test_a_newer_version_is_refused_with_the_cure() -> None:
    (problem,) = problems("version: 2.0\n")
    assert problem == (
        "orders.yaml:1:1: contract format '2.0' is unknown to this release, which reads 1. "
        "Update LakeLogic, or write version: 1."
    )


@pytest.mark.parametrize("strategy", ["merge", "scd2"])
def test_strategies_that_match_keys_need_a_primary_key(strategy: str) -> None:
    assert problems(f"materialization:\n  strategy: {strategy}\n") == [
        f"orders.yaml:2:3: strategy {strategy} needs a primary_key. Add primary_key: [column, …]."
    ]


def test_the_primary_key_stands_at_the_top_or_in_materialization_but_says_one_thing() -> None:
    assert contract("primary_key: a\nmaterialization: {strategy: merge}").primary_key == ("a",)
    assert contract("materialization: {strategy: merge, primary_key: [a]}").primary_key == ("a",)
    assert contract("primary_key: [a]\nmaterialization: {primary_key: a}").primary_key == ("a",)
    (problem,) = problems("primary_key: [a]\nmaterialization: {primary_key: [b]}")
    assert "with different columns" in problem


def test_field_names_are_unique_whatever_their_case() -> None:
    assert problems("model:\n  fields:\n    - name: Id\n    - name: x\n    - name: ID\n") == [
        "orders.yaml:5:7: field 'ID' is named twice; case makes no difference. Remove one."
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("source: {path: a}\nserver: {path: a}", "source and server say the same."),
        ("primary_key: [a, A]", "column 'A' is named twice"),
        ("materialization: {partition_by: [a, a]}", "column 'a' is named twice"),
        ("links: [{name: c}]", "link 'c' needs either a path or a table."),
        ("links: [{name: c, path: a, table: b}]", "link 'c' needs either a path or a table."),
        ("links: [{name: c, path: a}, {name: C, path: b}]", "link 'C' is named twice"),
        ("links: [{name: source, path: a}]", "link 'source' has the name of the rows being read."),
        ("dataset: orders\nlinks: [{name: orders, path: a}]", "link 'orders' has the name of the rows being read."),
        ("quarantine: {target: a, table: b}", "quarantine.target and quarantine.table say the same."),
        ("source: {path: a.csv, load_mode: cdc}", "load_mode cdc needs to know the changes."),
        ("source: {path: a.parquet, options: {multiline: true}}", "option 'multiline' has no meaning for parquet."),
        (
            "source: {path: a, format: parquet, options: {delimiter: ;}}",
            "option 'delimiter' has no meaning for parquet.",
        ),
        ("model: {fields: [{name: a, masking: hash, masking_format: '{last4}'}]}", "masking_format has no meaning"),
    ],
)
def test_parts_that_do_not_fit_are_told(text: str, sentence: str) -> None:
    (problem,) = problems(text)
    assert sentence in problem


@pytest.mark.parametrize("masking", ["encrypt", "nullify", "redact", "partial"])
def test_a_merge_key_can_not_be_masked_beyond_recognition(masking: str) -> None:
    (problem,) = problems(
        f"""
        primary_key: [id]
        materialization: {{strategy: merge}}
        model: {{fields: [{{name: ID, masking: {masking}}}]}}
        """
    )
    assert f"key column 'ID' can't be found again once it is masked with {masking}." in problem


@pytest.mark.parametrize("masking", ["hash", "tokenize", "encrypt, masking_mode: deterministic"])
def test_a_merge_key_may_be_masked_one_to_one(masking: str) -> None:
    contract(
        f"""
        primary_key: [id]
        materialization: {{strategy: merge}}
        model: {{fields: [{{name: id, masking: {masking}}}]}}
        """
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("quality:\n  row_rules:\n    - sql: a >\n", "3:7"),
        ("quality:\n  dataset_rules:\n    - sql: SUM(\n      must_be_less_than: 3\n", "3:7"),
        ("transformations:\n  - sql: LOWER(email) AS\n", "2:5"),
        ("transformations:\n  - filter:\n      sql: a >\n", "3:7"),
        ("transformations:\n  - derive: {field: a, sql: b +}\n", "2:24"),
        ("model:\n  fields:\n    - name: a\n      rules:\n        - sql: a >\n", "5:11"),
        ("links:\n  - name: c\n    path: a.csv\n    filter: x >\n", "4:5"),
        ("quality:\n  row_rules:\n    - sql: DROP TABLE x\n", "3:7"),
        ("quality:\n  row_rules:\n    - sql: a > 0; b > 0\n", "3:7"),
        ("quality:\n  row_rules:\n    - sql: java_method('java.lang.System', 'exit', 1)\n", "3:7"),
    ],
)
def test_sql_that_can_not_be_read_is_told_with_its_place(text: str, place: str) -> None:
    (problem,) = problems(text)
    assert problem.startswith(f"orders.yaml:{place}: ")


def test_an_sql_error_underlines_what_was_written() -> None:
    (problem,) = problems("quality: {row_rules: [{sql: amount > 5 5}]}")
    assert len(problem.splitlines()) <= 3
    assert "^" in problem


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("transformations:\n  - lookup: {field: x, reference: contries, on: a, value: b}\n", "6:5"),
        ("transformations:\n  - join: {reference: contries, on: a}\n", "6:5"),
        ("transformations:\n  - sql: SELECT s.* FROM source s JOIN contries c ON s.a = c.a\n", "6:5"),
        ("quality:\n  row_rules:\n    - referential_integrity: {field: a, reference: contries}\n", "7:41"),
    ],
)
def test_a_link_that_is_not_declared_is_told_with_the_nearest_one(text: str, place: str) -> None:
    (problem,) = problems(f"dataset: orders\nlinks:\n  - name: countries\n    path: c.csv\n{text}")
    assert problem == f"orders.yaml:{place}: 'contries' is no link of this contract. Did you mean 'countries'?"


def test_sql_may_call_the_rows_by_the_datasets_name() -> None:
    contract("dataset: orders\ntransformations: [{sql: 'SELECT a FROM orders'}]")


def test_pii_without_masking_is_noted_once_and_refused_where_the_project_says_so(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(
        "model:\n  fields:\n    - {name: id}\n    - {name: email, pii: true}\n    - {name: iban, sensitive: true}\n"
        "    - {name: phone, pii: true, masking: hash}\n"
    )
    (note,) = load_contract(file).notes
    assert str(note) == f"{file}:4:7: pii without masking: email, iban are stored as they are."
    (tmp_path / "lakelogic.toml").write_text('[privacy]\nunmasked_pii = "refuse"\n')
    with pytest.raises(ContractInvalid, match="email, iban are stored as they are"):
        load_contract(file)


def test_open_data_contract_standard_documents_are_told_as_not_built_yet() -> None:
    assert problems("apiVersion: v3.0.0\nkind: DataContract\nid: x\n") == [
        "orders.yaml:2:1: not supported yet: Open Data Contract Standard documents"
    ]


@pytest.mark.parametrize(
    ("text", "layer"),
    [
        ("layer: raw", "bronze"),
        ("tier: Curated", "gold"),
        ("target_layer: cleansed", "silver"),
        ("metadata: {data_layer: masterdata}", "reference"),
        ("layer: platinum", "platinum"),
        ("materialization: {target_path: lake/silver/orders}", "silver"),
        ("materialization: {target_path: s3://lake/gold/orders/}", "gold"),
        ("materialization: {target_path: main.landing.orders}", "bronze"),
        ("materialization: {target_path: lake/orders}", None),
        ("materialization: {target_path: silver/2024/orders}", None),
        ("dataset: silver_orders", None),
    ],
)
def test_the_layer_is_declared_or_that_of_the_target(text: str, layer: str | None) -> None:
    assert contract(text).layer == layer


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("dataset: a\ninfo: {table_name: b}", "a"),
        ("info: {table_name: b}\nmaterialization: {target_path: lake/c}", "b"),
        ("materialization: {target_path: lake/c}", "c"),
        ("materialization: {target_path: lake/c.parquet}", "c"),
        ("materialization: {target_path: 'main.s.`my c`'}", "my c"),
        ("materialization: {target_path: 's3://lake/c/'}", "c"),
        ("source: {path: x.csv}", "contract"),
    ],
)
def test_the_name_is_declared_or_that_of_the_target(text: str, name: str) -> None:
    assert contract(text).name == name


def test_the_name_is_else_that_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "orders_v1.yaml").write_text("source: {path: x.csv}\n")
    assert load_contract(tmp_path / "orders_v1.yaml").name == "orders_v1"


@pytest.mark.parametrize(
    ("source", "type_", "format_"),
    [
        ("{path: a.csv}", "file", "csv"),
        ("{path: a/*.json.gz}", "file", "json"),
        ("{path: a, pattern: '*.ndjson'}", "file", "json"),
        ("{path: a, format: jsonl}", "file", "json"),
        ("{path: a}", "file", None),
        ("{path: main.silver.orders}", "table", None),
        ("{path: orders.parquet}", "file", "parquet"),
        ("{path: a, format: delta}", "delta", "delta"),
        ("{type: delta, path: a}", "delta", "delta"),
        ("{path: 'jdbc:postgresql://h/d'}", "database", None),
        ("{type: landing, path: a.csv}", "landing", "csv"),
        ("{pattern: '*.csv'}", None, "csv"),
    ],
)
def test_type_and_format_of_a_source_follow_from_its_path(source: str, type_: str | None, format_: str | None) -> None:
    loaded = contract(f"source: {source}")
    assert (loaded.source_type, loaded.source_format) == (type_, format_)


def test_the_older_spelling_of_source_means_the_same() -> None:
    loaded = contract("server: {type: delta, path: lake/a, mode: ingest}")
    assert loaded.source is not None
    assert (loaded.source.path, loaded.source_type, loaded.source_format) == ("lake/a", "delta", "delta")
    assert contract("server: {type: s3, path: lake/a.csv}").source_type == "file"


@pytest.mark.parametrize(
    ("short", "evolution", "unknown_fields"),
    [("strict", "strict", "quarantine"), ("quarantine", "allow", "quarantine"), ("allow", "allow", "allow")],
)
def test_the_short_form_of_schema_policy(short: str, evolution: str, unknown_fields: str) -> None:
    policy = contract(f"schema_policy: {short}").model.schema_policy
    assert (policy.evolution, policy.unknown_fields) == (evolution, unknown_fields)
