"""The lab's pipeline, run for real into a folder of its own."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from lakelogic.cli.driver import main as drive

from app.resource_pack import COLUMNS, LAB

Row = dict[str, Any]
ENGINES = ("duckdb", "polars", pytest.param("spark", marks=pytest.mark.spark))


@dataclass(frozen=True)
class Lab:
    """A copy of the lab, and what its pipeline wrote."""

    root: Path

    def build(self, engine: str | None = None) -> int:
        """Run bronze, silver and gold; the exit code."""
        asked = ["--engine", engine] if engine else []
        return drive(["--registry", str(self.root / "contracts" / "_registry.yaml"), *asked])

    def send(self, rows: Iterable[dict[str, str]]) -> None:
        """Put these orders in the place of the source."""
        with (self.root / "data" / "source_orders.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)

    def table(self, name: str, version: int | None = None) -> DeltaTable:
        """A Delta table of the build."""
        return DeltaTable(self.root / "artifacts" / "delta" / name, version=version)

    def rows(self, name: str, version: int | None = None) -> list[Row]:
        """The rows of a table."""
        found: list[Row] = self.table(name, version).to_pyarrow_table().to_pylist()
        return found


def copied(folder: Path) -> Lab:
    """A copy of the lab without what was built in it."""
    for part in ("contracts", "data"):
        shutil.copytree(LAB / part, folder / part)
    shutil.copy(LAB / "lakelogic.toml", folder)
    return Lab(folder)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Lab]:
    """The lab as it was built by an engine, once for all tests."""

    @cache
    def build(engine: str) -> Lab:
        lab = copied(tmp_path_factory.mktemp(engine))
        assert lab.build(engine) == 0
        return lab

    return build


@pytest.fixture
def fresh(tmp_path: Path) -> Lab:
    """A copy of the lab in which nothing was built yet."""
    return copied(tmp_path)


@pytest.fixture(scope="session")
def expected() -> dict[str, Any]:
    """What the 12 orders must come to."""
    found: dict[str, Any] = json.loads((LAB / "tests" / "expected.json").read_text(encoding="utf-8"))
    return found
