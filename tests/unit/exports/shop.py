"""A project with one table of every kind of column, and the exports that a test lists for it."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from loguru import logger

from lakelogic.cli.main import main
from lakelogic.contract import load_contract
from lakelogic.exports.receipts import Receipt
from lakelogic.exports.sending import Asked, export_contract
from lakelogic.formats.arrow_types import arrow_schema
from lakelogic.run.processor import DataProcessor
from lakelogic.run.result import RunResult
from lakelogic.sql.types import Columns
from lakelogic.state.exportlog import ExportLog

COLUMNS = {
    "region": "string",
    "revenue": "decimal(18,2)",
    "orders": "bigint",
    "day": "date",
    "seen": "timestamp",
    "open": "boolean",
    "ratio": "double",
    "tags": "array<string>",
    "site": "struct<city:string,zip:int>",
}
NORTH = {
    "region": "north",
    "revenue": Decimal("12345678901234.56"),
    "orders": 9007199254740993,
    "day": date(2026, 1, 2),
    "seen": datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
    "open": True,
    "ratio": 0.1,
    "tags": ["a", "it's"],
    "site": {"city": 'Köln "am" Rhein', "zip": 50667},
}
SOUTH: dict[str, Any] = {**dict.fromkeys(NORTH), "region": "south", "revenue": Decimal("0.10")}


@dataclass
class Shop:
    """Writes the contract and its rows, runs it, and exports its table."""

    root: Path

    @property
    def contract(self) -> Path:
        return self.root / "kpis.yaml"

    @property
    def log(self) -> list[dict[str, Any]]:
        return ExportLog(self.root / ".lakelogic").rows()

    def lists(self, exports: Sequence[Mapping[str, object]], **more: object) -> None:
        """Write the contract with these exports."""
        fields = [{"name": name, "type": kind} for name, kind in COLUMNS.items()]
        said = {
            "dataset": "kpis",
            "layer": "gold",
            "primary_key": ["region"],
            "source": {"path": "landing", "pattern": "*.json"},
            "model": {"fields": fields},
            "materialization": {"strategy": "overwrite", "target_path": "tables/kpis"},
            "exports": list(exports),
            **more,
        }
        lines = [f"{key}: {json.dumps(value)}" for key, value in said.items()]
        self.contract.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def rows(self, *rows: Mapping[str, object]) -> None:
        """Put these rows in place of those in the source."""
        lines = [json.dumps(row, default=str, ensure_ascii=False) for row in rows]
        (self.root / "landing").mkdir(exist_ok=True)
        (self.root / "landing/rows.json").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def table(self, *rows: Mapping[str, object]) -> None:
        """Write the table as a run would."""
        from deltalake import write_deltalake

        columns = Columns.of(**COLUMNS)
        stored = pa.Table.from_pylist([dict(row) for row in rows], arrow_schema(columns))
        write_deltalake(str(self.root / "tables/kpis"), stored, mode="overwrite")

    def run(self, *rows: Mapping[str, object]) -> RunResult:
        self.rows(*rows)
        return DataProcessor(self.contract, "duckdb").run(force=True)

    def export(self, **asked: Any) -> tuple[Receipt, ...]:
        return export_contract(load_contract(self.contract), Asked(**asked))

    def command(self, *words: str) -> int:
        try:
            return main(["export", *words])
        finally:
            # The command has sent the log to a stream that ends with the test.
            logger.remove()
            logger.disable("lakelogic")

    def project(self, text: str) -> None:
        (self.root / "lakelogic.toml").write_text(textwrap.dedent(text), encoding="utf-8")
