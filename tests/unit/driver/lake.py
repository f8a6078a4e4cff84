"""A small lakehouse in a folder: contracts on DuckDB, their files, and a registry."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lakelogic.cli.driver import main
from lakelogic.driver.drive import Settings, drive
from lakelogic.driver.nodes import Selection
from lakelogic.driver.summary import Summary
from lakelogic.state.runlog import RunLog


@dataclass
class Lake:
    """Writes contracts and runs the driver on them."""

    root: Path

    def file(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    def contract(self, name: str, body: str = "", *, source: str | None = None, upstream: str = "") -> Path:
        """A contract that reads csv files of its own, or the table of another, and writes `tables/<name>`."""
        layer = name.split("_", maxsplit=1)[0]
        path = f"../tables/{source}" if source else f"../landing/{name}"
        if source is None:
            self.file(f"landing/{name}/{name}_2026-02-01.csv", "id,name\n1,a\n2,b\n")
        reads = f"{{path: {path}, format: delta}}" if source else f"{{path: {path}, pattern: '{name}_*.csv'}}"
        needed = f"upstream: [{upstream}]\n" if upstream else ""
        text = f"dataset: {name}\nlayer: {layer}\n{needed}source: {reads}\n"
        target = f"materialization: {{strategy: overwrite, target_path: ../tables/{name}}}\n"
        return self.file(f"contracts/{name}.yaml", text + target + textwrap.dedent(body))

    def registry(self, entries: Mapping[str, Mapping[str, str]], **more: Any) -> Path:
        """A registry of entities with their contracts by layer."""
        listed = [{"entity": entity, "contracts": dict(contracts), **more} for entity, contracts in entries.items()]
        return self.file("contracts/_registry.yaml", json.dumps({"entries": listed}))

    def drive(self, selection: Selection | None = None, **settings: Any) -> Summary:
        chosen = selection or Selection(registries=(self.root / "contracts/_registry.yaml",))
        return drive(chosen, Settings(**{"engine": "duckdb", **settings}))

    def command(self, *words: str) -> int:
        """The exit code of `lakelogic-driver` on the registry."""
        return main(["--registry", str(self.root / "contracts/_registry.yaml"), "--engine", "duckdb", *words])

    def rows(self, name: str) -> list[dict[str, Any]]:
        from deltalake import DeltaTable

        found: list[dict[str, Any]] = DeltaTable(str(self.root / "tables" / name)).to_pyarrow_table().to_pylist()
        return sorted(found, key=str)

    def log(self) -> list[dict[str, Any]]:
        return RunLog(self.root / ".lakelogic").rows()


def statuses(summary: Summary) -> dict[str, str]:
    return {outcome.contract: outcome.status for outcome in summary.outcomes}
