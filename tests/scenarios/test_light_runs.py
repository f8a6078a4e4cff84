"""Whole runs without Spark: what the scenarios say of accounts, strategies, bad rows and origins."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.scenarios import (
    test_accounts,
    test_bad_rows,
    test_failures,
    test_home_page,
    test_origins,
    test_strategies,
)
from tests.scenarios.light import ENGINES, LightProject, light_project, scenarios_of

# These look at Spark's frames, or ask its catalog.
_OF_SPARK = {
    "test_four_customers_become_two_good_and_two_quarantined",
    "test_another_source_takes_the_place_of_the_contracts",
    "test_rows_that_were_quarantined_before_are_judged_like_others",
    "test_the_original_row_is_sealed_with_a_key_and_not_kept_without",
    "test_two_batches_into_a_catalog_name",
}
_MODULES = (
    test_accounts,
    test_bad_rows,
    test_failures,
    test_home_page,
    test_origins,
    test_strategies,
)
globals().update(scenarios_of(*_MODULES, but=_OF_SPARK))


@pytest.fixture(params=ENGINES)
def project(request: pytest.FixtureRequest, tmp_path: Path) -> LightProject:
    return light_project(tmp_path, request.param)


@pytest.fixture(scope="module", params=ENGINES)
def workshop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LightProject:
    project = light_project(tmp_path_factory.mktemp("accounts"), request.param)
    for phase in ("pre", "post"):
        project.contract(test_accounts._CONTRACT.format(phase=phase, target=phase), f"{phase}.yaml")
    return project


@pytest.mark.usefixtures("key")
def test_the_home_pages_customers_become_two_good_and_two_quarantined(project: LightProject) -> None:
    shutil.copytree(test_home_page._HOME, project.root, dirs_exist_ok=True)
    good, bad = project.run()
    assert (len(good), len(bad)) == (2, 2)
    rows = {row["cus_id"]: row["_lakelogic_errors"] for row in _dicts(bad)}
    assert rows == {"C102": ["Rule failed: email LIKE '%@%.%'"], "C103": ["Rule failed: email is required"]}
    assert all(row["email"].startswith("enc:") for row in _dicts(good))


@pytest.mark.parametrize("strategy", ["append", "overwrite", "merge"])
def test_two_batches_into_a_name_of_the_warehouse(project: LightProject, strategy: str) -> None:
    project.file("in/1.csv", "id,name\n1,a\n2,b\nx,bad\n")
    project.run(test_strategies._contract(strategy, "silver.things"))
    project.file("in/2.csv", "id,name\n2,B\n3,c\n")
    second = project.run()
    pairs = [(row["id"], row["name"]) for row in project.rows("warehouse/silver.db/things")]
    assert sorted(pairs) == sorted(test_strategies._AFTER_TWO_BATCHES[strategy])
    assert second.target is not None and second.target.location == "silver.things"
    assert project.values("id", "warehouse/quarantine.db/silver_things") == ["x"]


def test_a_lazy_frame_in_gives_lazy_frames_out(tmp_path: Path) -> None:
    project = light_project(tmp_path, "polars")
    project.contract("model: {fields: [{name: id, type: int, required: true}]}\nmaterialization: {target_path: out}\n")
    good, bad = project.processor().run(pl.LazyFrame({"id": ["1", "x", None]}))
    assert isinstance(good, pl.LazyFrame) and isinstance(bad, pl.LazyFrame)
    assert (good.collect().to_dicts(), len(bad.collect())) == ([{"id": 1}], 2)


def _dicts(frame: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (
        frame.to_arrow_table().to_pylist() if hasattr(frame, "to_arrow_table") else frame.to_dicts()
    )
    return rows
