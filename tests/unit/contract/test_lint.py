"""`lakelogic lint` says what a reviewer would say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lakelogic.cli.main import main
from lakelogic.contract import load_text
from lakelogic.contract.lint.base import lint, lint_rules

CLEAN = """\
info: {title: Orders, owner: ada}
dataset: silver_shop_orders
layer: silver
metadata: {system: shop}
primary_key: [id]
source: {path: in.csv}
model:
  fields:
    - {name: id, type: int, required: true}
    - {name: email, type: string, pii: true, masking: partial}
quality:
  row_rules:
    - {name: positive, sql: id > 0}
materialization: {strategy: merge, target_path: out}
"""


def codes(text: str) -> list[str]:
    return [finding.code for finding in lint(load_text(text))]


def test_a_contract_that_a_reviewer_likes_gets_no_remark() -> None:
    assert codes(CLEAN) == []


@pytest.mark.parametrize(
    ("was", "is_", "code"),
    [
        ("dataset: silver_shop_orders", "dataset: orders", "name-pattern"),
        ("dataset: silver_shop_orders", "dataset: silver_crm_orders", "name-pattern"),
        ("dataset: silver_shop_orders", "dataset: Silver_Shop_Orders", "name-pattern"),
        (", owner: ada", "", "no-owner"),
        ("title: Orders, ", "", "no-title"),
        (", pii: true, masking: partial", ", pii: true", "unmasked-pii"),
        (", pii: true, masking: partial", "", "likely-pii"),
        ("name: positive, ", "", "unnamed-rule"),
        ("- {name: id, type: int, required: true}", "- {name: id, required: true}", "untyped-field"),
        (
            "    - {name: positive, sql: id > 0}",
            "    - {name: a, sql: id > 0}\n    - {name: a, not_null: id}",
            "repeated-rule-name",
        ),
        ("primary_key: [id]\n", "", "no-key"),
        ("strategy: merge", "strategy: append", "append-of-everything"),
    ],
)
def test_a_remark_is_made_where_something_is_missing(was: str, is_: str, code: str) -> None:
    assert was in CLEAN
    changed = CLEAN.replace(was, is_)
    if code == "no-key":
        changed = changed.replace("strategy: merge", "strategy: overwrite")
    assert codes(changed) == [code]


def test_a_table_that_nothing_judges_is_remarked_on() -> None:
    text = CLEAN.partition("model:")[0] + "materialization: {strategy: merge, target_path: out}\n"
    assert codes(text) == ["no-rules"]


def test_gold_names_may_be_those_of_dimensions_and_facts_and_promise_freshness() -> None:
    gold = CLEAN.replace("layer: silver", "layer: gold").replace("silver_shop_orders", "gold_dim_orders")
    assert codes(gold) == ["no-freshness"]
    assert codes(gold + "service_levels: {freshness_hours: 24}\n") == []


def test_without_a_layer_that_is_said_first() -> None:
    assert "no-layer" in codes("source: {path: a.csv}\nmaterialization: {strategy: overwrite, target_path: x/y}\n")


def test_a_layer_that_nobody_knows_is_remarked_on() -> None:
    assert codes(CLEAN.replace("silver", "sliver")) == ["odd-layer"]


def test_a_contract_that_its_system_does_not_list_is_remarked_on(tmp_path: Path) -> None:
    (tmp_path / "_system.yaml").write_text(
        "system: shop\ncontracts: [{layer: silver, entity: other, path: other.yaml}]\n"
    )
    (tmp_path / "orders.yaml").write_text(CLEAN)
    from lakelogic.contract import load_contract

    assert [finding.code for finding in lint(load_contract(tmp_path / "orders.yaml"))] == ["not-listed"]


def test_every_lint_rule_says_what_it_is_about() -> None:
    assert all(rule.__doc__ and rule.__doc__.endswith(".") for _, rule in lint_rules)


def test_warnings_fail_only_if_they_are_asked_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "orders.yaml"
    file.write_text(CLEAN.replace(", owner: ada", ""))
    assert main(["lint", str(file)]) == 0
    told = capsys.readouterr().out
    assert f"{file}:1:1: warning: nobody owns the contract." in told
    assert "[no-owner]" in told
    assert "1 contract: 1 warning, 0 problems." in told
    assert main(["lint", "--strict", str(file)]) == 1
    assert main(["lint", "--strict", "--ignore", "no-owner", str(file)]) == 0
    capsys.readouterr()


def test_the_report_for_programs_names_code_and_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "orders.yaml"
    file.write_text(CLEAN.replace(", owner: ada", ""))
    assert main(["lint", "--json", str(file)]) == 0
    report = json.loads(capsys.readouterr().out)
    (warning,) = report["contracts"][0]["warnings"]
    assert (warning["code"], warning["line"], report["clean"]) == ("no-owner", 1, False)


def test_an_invalid_contract_or_an_unknown_code_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "orders.yaml"
    file.write_text("sorce: {}\nmodel: {}\n")
    assert main(["lint", str(file)]) == 2
    assert main(["lint", "--ignore", "no-ower", str(file)]) == 2
    assert "Did you mean 'no-owner'?" in capsys.readouterr().err
