"""Rules without an engine: their YAML, their names, their messages, and what they refuse."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from lakelogic.errors import ContractError, SqlError
from lakelogic.rules.base import Audit, Check, DatasetRule, RowRule, dataset_rules, row_rules
from lakelogic.sql.render import to_spark
from lakelogic.sql.types import Columns

COLUMNS = Columns.of(email="string", amount="double", n="int", day="date", flag="boolean", at="timestamp")


def row(kind: str, body: Any, **beside: Any) -> RowRule:
    rule = row_rules.get(kind)
    return rule.model_validate({**rule.from_yaml(body), **beside})


def dataset(kind: str, body: Any, **beside: Any) -> DatasetRule:
    rule = dataset_rules.get(kind)
    return rule.model_validate({**rule.from_yaml(body), **beside})


def check(kind: str, body: Any, **beside: Any) -> Check:
    (only,) = row(kind, body, **beside).checks(COLUMNS)
    return only


def audit(kind: str, body: Any, **beside: Any) -> Audit:
    return dataset(kind, body, **beside).audit(COLUMNS)


def sql(kind: str, body: Any) -> str:
    return to_spark(check(kind, body).predicate, COLUMNS)


@pytest.mark.parametrize(
    ("kind", "body", "name", "message", "category"),
    [
        ("sql", "email LIKE '%@%.%'", "email_like", "Rule failed: email LIKE '%@%.%'", "correctness"),
        ("not_null", "email", "email_not_null", "Rule failed: email_not_null (email IS NOT NULL)", "completeness"),
        (
            "accepted_values",
            {"field": "email", "values": ["a", "b"]},
            "email_accepted_values",
            "Rule failed: email_accepted_values (email IN ('a', 'b'))",
            "validity",
        ),
        (
            "range",
            {"field": "amount", "min": 0, "max": 10},
            "amount_range",
            "Rule failed: amount_range (amount >= 0 AND amount <= 10)",
            "validity",
        ),
        (
            "regex_match",
            {"field": "email", "pattern": "^a$"},
            "email_regex_match",
            "Rule failed: email_regex_match (email RLIKE '^a$')",
            "validity",
        ),
        (
            "max_length",
            {"field": "email", "max": 5},
            "email_max_length",
            "Rule failed: email_max_length (LENGTH(email) <= 5)",
            "validity",
        ),
        (
            "referential_integrity",
            {"field": "email", "reference": "people", "key": "mail"},
            "email_referential_integrity",
            "Rule failed: email_referential_integrity (email is found in people.mail)",
            "consistency",
        ),
    ],
)
def test_a_row_rule_without_a_name_gets_one(kind: str, body: Any, name: str, message: str, category: str) -> None:
    made = check(kind, body)
    assert (made.name, made.message, made.category) == (name, message, category)


@pytest.mark.parametrize(
    ("kind", "body", "name", "message", "category"),
    [
        ("unique", "email", "email_unique", "Rule failed: email_unique (email is unique)", "uniqueness"),
        (
            "unique",
            ["email", "n"],
            "email_n_unique",
            "Rule failed: email_n_unique ((email, n) is unique)",
            "uniqueness",
        ),
        (
            "null_ratio",
            {"field": "email", "max": 10},
            "email_null_ratio",
            "Rule failed: email_null_ratio (the share of NULL in email is at most 0.1)",
            "completeness",
        ),
        (
            "row_count_between",
            {"min": 1, "max": 5},
            "row_count_between",
            "Rule failed: row_count_between (the number of rows is at least 1 and at most 5)",
            "completeness",
        ),
        (
            "sql",
            {"sql": "SUM(amount)", "must_be_between": [0, 10]},
            "sum_amount",
            "Rule failed: SUM(amount) is between 0 and 10",
            "correctness",
        ),
    ],
)
def test_a_dataset_rule_without_a_name_gets_one(kind: str, body: Any, name: str, message: str, category: str) -> None:
    made = audit(kind, body)
    assert (made.name, made.message, made.category) == (name, message, category)


def test_a_declared_name_category_severity_phase_and_label_win() -> None:
    made = check(
        "sql",
        " email LIKE '%@%.%'\n",
        name="valid_email",
        category="accuracy",
        severity="warning",
        phase="post",
        label="bad_mail",
    )
    assert made.message == "Rule failed: valid_email (email LIKE '%@%.%')"
    assert (made.name, made.category, made.severity, made.phase, made.label) == (
        "valid_email",
        "accuracy",
        "warning",
        "post",
        "bad_mail",
    )


def test_a_named_rule_on_several_columns_names_each_check() -> None:
    checks = row("not_null", ["email", "N"], name="keys").checks(COLUMNS)
    assert [(made.name, made.message) for made in checks] == [
        ("keys_email_not_null", "Rule failed: keys_email_not_null (email IS NOT NULL)"),
        ("keys_n_not_null", "Rule failed: keys_n_not_null (n IS NOT NULL)"),
    ]


def test_columns_are_found_without_regard_to_case_and_spelt_as_stored() -> None:
    assert check("not_null", "EMAIL").name == "email_not_null"
    assert sql("sql", "EMAIL = 'a'") == "`email` = 'a'"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("sql", "emial = 'a'"),
        ("not_null", "emial"),
        ("accepted_values", {"field": "emial", "values": [1]}),
        ("range", {"field": "emial", "min": 1}),
        ("regex_match", {"field": "emial", "pattern": "a"}),
        ("max_length", {"field": "emial", "max": 1}),
        ("referential_integrity", {"field": "emial", "reference": "r"}),
    ],
)
def test_an_unknown_column_is_refused_with_the_nearest_one(kind: str, body: Any) -> None:
    with pytest.raises(SqlError, match=r"column 'emial' is unknown\. Did you mean 'email'\?"):
        row(kind, body).checks(COLUMNS)


@pytest.mark.parametrize(
    ("kind", "body"), [("unique", "emial"), ("null_ratio", {"field": "emial", "max": 1}), ("sql", "MAX(emial) > 1")]
)
def test_a_dataset_rule_on_an_unknown_column_is_refused(kind: str, body: Any) -> None:
    with pytest.raises(SqlError, match="Did you mean 'email'"):
        audit(kind, body)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SUM(amount) > 0", "SUM(amount)"),
        ("try_sum(amount) > 0", "TRY_SUM(amount)"),
        ("ROW_NUMBER() OVER (ORDER BY n) = 1", "ROW_NUMBER() OVER (ORDER BY n)"),
        ("explode(array(n)) > 1", "EXPLODE(ARRAY(n))"),
    ],
)
def test_a_row_rule_may_not_read_other_rows(text: str, found: str) -> None:
    with pytest.raises(SqlError) as error:
        row("sql", text).checks(COLUMNS)
    assert f"so {found} is not allowed" in str(error.value)


def test_a_dataset_rule_needs_one_value() -> None:
    with pytest.raises(SqlError, match="amount stands outside an aggregate"):
        audit("sql", {"sql": "amount + MAX(n)", "must_be_less_than": 1})
    with pytest.raises(SqlError, match="must yield one column"):
        audit("sql", {"sql": "SELECT MAX(n) AS a, MIN(n) AS b FROM source", "must_be_less_than": 1})


@pytest.mark.parametrize("text", ["SUM(amount)", "SELECT COUNT(*) > 1 AS ok FROM source"])
def test_a_dataset_rule_without_bounds_must_be_a_condition(text: str) -> None:
    with pytest.raises(ContractError, match="no bound"):
        audit("sql", text)


@pytest.mark.parametrize(
    ("bounds", "passing", "failing"),
    [
        ({"must_be_between": [1, 3]}, [1, 2, 3], [0.9, 3.1, None]),
        ({"must_be_less_than": 3}, [2.9], [3, None]),
        ({"must_be_greater_than": 1}, [1.1], [1, None]),
        ({"must_be_greater_than": 1, "must_be_less_than": 3}, [2], [1, 3]),
    ],
)
def test_only_between_includes_its_bounds(bounds: Any, passing: list[float], failing: list[float | None]) -> None:
    made = audit("sql", {"sql": "MAX(n)", **bounds})
    assert [made.passes(value) for value in passing] == [True] * len(passing)
    assert [made.passes(value) for value in failing] == [False] * len(failing)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("range", {"field": "n"}),
        ("range", {"field": "n", "min": 5, "max": 1}),
        ("range", {"field": "n", "min": float("nan")}),
        ("accepted_values", {"field": "n", "values": []}),
        ("not_null", {}),
        ("not_null", {"field": "n", "fields": ["n"]}),
        ("max_length", {"field": "n", "max": -1}),
        ("regex_match", {"field": "n", "pattern": "(a"}),
        ("regex_match", {"field": "n", "pattern": "*"}),
        ("sql", {"sql": "n = 1", "severity": "fatal"}),
        ("sql", {"sql": "n = 1", "sevrity": "error"}),
    ],
)
def test_a_row_rule_that_makes_no_sense_does_not_load(kind: str, body: Any) -> None:
    with pytest.raises(ValidationError):
        row(kind, body)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("unique", {}),
        ("unique", []),
        ("null_ratio", {"field": "n", "max": -0.1}),
        ("null_ratio", {"field": "n", "max": 101}),
        ("row_count_between", {}),
        ("row_count_between", {"min": 2, "max": 1}),
        ("sql", {"sql": "MAX(n)", "must_be_between": [3, 1]}),
        ("sql", {"sql": "MAX(n)", "must_be_between": [1, 3], "must_be_less_than": 2}),
    ],
)
def test_a_dataset_rule_that_makes_no_sense_does_not_load(kind: str, body: Any) -> None:
    with pytest.raises(ValidationError):
        dataset(kind, body)


@pytest.mark.parametrize(
    "pattern",
    [r"\p{L}+", r"(?<year>\d{4})", r"(?i)abc", r"a(?i:b)", r"(?<=ab?)c", r"\Q(\E", r"[a-z&&[^b]]", r"a++", r"\h"],
)
def test_a_pattern_that_only_the_engine_knows_loads(pattern: str) -> None:
    assert check("regex_match", {"field": "email", "pattern": pattern}).name == "email_regex_match"


@pytest.mark.parametrize(
    ("field", "values", "wanted"),
    [
        ("email", [1, True, 1.5], "`email` IN ('1', 'true', '1.5')"),
        ("n", ["1", 2], "`n` IN (1, 2)"),
        ("flag", ["true", False], "`flag` IN (TRUE, FALSE)"),
        ("day", ["2024-01-31"], "`day` IN (TRY_CAST('2024-01-31' AS DATE))"),
        ("at", ["2024-01-31T10:00:00"], "`at` IN (TRY_CAST('2024-01-31 10:00:00' AS TIMESTAMP))"),
        ("n", [None], "`n` IS NULL"),
    ],
)
def test_accepted_values_are_of_the_columns_type(field: str, values: list[Any], wanted: str) -> None:
    assert sql("accepted_values", {"field": field, "values": values}) == wanted


@pytest.mark.parametrize(
    ("field", "value", "kind"),
    [
        ("n", "many", "int"),
        ("n", True, "int"),
        ("day", "soon", "date"),
        ("flag", 2, "boolean"),
        ("amount", "inf", "double"),
    ],
)
def test_a_value_that_can_never_match_is_refused(field: str, value: Any, kind: str) -> None:
    with pytest.raises(ContractError, match=f"is no {kind}"):
        row("accepted_values", {"field": field, "values": [value]}).checks(COLUMNS)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ({"field": "email", "min": 1}, "TRY_CAST(`email` AS DOUBLE) >= 1"),
        ({"field": "email", "min": "a"}, "`email` >= 'a'"),
        ({"field": "n", "max": "5", "inclusive": False}, "`n` < 5"),
        ({"field": "day", "min": "2024-01-01"}, "`day` >= TRY_CAST('2024-01-01' AS DATE)"),
        ({"field": "at", "min": "2024-01-01"}, "`at` >= TRY_CAST('2024-01-01' AS TIMESTAMP)"),
        ({"field": "n", "min": -5}, "`n` >= -5"),
    ],
)
def test_a_bound_is_compared_as_what_it_is(body: Any, wanted: str) -> None:
    assert sql("range", body) == wanted


def test_a_lookup_keeps_the_flags_of_different_links_apart() -> None:
    columns = Columns.of("a", "a_b")
    flags = {
        row("referential_integrity", {"field": field, "reference": link, "key": "k"}).checks(columns)[0].lookup
        for field, link in (("a", "b_c"), ("a_b", "c"))
    }
    assert len({lookup.flag for lookup in flags if lookup}) == 2


def test_a_lookup_is_spelt_as_its_link_or_refused() -> None:
    lookup = check("referential_integrity", {"field": "email", "reference": "people", "key": "MAIL"}).lookup
    assert lookup is not None
    assert lookup.spelt({"people": Columns.of("mail")}).key == "mail"
    with pytest.raises(SqlError, match=r"link 'people' is unknown\. Did you mean 'peoples'"):
        lookup.spelt({"peoples": Columns.of("mail")})
    with pytest.raises(SqlError, match="column 'MAIL' is unknown"):
        lookup.spelt({"people": Columns.of("name")})


def test_a_lifecycle_window_is_named_by_its_key_and_told_in_words() -> None:
    body = {"event_ts": "at", "event_key": "n", "reference": "subscribers"}
    made = check("lifecycle_window", body)
    assert (made.name, made.category) == ("n_lifecycle_window", "consistency")
    assert made.message == "Rule failed: n_lifecycle_window (at is within a period of n in subscribers)"


def test_a_lifecycle_window_over_no_times_or_no_columns_is_refused() -> None:
    body = {"event_ts": "at", "event_key": "n", "reference": "subscribers"}
    with pytest.raises(ContractError, match="needs times, but 'n' is int"):
        check("lifecycle_window", {**body, "event_ts": "n"})
    lookup = check("lifecycle_window", body).lookup
    assert lookup is not None
    with pytest.raises(ContractError, match="needs times, but 'end_date' is double"):
        lookup.spelt({"subscribers": Columns.of(n="int", start_date="date", end_date="double")})
    with pytest.raises(SqlError, match="column 'end_date' is unknown"):
        lookup.spelt({"subscribers": Columns.of(n="int", start_date="date")})
    with pytest.raises(ValidationError, match="end_default must be a day or a moment"):
        row("lifecycle_window", {**body, "end_default": "never"})


def test_the_end_of_an_open_period_may_be_written_as_a_date() -> None:
    body = {"event_ts": "at", "event_key": "n", "reference": "s", "end_default": date(2030, 1, 1)}
    assert row("lifecycle_window", body).model_dump()["end_default"] == "2030-01-01"


def test_the_dataset_may_be_called_by_its_name() -> None:
    (made,) = row("sql", "orders.n > source.amount").over("orders").checks(COLUMNS)
    assert to_spark(made.predicate, COLUMNS) == "`n` > `amount`"
    with pytest.raises(SqlError):
        row("sql", "orders.n > 1").checks(COLUMNS)


@pytest.mark.parametrize(("kind", "rule"), list(row_rules), ids=str)
def test_every_row_rule_has_a_line_for_users_and_telling_examples(kind: str, rule: type[RowRule]) -> None:
    assert rule.kind == kind
    assert len((rule.__doc__ or "").splitlines()) == 1
    assert all(field.description for field in rule.model_fields.values())
    assert sum(len((*example.passes, *example.fails)) for example in rule.examples) >= 3
    assert any(example.passes for example in rule.examples)
    values = [value for example in rule.examples for value in (*example.passes, *example.fails)]
    assert None in [cell for value in values for cell in (value.values() if isinstance(value, dict) else [value])]
    assert any(value is not None for example in rule.examples for value in example.fails) or kind == "not_null"


@pytest.mark.parametrize(("kind", "rule"), list(dataset_rules), ids=str)
def test_every_dataset_rule_has_a_line_for_users_and_telling_examples(kind: str, rule: type[DatasetRule]) -> None:
    assert rule.kind == kind
    assert len((rule.__doc__ or "").splitlines()) == 1
    assert all(field.description for field in rule.model_fields.values())
    assert {example.passed for example in rule.examples} == {True, False}
    assert any(None in example.rows for example in rule.examples)
    assert any(not example.rows for example in rule.examples)
