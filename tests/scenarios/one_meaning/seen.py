"""What somebody sees of a scenario on one engine: screen, messages, exit codes, tables and the run log."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from deltalake import DeltaTable
from loguru import logger

from lakelogic.cli.main import main
from lakelogic.masks.keys import Keys, load_keys
from lakelogic.masks.sealed import PREFIX, unseal
from lakelogic.state.runlog import RunLog

Files = Mapping[str, str | bytes]
ENGINES = ("spark", "duckdb", "polars")

# Of the same age on every engine, and never younger than a run.
_LANDED = 1_767_225_600
_COLUMNS_OF_A_RUN = {
    "_lakelogic_run_id",
    "_lakelogic_processed_at",
    "_lakelogic_created_at",
    "_lakelogic_quarantined_at",
    "_lakelogic_row_id",
    "_lakelogic_state_run",
    "_upstream_lakelogic_run_ids",
}
# A plan has the SQL of its engine.
_LOGGED_OF_A_RUN = {"run_id", "pipeline_run_id", "started_at", "ended_at", "duration_seconds", "engine", "plan"}
_TOLD_OF_A_RUN = {"run_id", "pipeline_run_id", "started", "ended", "duration_seconds", "engine", "timings", "plan"}
_WORDS_OF_A_RUN = re.compile(
    r"\b[0-9]{8}T?[0-9]{6}[0-9a-fZ-]*\b|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)?"
    r"|\b(\d+ min )?\d+(\.\d+)? m?s\b|\b(starting|opening)\b"
)


@dataclass(frozen=True)
class Scenario:
    """A contract, and the files that have arrived before each of its runs."""

    name: str
    contract: str
    arrivals: Sequence[Files]
    arguments: Sequence[str] = ()
    exits: Sequence[int] = ()
    in_ci: bool = False


@dataclass
class Seen:
    """What was seen, without what differs between any two runs."""

    exits: list[int] = field(default_factory=list)
    screens: list[list[str]] = field(default_factory=list)
    messages: list[list[str]] = field(default_factory=list)
    tables: dict[str, tuple[Sequence[str], list[str]]] = field(default_factory=dict)
    log: list[dict[str, Any]] = field(default_factory=list)


def see(scenario: Scenario, engine: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> Seen:
    """Run the scenario as a user would; the folder is the same for all engines, and is gone afterwards."""
    seen = Seen()
    _land(folder, {"contract.yaml": scenario.contract})
    with _inside(folder):
        for files in scenario.arrivals:
            _land(folder, files)
            capsys.readouterr()
            seen.exits.append(main(["run", "contract.yaml", "--engine", engine, *scenario.arguments]))
            out, err = capsys.readouterr()
            seen.screens.append(_plain(out, engine))
            seen.messages.append(_plain(err, engine))
    seen.tables = {place.name: _table(place) for place in sorted(folder.iterdir()) if _is_written(place)}
    seen.log = [_logged(row) for row in RunLog(folder / ".lakelogic").rows()]
    shutil.rmtree(folder)
    return seen


def differences(oracle: Seen, other: Seen) -> list[str]:
    """Every difference, in a line of its own."""
    found: list[str] = []
    for part in ("exits", "screens", "messages", "tables", "log"):
        found += _compared(part, getattr(oracle, part), getattr(other, part))
    return found


def _compared(where: str, mine: Any, theirs: Any) -> Iterator[str]:
    if type(mine) is type(theirs) and isinstance(mine, dict):
        for name in mine | theirs:
            yield from _compared(f"{where} {name}", mine.get(name), theirs.get(name))
    elif type(mine) is type(theirs) and isinstance(mine, (list, tuple)) and len(mine) == len(theirs):
        for number, (a, b) in enumerate(zip(mine, theirs, strict=True)):
            yield from _compared(f"{where} {number}", a, b)
    elif repr(mine) != repr(theirs):
        yield f"{where}: {mine!r} and {theirs!r}"


def _land(folder: Path, files: Files) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(path, (_LANDED, _LANDED))


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        logger.remove()
        logger.disable("lakelogic")


def _plain(text: str, engine: str) -> list[str]:
    """The lines, sorted: in which order rows are shown is nobody's promise."""
    text = re.sub(rf"\b{engine}\b", "ENGINE", text, flags=re.IGNORECASE)
    lines = (" ".join(_WORDS_OF_A_RUN.sub("RUN", line).split()) for line in text.splitlines())
    return sorted(line for line in lines if line)


def _is_written(place: Path) -> bool:
    return place.is_dir() and place.name.startswith("out")


def _table(place: Path) -> tuple[Sequence[str], list[str]]:
    """Columns with their types in order, and rows in a stable order, with what was encrypted in clear."""
    found = _rows(place)
    columns = [f"{each.name} {each.type}{'' if each.nullable else ' not null'}" for each in found.schema]
    keys = load_keys(os.environ)
    rows = [
        {name: _clear(value, keys) for name, value in row.items() if name not in _COLUMNS_OF_A_RUN}
        for row in found.to_pylist()
    ]
    return columns, sorted(map(repr, rows))


def _rows(place: Path) -> pa.Table:
    if (place / "_delta_log").is_dir():
        return pa.RecordBatchReader.from_stream(DeltaTable(place).scan()).read_all()
    files = [path for path in sorted(place.rglob("*")) if path.suffix in (".parquet", ".csv", ".json")]
    if any(path.suffix == ".parquet" for path in files):
        # Whether a column of a plain file may be NULL is told only by what is in it.
        tables = [pyarrow.parquet.ParquetFile(path).read() for path in files]
        return pa.concat_tables(table.cast(_nullable(table.schema)) for table in tables)
    return pa.table({"line": [line for path in files for line in path.read_text("utf-8").splitlines()]})


def _nullable(schema: pa.Schema) -> pa.Schema:
    return pa.schema([each.with_nullable(True) for each in schema])


def _clear(value: Any, keys: Keys) -> Any:
    return unseal(value, keys) if isinstance(value, str) and value.startswith(PREFIX) else value


def _logged(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in row.items() if name not in _LOGGED_OF_A_RUN}
    report = json.loads(kept["report"]) if kept.get("report") else {}
    return {**kept, "report": {name: value for name, value in report.items() if name not in _TOLD_OF_A_RUN}}
