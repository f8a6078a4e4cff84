"""`Quarantine`: the quarantine of a contract, ready to be looked at and worked off."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakelogic.contract import LoadedContract, load_contract
from lakelogic.engines.base import Engine
from lakelogic.engines.opening import EngineSettings, engines, light_engine, open_engine
from lakelogic.errors import ContractError, SecretMissing, StateError, UsageError
from lakelogic.masks.base import mask_for
from lakelogic.masks.keys import VARIABLE, load_keys
from lakelogic.masks.sealed import PREFIX, unseal
from lakelogic.plan import names
from lakelogic.plan.again import How
from lakelogic.plan.model import TablePlan, writer_of
from lakelogic.plan.tables import identity_of, quarantine_table, target_of
from lakelogic.quarantine.read_again import was_read_again
from lakelogic.quarantine.rows import (
    NUMBER,
    STATES,
    Order,
    QuarantinedRow,
    Wanted,
    in_order,
    numbered,
    original_of,
    row_of,
    rows_select,
    states_select,
)
from lakelogic.run.again import Again
from lakelogic.run.begin import require_keys
from lakelogic.run.processor import DataProcessor
from lakelogic.run.result import RunResult
from lakelogic.sources.read import TableToRead
from lakelogic.sql.types import Columns, parse_type
from lakelogic.state.claims import Claims

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ALL = 2**31 - 1


@dataclass(frozen=True)
class Resolved:
    """What a command did: how many rows it was asked for, and the run that took care of them."""

    asked: int
    run: RunResult | None = None


class Quarantine:
    """The quarantine of a contract.

    Example:
        >>> Quarantine("contract.yaml").rows()  # doctest: +SKIP
    """

    def __init__(
        self,
        contract: str | Path | LoadedContract,
        engine: str | None = None,
        *,
        spark: SparkSession | None = None,
        environment: str | None = None,
        overrides: Mapping[str, object] | None = None,
    ) -> None:
        """Load the contract. Rows are looked at without Spark, unless an engine is named or a session given.

        Raises:
            ContractInvalid: with every problem of the file.
        """
        if not isinstance(contract, LoadedContract):
            contract = load_contract(contract, overrides=overrides, environment=environment)
        self.contract = contract
        self._engine_name = engine
        self._spark = spark
        target = target_of(contract)
        self._identity = identity_of(contract, target)
        self._table = quarantine_table(contract, target)
        self.claims = Claims(contract.project.state_dir / "runs" / self._identity)
        self._private = {
            item.name.lower() for item in contract.model.model.fields if item.is_personal and not item.is_masked
        }

    @property
    def table(self) -> TablePlan:
        """Where the rows are.

        Raises:
            ContractError: the contract keeps no bad rows.
        """
        if self._table is None:
            raise ContractError("the contract has no quarantine.", cure="Set quarantine.enabled.")
        return self._table

    def rows(
        self,
        wanted: Wanted | None = None,
        *,
        limit: int = 50,
        offset: int = 0,
        reveal: bool = False,
        order: Order = "oldest",
    ) -> list[QuarantinedRow]:
        """Rows of runs that have ended; `reveal` brings their original, for those who hold the key.

        Raises:
            SecretMissing: the originals are encrypted, and there is no key.
        """
        with self._opened() as stored:
            if stored is None:
                return []
            engine, frame, columns = stored
            sql = engines.get(engine.name).render(rows_select(self._visible(wanted), columns, order), columns, {})
            page = f"{sql} LIMIT {limit} OFFSET {offset}"
            found = [self._row(row, reveal=reveal) for row in engine.rows(page, {"source": frame}, limit)]
        return in_order(found, order, lambda row: row)

    def batches(self, wanted: Wanted | None = None, *, size: int = 2_000) -> Iterator[list[QuarantinedRow]]:
        """All the wanted rows, oldest first, a part at a time: they need not fit into memory."""
        with self._opened() as stored:
            if stored is None:
                return
            engine, frame, columns = stored
            select = numbered(rows_select(self._visible(wanted), columns))
            sql = engines.get(engine.name).render(select, columns, {})
            held = engine.hold(engine.select(sql, {"source": frame}))
            for last in count(size, size):
                part = f"SELECT * FROM source WHERE {NUMBER} > {last - size} AND {NUMBER} <= {last}"
                rows = [self._row(row, reveal=False) for row in engine.rows(part, {"source": held}, size)]
                if not rows:
                    return
                yield in_order(rows, "oldest", lambda row: row)

    def columns(self) -> tuple[str, ...]:
        """The contract's own columns in the table."""
        with self._opened() as stored:
            return tuple(name for name in stored[2].names if name not in names.RESERVED) if stored else ()

    def states(self, wanted: Wanted | None = None) -> dict[str, int]:
        """How many rows there are in each state."""
        counts = dict.fromkeys(STATES, 0)
        with self._opened() as stored:
            if stored is None:
                return {}
            engine, frame, columns = stored
            sql = engines.get(engine.name).render(states_select(self._visible(wanted)), columns, {})
            found = engine.rows(sql, {"source": frame}, len(STATES))
        return counts | {str(row["state"]): int(str(row["rows"])) for row in found}

    def why(self, key: Sequence[str]) -> list[QuarantinedRow]:
        """Every row of a key, whatever became of it, oldest first; without a primary key, of a row's id.

        Raises:
            UsageError: the key has more or fewer parts, or rows can't be found by it.
        """
        columns = self.contract.primary_key
        if len(key) == 1 and (not columns or len(columns) != 1):
            return self.rows(Wanted(row=key[0]), limit=_ALL)
        if len(key) != len(columns):
            raise UsageError(f"the key has {len(columns)} parts: {', '.join(columns)}.", cure="Give each of them.")
        by_key = self.rows(Wanted(key=dict(self._stored_key(columns, key))), limit=_ALL)
        return by_key or (self.rows(Wanted(row=key[0]), limit=_ALL) if len(key) == 1 else [])

    def replay(self, wanted: Wanted | None = None, *, reason: str = "replay") -> Resolved:
        """Run active rows through today's contract: those that pass move to the target, once; the others stay.

        Raises:
            ContractError: the contract makes other rows of them, so that they can't run once more.
        """
        return self._again("replay", wanted, reason)

    def release(self, wanted: Wanted | None = None, *, reason: str) -> Resolved:
        """Move active rows to the target although they failed."""
        return self._again("release", wanted, reason)

    def drop(self, wanted: Wanted | None = None, *, reason: str) -> Resolved:
        """Mark active rows as dropped: nobody needs them."""
        ids = self._ids(wanted)
        return Resolved(len(ids), self._processor().drop(ids, reason) if ids else None)

    def _again(self, how: How, wanted: Wanted | None, reason: str) -> Resolved:
        processor = self._processor()
        finished = processor.settle()
        ids = self._ids(replace(wanted or Wanted(), with_original=True))
        if not ids:
            return Resolved(0, finished if finished and finished.mode == how else None)
        return Resolved(len(ids), processor.run_again(Again(how, tuple(ids), reason)))

    def _ids(self, wanted: Wanted | None) -> list[str]:
        active = replace(wanted or Wanted(), state="active")
        return list(dict.fromkeys(row.id for row in self.rows(active, limit=_ALL)))

    def _processor(self) -> DataProcessor:
        return DataProcessor(self.contract, self._engine_name, spark=self._spark)

    def _visible(self, wanted: Wanted | None) -> Wanted:
        """Rows of a run that has not ended are not shown: it may yet be undone."""
        unfinished = self.claims.unfinished()
        types = {item.name.lower(): parse_type(item.type) for item in self.contract.model.model.fields if item.type}
        again = was_read_again(self.claims.newest(), types)
        return replace(wanted or Wanted(), not_of=unfinished.run_id if unfinished else None, read_again=again)

    @contextmanager
    def _opened(self) -> Iterator[tuple[Engine[Any], Any, Columns] | None]:
        """The table as it is now; None where no run has written it yet."""
        table = self.table
        settings = EngineSettings(
            self._engine_name or (None if self._spark else light_engine()),
            session=self._spark,
            spark=self.contract.project.spark,
            warehouse=self.contract.project.root / "warehouse",
        )
        engine = open_engine(settings, lambda _: None)
        try:
            if not engine.last_sequence(table, writer_of(self._identity, "quarantine")):
                yield None
                return
            pinned, columns = engine.table_columns(TableToRead(table.location, table.is_name, format=table.format))
            _refuse_older(table, columns)
            yield engine, engine.read_back(table, pinned.version), columns
        finally:
            engine.close()

    def _row(self, stored: Mapping[str, object], *, reveal: bool) -> QuarantinedRow:
        row, raw = row_of(stored, self._private), stored[names.ORIGINAL]
        if not reveal or raw is None:
            return row
        text = str(raw)
        if text.startswith(PREFIX):
            if not os.environ.get(VARIABLE):
                raise SecretMissing(f"{VARIABLE} is not set.", cure="Set it to the key that encrypted the rows.")
            text = unseal(text, load_keys(os.environ))
        return replace(row, original=original_of(text))

    def _stored_key(self, columns: Sequence[str], key: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Each column of the key with the text that quarantine has for its value."""
        fields = {item.name.lower(): item for item in self.contract.model.model.fields}
        for name, value in zip(columns, key, strict=True):
            item = fields.get(name.lower())
            if item is None or not item.is_masked:
                yield item.name if item else name, value
                continue
            mask = mask_for(item.masking, item.masking_format, item.masking_mode == "deterministic")
            keys = require_keys(self.contract)
            if not mask.joinable or keys is None:
                raise UsageError(f"'{name}' is masked, so that rows can't be found by it.", cure="Give a row's id.")
            yield item.name, str(mask.python(value, keys))


def _refuse_older(table: TablePlan, columns: Columns) -> None:
    if names.ROW_ID not in columns:
        raise StateError(
            f"{table.location} was written by an older version, which gave its rows no ids.",
            cure="The next run with bad rows adds the column.",
        )
