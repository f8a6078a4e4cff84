"""Rules and transformations are written `kind: body`, in the forms that their classes read."""

from __future__ import annotations

import pytest

from .builders import contract, problems


def rules(text: str) -> list[str]:
    return problems(f"quality:\n  row_rules:\n    {text}\n")


def test_shared_keys_stand_inside_or_beside() -> None:
    loaded = contract(
        """
        quality:
          row_rules:
            - range: {field: a, min: 1}
              name: positive
              severity: warning
            - range: {field: a, min: 1, name: positive, severity: warning}
        """
    )
    beside, inside = loaded.model.quality.row_rules
    assert beside == inside
    assert (beside.name, beside.severity) == ("positive", "warning")


def test_phase_of_a_transformation_stands_inside_or_beside() -> None:
    loaded = contract(
        """
        transformations:
          - sql: a AS b
            phase: pre
          - filter: {sql: a > 0, phase: pre}
          - filter: a > 0
        """
    )
    assert [step.phase for step in loaded.model.transformations] == ["pre", "pre", "post"]


def test_bounds_of_a_dataset_rule_stand_beside_its_sql() -> None:
    loaded = contract("quality: {dataset_rules: [{sql: COUNT(*), must_be_between: [1, 5], name: size}]}")
    (rule,) = loaded.model.quality.dataset_rules
    assert rule.model_dump(include={"sql", "must_be_between", "name"}) == {
        "sql": "COUNT(*)",
        "must_be_between": (1, 5),
        "name": "size",
    }


def test_rules_of_a_field_have_the_same_shape() -> None:
    loaded = contract("model: {fields: [{name: a, rules: [{sql: a > 0, name: positive}, {not_null: a}]}]}")
    assert [rule.kind for rule in loaded.model.model.fields[0].rules] == ["sql", "not_null"]


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ("- rnage: {field: a}", "orders.yaml:3:7: rule 'rnage' is unknown. Did you mean 'range'?"),
        ("- {name: x, rnage: 1}", "orders.yaml:3:17: rule 'rnage' is unknown. Did you mean 'range'?"),
        ("- a > 0", "orders.yaml:3:7: a rule must be written as 'kind: …', such as 'sql: …', not alone."),
        ("- {name: x}", "orders.yaml:3:7: the rule has no kind. Known: "),
        (
            "- {sql: a > 0, range: {field: a}}",
            "orders.yaml:3:20: one rule can't be 'sql' and 'range'. Write two rules.",
        ),
        ("- {sql: a > 0, nmae: x}", "orders.yaml:3:20: key 'nmae' is unknown. Did you mean 'name'?"),
        ("- range: {field: a, mn: 1}", "orders.yaml:3:25: key 'mn' is unknown. Did you mean 'min'?"),
        ("- {range: {field: a}, min: 1}", "orders.yaml:3:27: key 'min' belongs inside 'range'. Indent it."),
        (
            "- {range: {field: a, min: 1, name: x}, name: y}",
            "key 'name' stands both beside 'range' and inside it. Remove one.",
        ),
        ("- range:", "orders.yaml:3:7: 'range' is empty. Write what it needs after the colon."),
        ("- {sql: a > 0, severity: eror}", "orders.yaml:3:30: severity can't be 'eror'. Did you mean 'error'?"),
        ("- regex_match: {field: a}", "orders.yaml:3:7: key 'pattern' is missing in regex_match."),
        ("- sql: [a]", "sql must be a mapping, not a list."),
    ],
)
def test_what_is_wrong_with_a_rule_is_told_where_it_stands(item: str, sentence: str) -> None:
    (problem,) = rules(item)
    assert sentence in problem


def test_a_misspelt_transformation_names_the_nearest_one() -> None:
    assert problems("transformations: [{filtr: a > 0}]") == [
        "orders.yaml:1:20: transformation 'filtr' is unknown. Did you mean 'filter'?"
    ]


def test_a_misspelt_rule_beside_a_field_names_the_nearest_one() -> None:
    assert problems("model: {fields: [{name: a, rules: [{not_nul: a}]}]}") == [
        "orders.yaml:1:37: rule 'not_nul' is unknown. Did you mean 'not_null'?"
    ]
