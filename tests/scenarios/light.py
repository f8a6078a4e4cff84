"""The scenarios on engines that need no Spark: the same tests, in a project folder of their own kind."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from lakelogic import DataProcessor, load_contract
from lakelogic.engines.duckdb.engine import DuckDBEngine
from lakelogic.plan.names import MALFORMED
from lakelogic.run.begin import Ask, Beginning
from tests.scenarios.project import Project, Row

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENGINES = ("duckdb", "polars")


@dataclass
class LightProject(Project):
    """A project folder whose contracts run without Spark."""

    engine: str = "duckdb"

    def processor(self, name: str = "contract.yaml", **options: Any) -> DataProcessor:
        return DataProcessor(self.root / name, self.engine, **options)

    def read(self, text: str) -> list[Row]:
        loaded = load_contract(self.contract(text))
        engine = DuckDBEngine(self.root / "warehouse")
        found = Beginning(loaded, Ask(), None).input().shaped(engine)
        rows = [dict(row) for row in engine.head(found.frame(engine), 1_000_000)]
        kept = [{"!" if name == MALFORMED.name else name: value for name, value in row.items()} for row in rows]
        visible = [{k: v for k, v in row.items() if not k.startswith("_ll_") and (k != "!" or v)} for row in kept]
        return sorted(visible, key=str)


def light_project(folder: Path, engine: str = "duckdb") -> LightProject:
    """An empty project folder."""
    return LightProject(folder, cast("SparkSession", None), engine)


def scenarios_of(*modules: ModuleType, but: Collection[str] = ()) -> dict[str, Any]:
    """The tests of some modules, and the fixtures that they have themselves."""
    own = {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if name.startswith("test_") or type(value).__name__ == "FixtureFunctionDefinition"
    }
    unknown = set(but) - set(own)
    assert not unknown, f"no such scenario: {', '.join(sorted(unknown))}"
    return {name: value for name, value in own.items() if name not in but}
