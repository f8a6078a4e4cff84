"""One contract on one engine, in a place of its own: what it wrote and counted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lakelogic.contract import LoadedContract
from lakelogic.engines.base import Committed
from lakelogic.errors import LakeLogicError
from lakelogic.formats.arrow_types import columns_of
from lakelogic.masks.keys import VARIABLE, Keys, load_keys
from lakelogic.masks.sealed import PREFIX, unseal
from lakelogic.plan.names import QUARANTINE_RUN, QUARANTINED_AT, ROW_ID, STATE_RUN
from lakelogic.run.processor import DataProcessor
from lakelogic.run.result import RunResult
from lakelogic.run.runner import Progress
from lakelogic.sql.types import type_name

Cells = dict[str, object]


@dataclass(frozen=True)
class Stored:
    """A table as it was written: its types, and its rows with what was encrypted in clear."""

    types: Mapping[str, str]
    rows: tuple[Cells, ...]


@dataclass(frozen=True)
class Trial:
    """What an engine made of the rows; `refusal` tells why it would not have them."""

    engine: str
    seconds: float = 0.0
    result: RunResult | None = None
    target: Stored = Stored({}, ())
    quarantine: Stored = Stored({}, ())
    refusal: str | None = None


def attempt(loaded: LoadedContract, engine: str, source: Path, folder: Path, key: str, progress: Progress) -> Trial:
    """Run the contract over the rows, with tables and state below `folder`; `key` masks where no key is set."""
    contract = _apart(loaded, folder)
    with _environment(folder, key):
        try:
            processor = DataProcessor(contract, engine, progress=progress)
            result = processor.run_source(str(source), target=str(folder / "target"))
        except LakeLogicError as error:
            return Trial(engine, refusal=" ".join(filter(None, (error.message, error.cure))))
        keys = load_keys(os.environ)
        ignored = _of_a_run(loaded)
        return Trial(
            engine,
            (result.ended - result.started).total_seconds(),
            result,
            _stored(result.target, keys, ignored),
            _stored(result.quarantine, keys, ignored),
        )


def _apart(loaded: LoadedContract, folder: Path) -> LoadedContract:
    """The same contract, writing nowhere but below `folder`; gates that bad rows would close stay open."""
    model = loaded.model
    quarantine = {"enabled": True, "fail_on_quarantine": False, "table": None, "location": None}
    changed = model.model_copy(
        update={
            "quarantine": model.quarantine.model_copy(
                update={**quarantine, "target": str(folder / "quarantine"), "write_mode": "append"}
            ),
            # Which part of a source is new is asked of the source, and these rows have another one.
            "source": model.source and model.source.model_copy(update={"watermark_strategy": None}),
            "quality": model.quality.model_copy(update={"fail_pipeline_on_dataset_error": False}),
        }
    )
    return replace(loaded, model=changed, project=replace(loaded.project, root=folder, state=None))


@contextmanager
def _environment(folder: Path, key: str) -> Iterator[None]:
    """A state of its own, and a key where none is set."""
    before = {name: os.environ.get(name) for name in ("LAKELOGIC_STATE", VARIABLE)}
    os.environ["LAKELOGIC_STATE"] = str(folder / "state")
    os.environ.setdefault(VARIABLE, key)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _of_a_run(loaded: LoadedContract) -> set[str]:
    """Columns that differ between any two runs."""
    lineage = loaded.model.lineage
    named = (lineage.run_id_column_name, lineage.timestamp_column_name, lineage.created_at_column_name)
    return {name.lower() for name in (*named, QUARANTINE_RUN, QUARANTINED_AT, ROW_ID, STATE_RUN)}


def _stored(table: Committed | None, keys: Keys, ignored: set[str]) -> Stored:
    if table is None:
        return Stored({}, ())
    import pyarrow as pa
    from deltalake import DeltaTable

    stored = DeltaTable(table.location)
    kept = [
        column for column in columns_of(pa.schema(stored.schema().to_arrow())) if column.name.lower() not in ignored
    ]
    types = {column.name: type_name(column.type) for column in kept}
    data = pa.RecordBatchReader.from_stream(stored.scan(columns=list(types))).read_all()
    return Stored(types, tuple(_opened(data.to_pylist(), keys)))


def _opened(rows: Sequence[dict[str, Any]], keys: Keys) -> Iterator[Cells]:
    for row in rows:
        yield {name: _clear(value, keys) for name, value in row.items()}


def _clear(value: object, keys: Keys) -> object:
    return unseal(value, keys) if isinstance(value, str) and value.startswith(PREFIX) else value
