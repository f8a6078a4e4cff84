"""A project folder as a user would have it: a contract, its data, and what runs leave behind."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakelogic import DataProcessor, RunResult, load_contract
from lakelogic.engines.iceberg_commits import metadata_file, snapshots_in
from lakelogic.engines.spark.engine import SparkEngine
from lakelogic.plan.names import MALFORMED
from lakelogic.run.begin import Ask, Beginning
from lakelogic.state.runlog import RunLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]

# What differs between two runs of the same thing.
_OF_A_RUN = {
    "_lakelogic_run_id",
    "_lakelogic_quarantined_at",
    "_lakelogic_processed_at",
    "_lakelogic_created_at",
    "_lakelogic_row_id",
    "_lakelogic_state_run",
}


@dataclass
class Project:
    """Writes contracts and files into a folder, runs them in the shared session, and reads what they wrote."""

    root: Path
    spark: SparkSession

    def file(self, name: str, content: str | bytes) -> Path:
        """A data file; text is dedented."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(textwrap.dedent(content).lstrip("\n"), encoding="utf-8")
        return path

    def contract(self, text: str, name: str = "contract.yaml") -> Path:
        return self.file(name, text)

    def processor(self, name: str = "contract.yaml", **options: Any) -> DataProcessor:
        return DataProcessor(self.root / name, spark=self.spark, **options)

    def run(self, text: str | None = None, *, force: bool = False, **options: Any) -> RunResult:
        """Run the contract, after writing it if its text is given."""
        if text is not None:
            self.contract(text)
        return self.processor(**options).run(force=force)

    def read(self, text: str) -> list[Row]:
        """What the source of a contract yields, in the order of its columns; the text of a malformed record is `!`."""
        loaded = load_contract(self.contract(text))
        engine = SparkEngine(self.spark, None)
        found = Beginning(loaded, Ask(), None).input().shaped(engine)
        rows = [row.asDict(recursive=True) for row in found.frame(engine).collect()]
        kept = [{"!" if name == MALFORMED.name else name: value for name, value in row.items()} for row in rows]
        visible = [{k: v for k, v in row.items() if not k.startswith("_ll_") and (k != "!" or v)} for row in kept]
        return sorted(visible, key=str)

    def rows(self, name: str = "out") -> list[Row]:
        """The rows of a Delta or Iceberg table below the folder, in a stable order."""
        from deltalake import DeltaTable

        path = self.root / name
        rows: list[Row]
        if metadata_file(path) is None:
            rows = DeltaTable(str(path)).to_pyarrow_table().to_pylist()
        else:
            from lakelogic.engines.duckdb.iceberg_catalog import FolderCatalog

            table = FolderCatalog(path).open()
            assert table is not None
            rows = table.scan().to_arrow().to_pylist()
        return sorted(rows, key=str)

    def values(self, column: str, name: str = "out") -> list[Any]:
        """The values of one column of a table, sorted as text."""
        return sorted((row[column] for row in self.rows(name)), key=str)

    def versions(self, name: str = "out") -> int | None:
        """How many commits a table has seen; None where there is no table."""
        from deltalake import DeltaTable

        path = self.root / name
        if (path / "_delta_log").is_dir():
            return DeltaTable(str(path)).version() + 1
        return len(snapshots_in(path)) or None

    def log(self) -> list[Row]:
        """The run log, oldest first."""
        return RunLog(self.root / ".lakelogic").rows()

    def bad(self, name: str = "out_quarantine") -> dict[str, list[str]]:
        """Errors of each quarantined row, by its first column."""
        return {str(next(iter(row.values()))): list(row["_lakelogic_errors"]) for row in self.rows(name)}

    def contents(self) -> Mapping[str, object]:
        """Tables and log without what differs between two runs of the same thing."""
        tables = {
            table.name: (versions, [self._comparable(row) for row in self.rows(table.name)])
            for table in sorted(self.root.iterdir())
            if (versions := self.versions(table.name)) is not None
        }
        counted = [
            {key: row[key] for key in row if key.startswith("counts_") or key in ("status", "rules")}
            for row in self.log()
            if row["status"] == "succeeded"
        ]
        return {"tables": tables, "log": counted}

    def _comparable(self, row: Row) -> Row:
        kept = {key: value for key, value in row.items() if key not in _OF_A_RUN}
        return {
            key: value.replace(str(self.root), "") if isinstance(value, str) else value for key, value in kept.items()
        }
