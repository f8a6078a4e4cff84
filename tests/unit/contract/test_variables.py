"""`${NAME}` is filled from the environment when it is needed, and never shown."""

from __future__ import annotations

import json

import pytest

from .builders import contract, problems


def test_variables_are_filled_with_and_without_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKE", "lake/prod")
    monkeypatch.delenv("SHOP", raising=False)
    loaded = contract("source: {path: '${LAKE}/${SHOP:-all}/*.csv'}\ndataset: ${SHOP:-}orders\n")
    assert loaded.model.source is not None
    assert loaded.model.source.path == "lake/prod/all/*.csv"
    assert loaded.name == "orders"


def test_an_unset_variable_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAKE", raising=False)
    assert problems("source:\n  path: ${LAKE}/a.csv\n") == [
        "orders.yaml:2:9: variable LAKE is not set. Set it, or write a default: ${LAKE:-…}."
    ]


def test_a_doubled_dollar_stands_for_itself() -> None:
    assert contract("info: {description: 'costs $${PRICE}'}").model.info.description == "costs ${PRICE}"


def test_placeholders_of_the_run_are_left_alone() -> None:
    loaded = contract("source: {path: '{root}/a.csv', from_date: '{window_start}', lookback: '{days}'}")
    assert loaded.model.source is not None
    assert loaded.model.source.path == "{root}/a.csv"


def test_variables_of_what_this_run_does_not_use_may_be_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOPE", raising=False)
    monkeypatch.setenv("LAKELOGIC_ENV", "dev")
    contract(
        """
        x-own: ${NOPE}
        source: {path: a.csv}
        environments:
          dev: {path: dev.csv}
          prod: {path: "${NOPE}/a.csv"}
        notifications:
          - {type: slack, target: "${NOPE}"}
        quarantine:
          notifications:
            - {type: slack, target: "${NOPE}"}
        """
    )
    monkeypatch.setenv("LAKELOGIC_ENV", "prod")
    assert [
        "variable NOPE is not set" in problem
        for problem in problems("environments: {prod: {path: '${NOPE}/a.csv'}}\nsource: {path: a.csv}")
    ] == [True, True]


@pytest.mark.parametrize(
    "text",
    [
        "source: {load_mode: '${SECRET}'}",
        "source: {lookback: '${SECRET}'}",
        "model: {fields: [{name: a, type: '${SECRET}'}]}",
        "model: {fields: [{name: a, masking: '${SECRET}'}]}",
        "quality: {row_rules: [{sql: \"a > '${SECRET}' AND\"}]}",
        "transformations: [{lookup: {field: a, reference: '${SECRET}', on: a, value: b}}]",
        "version: '${SECRET}'",
    ],
)
def test_values_of_the_environment_are_not_shown_in_errors(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "hunter2-s3cr3t")
    told = "\n".join(problems(text))
    assert "${SECRET}" in told
    assert "hunter2" not in told


def test_the_document_is_plain_data_after_filling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKE", "lake")
    loaded = contract("source: {path: '${LAKE}/a.csv'}\nservice_levels: {freshness_hours: 1.50}\n")
    assert json.loads(json.dumps(loaded.document)) == {
        "source": {"path": "lake/a.csv"},
        "service_levels": {"freshness_hours": 1.5},
    }
