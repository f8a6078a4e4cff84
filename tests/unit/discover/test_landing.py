"""Which files belong together, and the pattern that finds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.discover.landing import Entity, entity_of, find_entities
from lakelogic.errors import SourceError, UsageError


def _landed(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("id,name\n1,a\n")
    return root


def _found(root: Path, **options: str) -> dict[str, Entity]:
    return {entity.name: entity for entity in find_entities(str(root), **options)}


def test_files_of_one_folder_are_told_apart_by_their_names(tmp_path: Path) -> None:
    days = ("2026-02-01", "2026-02-06")
    found = _found(_landed(tmp_path, *(f"{name}_{day}.csv" for name in ("claims", "claims_cdc") for day in days)))
    assert {name: entity.pattern for name, entity in found.items()} == {
        "claims": "claims_????-??-??.csv",
        "claims_cdc": "claims_cdc_????-??-??.csv",
    }
    assert {entity.dated for entity in found.values()} == {"%Y-%m-%d"}


@pytest.mark.parametrize(
    ("names", "entity", "pattern", "dated"),
    [
        (("orders.csv",), "orders", "orders.csv", None),
        (("orders_20260201.csv", "orders_20260202.csv"), "orders", "orders_????????.csv", "%Y%m%d"),
        (("Orders 2026-02.csv",), "orders", "Orders ????-??.csv", "%Y-%m"),
        (("orders.2026-02-01.csv",), "orders", "orders.????-??-??.csv", "%Y-%m-%d"),
        (("orders_1.csv", "orders_12.csv"), "orders", "orders_*.csv", None),
        (("orders_20260230.csv",), "orders", "orders_*.csv", None),
    ],
)
def test_a_name_tells_entity_pattern_and_date(
    tmp_path: Path, names: tuple[str, ...], entity: str, pattern: str, dated: str | None
) -> None:
    (found,) = find_entities(str(_landed(tmp_path, *names)))
    assert (found.name, found.pattern, found.dated) == (entity, pattern, dated)


@pytest.mark.parametrize(
    ("names", "dated"),
    [
        (("orders/2026/02/01/part-0.csv", "orders/2026/02/02/part-0.csv"), "%Y/%m/%d"),
        (("orders/year=2026/month=02/data.csv", "orders/year=2026/month=03/data.csv"), "year=%Y/month=%m"),
        (("orders/2026-02-01.csv", "orders/2026-02-02.csv"), "%Y-%m-%d"),
        (("orders/region=EU/part-00000-c000.csv", "orders/region=US/part-00001-c000.csv"), None),
    ],
)
def test_folders_name_an_entity_whose_files_have_no_names(
    tmp_path: Path, names: tuple[str, ...], dated: str | None
) -> None:
    found = find_entities(str(_landed(tmp_path, *names)))
    assert {(entity.name, entity.dated) for entity in found if entity.name == "orders"} == {("orders", dated)}


def test_entities_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    found = _found(_landed(tmp_path, "crm/customers.csv", "erp/customers.csv"))
    assert {name: Path(entity.path).name for name, entity in found.items()} == {
        "crm_customers": "crm",
        "erp_customers": "erp",
    }


def test_a_landing_zone_without_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no file"):
        find_entities(str(tmp_path))
    with pytest.raises(SourceError, match=r"matches \*.json"):
        find_entities(str(_landed(tmp_path, "a.csv")), pattern="*.json")
    with pytest.raises(UsageError, match="format 'cvs' is unknown"):
        find_entities(str(tmp_path), format="cvs")


def test_one_file_is_one_entity_whatever_its_date(tmp_path: Path) -> None:
    file = _landed(tmp_path, "orders_2026-02-01.csv") / "orders_2026-02-01.csv"
    assert entity_of(str(file)).dated is None
    assert entity_of(str(tmp_path)).dated == "%Y-%m-%d"
