"""The files in data/ are what the contracts read."""

from __future__ import annotations

from lakelogic import load_contract
from lakelogic.contract.exports import project_exports
from lakelogic.project import find_project

from app.resource_pack import LAB, quality_gates, source_orders, validation_cases


def test_the_gates_of_the_file_are_the_rules_of_the_contract_in_their_order() -> None:
    contract = load_contract(LAB / "contracts" / "silver" / "orders.yaml").model
    rules = {rule.name: rule.label for rule in contract.quality.row_rules}
    steps = {step.name: step.label for step in contract.transformations if step.kind == "deduplicate"}
    assert list((rules | steps).items()) == list(quality_gates().items())
    assert list(quality_gates()) == ["customer_present", "region_present", "positive_amount", "latest_order_record"]


def test_there_are_twelve_orders() -> None:
    assert len(source_orders()) == 12


def test_every_case_says_why_and_each_row_can_be_told() -> None:
    cases = validation_cases()
    tags = [row.tag for case in cases for row in case.rows]
    assert all(case.why and case.rows for case in cases)
    assert len(tags) == len(set(tags))


def test_the_export_targets_of_the_file_are_those_of_the_project() -> None:
    exports = project_exports(find_project(LAB))
    tables = {export.to: export.table for export in exports if export.contract == "gold_region_kpis"}
    assert tables == {
        "snowflake": "LAKEHOUSE_LAB.GOLD.REGION_KPIS",
        "databricks": "lakehouse_lab.gold.region_kpis",
        "s3": None,
    }
    assert [export.to for export in exports if export.files] == ["s3"]
