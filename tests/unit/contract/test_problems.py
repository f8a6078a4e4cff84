"""Every problem is one sentence with its line and column, all of a file at once."""

from __future__ import annotations

import pytest

from .builders import contract, problems


def test_all_problems_of_a_file_are_told_in_its_order() -> None:
    assert problems(
        """\
        source:
          pth: data
          load_mode: incremetal
        model:
          fields:
            - name: a
              requird: true
            - type: strng
        """
    ) == [
        "orders.yaml:2:3: key 'pth' is unknown. Did you mean 'path'?",
        "orders.yaml:3:14: load_mode can't be 'incremetal'. Did you mean 'incremental'? Allowed: full, incremental, cdc.",
        "orders.yaml:7:7: key 'requird' is unknown. Did you mean 'required'?",
        "orders.yaml:8:7: key 'name' is missing in fields[1].",
        "orders.yaml:8:13: type 'strng' is unknown. Did you mean 'string'?",
    ]


def test_a_misspelt_required_key_is_told_once() -> None:
    assert problems("links:\n- nam: x\n  path: a.csv\n") == [
        "orders.yaml:2:3: key 'nam' is unknown. Did you mean 'name'?"
    ]


def test_a_key_in_the_wrong_block_is_sent_to_the_right_one() -> None:
    assert problems("row_rules: []\n") == ["orders.yaml:1:1: key 'row_rules' is unknown. It belongs under 'quality'."]


@pytest.mark.parametrize("type_", ["decimal(50,2)", "decimal(5,9)", "array<decimal(39,1)>"])
def test_a_decimal_that_no_engine_can_hold_is_refused(type_: str) -> None:
    (told,) = problems(f"model: {{fields: [{{name: a, type: '{type_}'}}]}}\n")
    assert told == f"orders.yaml:1:34: type '{type_}' is too wide: a decimal has at most 38 digits, scale included."


def test_a_misspelt_short_schema_policy_is_told_with_the_nearest() -> None:
    assert problems("schema_policy: strikt\n") == [
        "orders.yaml:1:1: schema_policy can't be 'strikt'. Did you mean 'strict'?"
    ]


@pytest.mark.parametrize("sql", ["email LIKE '%@%.%", "name = 'it's'", 'a = "b', "a /* why"])
def test_a_quote_or_comment_that_is_not_closed_is_named(sql: str) -> None:
    (told,) = problems(f"source: {{path: a.csv}}\nquality:\n  row_rules:\n    - sql: |-\n        {sql}\n")
    assert told == f"orders.yaml:4:7: SQL syntax error: a quote or a comment is not closed\n  {sql}"


def test_a_registry_in_the_place_of_a_contract_is_told_from_one() -> None:
    assert problems("entries:\n  - {entity: a, contract_path: a.yaml}\n") == [
        "orders.yaml:1:1: the file lists contracts and is none itself. `lakelogic-driver orders.yaml` runs what it lists."
    ]


