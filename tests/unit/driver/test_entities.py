"""The contracts that a command on a folder is about."""

from __future__ import annotations

from lakelogic.driver.entities import entities
from tests.unit.driver.lake import Lake


def test_a_contract_of_a_layer_comes_after_what_it_needs_of_the_same_layer(lake: Lake) -> None:
    lake.contract("bronze_a")
    lake.contract("gold_a", source="gold_z")
    lake.contract("gold_z", source="bronze_a")
    folder = lake.root / "contracts"
    assert [each.name for each in entities(folder)] == ["bronze_a", "gold_z", "gold_a"]
    assert [each.name for each in entities(folder, "gold")] == ["gold_z", "gold_a"]
    assert [each.name for each in entities(folder / "gold_a.yaml")] == ["gold_a"]


def test_of_a_folder_with_a_registry_only_what_it_lists_is_meant(lake: Lake) -> None:
    lake.contract("bronze_a")
    lake.contract("bronze_b")
    lake.registry({"b": {"bronze": "bronze_b.yaml"}})
    assert [each.name for each in entities(lake.root / "contracts")] == ["bronze_b"]
