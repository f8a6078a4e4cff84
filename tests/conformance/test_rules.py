"""What rules mean, on every engine: the examples of each kind, and the promises that hold for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from sqlglot import exp

from lakelogic.plan.stages import lookup_step
from lakelogic.rules.base import AuditExample, Check, DatasetRule, RowRule, RuleExample, dataset_rules, row_rules
from lakelogic.sql.build import named, ref
from lakelogic.sql.types import Columns
from tests.conformance.evaluators import Evaluator, Frame

ROW_CASES = [
    pytest.param(rule, example, id=f"{kind}-{number}")
    for kind, rule in row_rules
    for number, example in enumerate(rule.examples, 1)
]
AUDIT_CASES = [
    pytest.param(rule, example, id=f"{kind}-{number}")
    for kind, rule in dataset_rules
    for number, example in enumerate(rule.examples, 1)
]
ODD_NAMES = ["order id", "it's", "a`b", 'größe "名前"', "select", "a.b", "1\\2 %s {x}"]


def judge(engine: Evaluator, checks: Sequence[Check], frames: Mapping[str, Frame]) -> list[list[bool | None]]:
    """What each check says of the rows of the source, in order."""
    columns = frames["source"].columns
    known = {name: frame.columns for name, frame in frames.items()}
    lookups = [check.lookup.spelt(known) for check in checks if check.lookup is not None]
    table = lookup_step(columns, lookups).select.subquery("source") if lookups else exp.to_table("source")
    verdicts = [named(f"verdict {number}", check.predicate.copy()) for number, check in enumerate(checks)]
    rows = engine.evaluate(exp.select(ref("position"), *verdicts).from_(table), frames)
    ordered = sorted(rows, key=lambda row: int(row["position"]))
    return [[row[f"verdict {number}"] for row in ordered] for number in range(len(checks))]


def made(kind: str, body: Any) -> RowRule:
    rule = row_rules.get(kind)
    return rule.model_validate(rule.from_yaml(body))


def source(values: list[Any], kind: str, column: str = "value") -> Frame:
    types = {column: kind, "position": "int"}
    return Frame(types, [{column: value, "position": position} for position, value in enumerate(values)])


def _judged_rows(example: RuleExample) -> Frame:
    values = [*example.passes, *example.fails]
    if example.types is None:
        return source(values, example.column_type, example.column)
    rows = [{**row, "position": position} for position, row in enumerate(values)]
    return Frame({**example.types, "position": "int"}, rows)


def linked(example: RuleExample) -> dict[str, Frame]:
    return {
        link: Frame(
            {key: (example.link_types or {}).get(key, example.column_type) for key in keys},
            [dict(zip(keys, row, strict=True)) for row in zip(*keys.values(), strict=True)],
        )
        for link, keys in (example.links or {}).items()
    }


@pytest.mark.parametrize(("rule", "example"), ROW_CASES)
def test_a_row_rule_judges_its_examples(engine: Evaluator, rule: type[RowRule], example: RuleExample) -> None:
    frame = _judged_rows(example)
    checks = rule.model_validate(rule.from_yaml(example.arguments)).checks(frame.columns)
    verdicts = judge(engine, checks, {"source": frame, **linked(example)})
    passed = [all(verdict is True for verdict in row) for row in zip(*verdicts, strict=True)]
    assert passed == [True] * len(example.passes) + [False] * len(example.fails)


@pytest.mark.parametrize(("rule", "example"), AUDIT_CASES)
def test_a_dataset_rule_measures_its_examples(
    engine: Evaluator, rule: type[DatasetRule], example: AuditExample
) -> None:
    frame = source(list(example.rows), example.column_type, example.column)
    audit = rule.model_validate(rule.from_yaml(example.arguments)).audit(frame.columns)
    query = audit.query
    if audit.measure is not None:
        query = exp.select(named("measured", audit.measure)).from_("source")
    assert query is not None
    (row,) = engine.evaluate(query, {"source": frame})
    (measured,) = row.values()
    assert (measured, audit.passes(measured)) == (example.measured, example.passed)


RAISING: list[tuple[str, str, Any]] = [
    ("1 / {} > 0", "int", 0),
    ("1.0 / {} > 0", "double", 0.0),
    ("7 % {} >= 0", "int", 0),
    ("7 DIV {} >= 0", "int", 0),
    ("{} + 1 > 0", "bigint", 2**63 - 1),
    ("{} * 2 > 0", "int", 2**31 - 1),
    ("-{} < 0", "bigint", -(2**63)),
    ("abs({}) > 0", "int", -(2**31)),
    ("CAST({} AS INT) > 0", "string", "12x"),
    ("CAST({} AS DATE) > '2020-01-01'", "string", "2020-13-45"),
    ("CAST({} AS TINYINT) > 0", "int", 1000),
    ("{}::DECIMAL(3,1) > 0", "string", "12345"),
    ("to_date({}, 'yyyy-MM-dd') IS NOT NULL", "string", "31.12.2024"),
    ("to_timestamp({}) IS NOT NULL", "string", "never"),
    ("make_date(2024, {}, 1) IS NOT NULL", "int", 13),
    ("element_at(split({}, ','), 3) IS NOT NULL", "string", "a,b"),
    ("split({}, ',')[2] IS NOT NULL", "string", "a,b"),
    ("{} > 0", "string", "many"),
    ("{} BETWEEN 1 AND 5", "string", "many"),
    ("{} > '2020-01-01'", "date", None),
    ("get_json_object({}, '$.a') = 'b'", "string", "{{broken"),
    ("factorial({}) > 0", "int", 99),
    ("date_add({}, 1) > '2020-01-01'", "string", "soon"),
    ("conv({}, 10, 16) = 'F'", "string", "99999999999999999999999x"),
    ("unhex({}) IS NOT NULL", "string", "zz"),
]


def test_an_expression_that_would_raise_fails_its_row_and_nothing_else(engine: Evaluator) -> None:
    raising = [case for case in RAISING if not any(f"{word}(" in case[0] for word in engine.refuses)]
    types = {f"c{number}": kind for number, (_, kind, _) in enumerate(raising)}
    row = {f"c{number}": value for number, (_, _, value) in enumerate(raising)}
    frame = Frame({**types, "position": "int"}, [{**row, "position": 0}])
    rules = [made("sql", sql.format(f"c{number}")) for number, (sql, _, _) in enumerate(raising)]
    checks = [check for rule in rules for check in rule.checks(frame.columns)]
    verdicts = judge(engine, checks, {"source": frame})
    passed = [check.message for check, (verdict,) in zip(checks, verdicts, strict=True) if verdict is True]
    assert passed == []


ODD_TEXTS = [
    "it's",
    '"',
    "\\",
    "\\'",
    "\\n",
    "a\nb",
    "a\tb",
    "%_",
    "{x}",
    "`",
    "ü名😀",
    "--",
    "/*",
    "\u2028",
    ";",
    " ",
]


def test_a_value_in_a_contract_means_exactly_itself(engine: Evaluator) -> None:
    frame = source(ODD_TEXTS, "string")
    lists = [made("accepted_values", {"field": "value", "values": [text]}) for text in ODD_TEXTS]
    verdicts = judge(engine, [check for rule in lists for check in rule.checks(frame.columns)], {"source": frame})
    found = [[text for text, ok in zip(ODD_TEXTS, verdict, strict=True) if ok] for verdict in verdicts]
    assert found == [[text] for text in ODD_TEXTS]


def test_a_value_that_looks_like_a_variable_means_exactly_itself(engine: Evaluator) -> None:
    frame = source(["${env:HOME}"], "string")
    checks = made("accepted_values", {"field": "value", "values": ["${env:HOME}"]}).checks(frame.columns)
    assert judge(engine, checks, {"source": frame}) == [[True]]


def test_rules_work_on_columns_with_odd_names(engine: Evaluator) -> None:
    rows: list[dict[str, Any]] = [dict.fromkeys(ODD_NAMES, "ab"), dict.fromkeys(ODD_NAMES)]
    frame = Frame(
        {**dict.fromkeys(ODD_NAMES, "string"), "position": "int"},
        [{**row, "position": position} for position, row in enumerate(rows)],
    )
    checks = [check for name in ODD_NAMES for rule in odd_rules(name) for check in rule.checks(frame.columns)]
    links = {name: Frame({name: "string"}, [{name: "ab"}]) for name in ODD_NAMES}
    verdicts = judge(engine, checks, {"source": frame, **links})
    assert len(checks) == 6 * len(ODD_NAMES)
    for check, (good, bad) in zip(checks, verdicts, strict=True):
        assert (check.message, good is True, bad is True) == (check.message, True, False)


def odd_rules(name: str) -> list[RowRule]:
    quoted = exp.to_identifier(name, quoted=True).sql("spark")
    return [
        made("sql", f"length({quoted}) = 2"),
        made("not_null", name),
        made("accepted_values", {"field": name, "values": ["ab"]}),
        made("regex_match", {"field": name, "pattern": "^ab$"}),
        made("range", {"field": name, "min": "aa", "max": "az"}),
        made("referential_integrity", {"field": name, "reference": name, "key": name}),
    ]


def test_dataset_rules_work_on_columns_with_odd_names(engine: Evaluator) -> None:
    frame = Frame(
        dict.fromkeys(ODD_NAMES, "string"),
        [dict.fromkeys(ODD_NAMES, value) for value in ("a", "a", None, None)],
    )
    bodies = {name: {"unique": [name], "null_ratio": {"field": name, "max": 1}} for name in ODD_NAMES}
    measures = []
    for name, kinds in bodies.items():
        for kind, body in kinds.items():
            rule = dataset_rules.get(kind)
            audit = rule.model_validate(rule.from_yaml(body)).audit(frame.columns)
            assert audit.measure is not None
            measures.append(named(f"{kind} of {name}", audit.measure))
    (row,) = engine.evaluate(exp.select(*measures).from_("source"), {"source": frame})
    assert list(row.values()) == [2, 0.5] * len(ODD_NAMES)


def test_a_dataset_rule_may_read_a_link(engine: Evaluator) -> None:
    frame = source(["a", "b"], "string")
    link = Frame({"code": "string"}, [{"code": "a"}])
    rule = dataset_rules.get("sql").model_validate(
        {
            "sql": "SELECT COUNT(*) FROM orders o LEFT ANTI JOIN codes c ON o.value = c.code",
            "must_be_less_than": 2,
        }
    )
    audit = rule.over("orders").audit(frame.columns, {"codes": Columns.of(code="string")})
    assert audit.query is not None
    (row,) = engine.evaluate(audit.query, {"source": frame, "codes": link})
    assert list(row.values()) == [1]
