"""Quarantine as a file that is sent while it is made: rows need not fit into memory."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from lakelogic.plan import names
from lakelogic.quarantine.lifecycle import Quarantine
from lakelogic.quarantine.rows import QuarantinedRow, Wanted
from lakelogic.serve.reading.project import Served
from lakelogic.serve.reading.quarantine import QueueAsk

if TYPE_CHECKING:
    import pyarrow as pa

DOWNLOADS: Mapping[str, str] = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
_LISTS = (names.RULES, names.ERRORS, names.CATEGORIES)
_OWN = (
    names.ROW_ID,
    names.STATE,
    names.REASON,
    *_LISTS,
    names.SOURCE_FILE,
    names.SOURCE_POSITION,
    names.QUARANTINE_RUN,
    names.QUARANTINED_AT,
)


def download(served: Served, ask: QueueAsk, form: str) -> Iterator[bytes]:
    """The rows that fit as the bytes of a file: the contract's columns, then those of the table about them.

    Raises:
        NotFound: there is no such contract.
        SourceError: the table can't be read now.
    """
    quarantine = Quarantine(served.contracts.node(ask.contract or "").contract)
    columns = quarantine.columns()
    batches = quarantine.batches(Wanted(state=ask.state, rule=ask.rule, run=ask.run))
    return _WRITERS[form](columns, batches)


def _csv(columns: tuple[str, ...], batches: Iterator[list[QuarantinedRow]]) -> Iterator[bytes]:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow((*columns, *_OWN))
    yield text.getvalue().encode()
    for rows in batches:
        text.seek(0)
        text.truncate()
        writer.writerows(_line(columns, row) for row in rows)
        yield text.getvalue().encode()


def _line(columns: tuple[str, ...], row: QuarantinedRow) -> Iterator[object]:
    own = _own(row)
    yield from (row.values.get(name) for name in columns)
    yield from ("; ".join(row_texts) if isinstance(row_texts := own[name], tuple) else row_texts for name in _OWN)


def _parquet(columns: tuple[str, ...], batches: Iterator[list[QuarantinedRow]]) -> Iterator[bytes]:
    import pyarrow as pa
    from pyarrow import parquet

    schema, sink = _schema(columns), _Sink()
    with parquet.ParquetWriter(pa.PythonFile(sink, mode="w"), schema) as writer:
        for rows in batches:
            listed = [{**{name: _text(row.values.get(name)) for name in columns}, **_own(row)} for row in rows]
            writer.write_table(pa.Table.from_pylist(listed, schema))
            yield sink.taken()
    yield sink.taken()


def _own(row: QuarantinedRow) -> dict[str, object]:
    told = (row.id, row.state, row.reason, row.rules, row.errors, row.categories)
    return dict(zip(_OWN, (*told, row.file, row.position, row.run_id, row.quarantined_at), strict=True))


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _schema(columns: tuple[str, ...]) -> pa.Schema:
    import pyarrow as pa

    kinds = {
        **dict.fromkeys(_LISTS, pa.list_(pa.string())),
        names.SOURCE_POSITION: pa.int64(),
        names.QUARANTINED_AT: pa.timestamp("us", tz="UTC"),
    }
    return pa.schema([(name, kinds.get(name, pa.string())) for name in (*columns, *_OWN)])


class _Sink(io.RawIOBase):
    """Takes bytes in, and gives out those that came since the last time."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        part = bytes(memoryview(data))  # type: ignore[arg-type]
        self._parts.append(part)
        return len(part)

    def taken(self) -> bytes:
        found, self._parts = b"".join(self._parts), []
        return found


_WRITERS: Mapping[str, Callable[[tuple[str, ...], Iterator[list[QuarantinedRow]]], Iterator[bytes]]] = {
    "csv": _csv,
    "parquet": _parquet,
}