def test_a_key_far_from_any_other_lists_what_is_known() -> None:
    assert problems("environments:\n  dev:\n    zzz: 1\n") == [
        "orders.yaml:3:5: key 'zzz' is unknown. Known: format, path."
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("source: 5", "orders.yaml:1:9: source must be a mapping, not 5."),
        ("source: [a]", "orders.yaml:1:9: source must be a mapping, not a list."),
        ("model: {fields: {a: int}}", "orders.yaml:1:17: fields must be a list, not a mapping."),
        ("model: {fields: [a]}", "orders.yaml:1:18: fields[0] must be a mapping, not 'a'."),
        ("dataset: [a]", "orders.yaml:1:10: dataset must be text, not a list."),
        ("dataset: true", "orders.yaml:1:10: dataset must be text, not true."),
        ("dataset: ''", "orders.yaml:1:10: dataset must not be empty."),
        ("primary_key: {a: b}", "orders.yaml:1:14: primary_key must be a list, not a mapping."),
        ("quality: {enforce_required: maybe}", "enforce_required must be true or false, not 'maybe'."),
        ("service_levels: {freshness_hours: soon}", "freshness_hours must be a number, not 'soon'."),
        ("service_levels: {freshness_hours: 0}", "freshness_hours must be more than 0, not 0."),
        ("service_levels: {row_count: {min_rows: 1.5}}", "min_rows must be a whole number, not 1.5."),
        ("service_levels: {row_count: {min_rows: -1}}", "min_rows must be at least 0, not -1."),
        ("quarantine: {max_ratio: 40}", "max_ratio must be a share between 0 and 1 (or 0% and 100%), not 40."),
        ("quarantine: {max_ratio: much}", "max_ratio must be a share such as 0.05 or 5%, not 'much'."),
        ("source: {lookback: 7}", "lookback must be a number with a unit, such as 24h or 7 days, not '7'."),
        ("source: {from_date: soon}", "from_date must be a date such as 2026-02-01, not 'soon'."),
        ("quality:", "orders.yaml:1:1: quality is empty. Write a value, or remove the key."),
        ("model: {fields: [{name: }]}", "name is empty. Write a value, or remove the key."),
        ("source: {format: cvs}", "format 'cvs' is unknown. Did you mean 'csv'?"),
        ("source: {format: qqq}", "format 'qqq' is unknown. Known: avro, csv, delta, excel, fixed_width,"),
    ],
)
def test_wrong_values_are_told_in_plain_words(text: str, sentence: str) -> None:
    (problem,) = problems(text)
    assert sentence in problem


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("freshness: 24 lightyears", "freshness must be a number with a unit"),
        ("freshness: [1]", "freshness must be text or a mapping, not a list."),
        ("freshness: {threshold: soon}", "threshold must be a number with a unit"),
        ("freshness: {thresold: 24h}", "key 'thresold' is unknown. Did you mean 'threshold'?"),
        ("freshness: {field: a}", "key 'threshold' is missing in freshness."),
        ("completeness: {threshold: 200}", "threshold must be at most 100, not 200."),
        ("completeness: much", "completeness must be a number or a mapping, not 'much'."),
    ],
)
def test_a_key_with_two_shapes_is_judged_by_the_shape_that_was_written(text: str, sentence: str) -> None:
    (problem,) = problems(f"service_levels: {{{text}}}")
    assert sentence in problem


def test_field_flags_that_contradict_each_other_are_refused() -> None:
    assert problems("model: {fields: [{name: a, required: true, nullable: true}]}") == [
        "orders.yaml:1:18: required: true and nullable: true contradict each other. Remove one."
    ]
    assert problems("model: {fields: [{name: a, min: 1, range: {min: 1}}]}") == [
        "orders.yaml:1:18: range and min / max say the same. Remove one."
    ]


def test_long_values_are_cut_in_messages() -> None:
    (problem,) = problems(f"source: {{load_mode: {'x' * 500}}}")
    assert len(problem) < 200


def test_keys_that_begin_with_x_are_the_users_own_anywhere() -> None:
    loaded = contract(
        """
        x-team: data
        source: {path: a.csv, x-note: hello}
        model:
          fields:
            - {name: a, x-colour: blue}
        quality:
          row_rules:
            - {sql: a > 0, x-ticket: 7}
            - range: {field: a, min: 0, x-why: law}
        transformations:
          - map_values: {field: a, mapping: {x-ray: radiology}}
        """
    )
    assert loaded.document["x-team"] == "data"
    assert getattr(loaded.model.transformations[0], "mapping") == {"x-ray": "radiology"}  # noqa: B009


def test_a_number_stands_where_text_is_meant() -> None:
    loaded = contract(
        """
        version: 1.10
        dataset: 2024
        info: {version: 1.0}
        materialization: {table_properties: {delta.logRetentionDays: 30}}
        """
    )
    assert (loaded.model.version, loaded.name, loaded.model.info.version) == ("1.10", "2024", "1.0")
    assert loaded.model.materialization.table_properties == {"delta.logRetentionDays": "30"}
