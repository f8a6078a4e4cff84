"""Rows of quarantine as the input of a run: read from their original, and resolved where they stand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.engines.base import Engine
from lakelogic.engines.opening import EngineSettings, engines, light_engine, open_engine
from lakelogic.errors import EngineUnavailable, LakeLogicError, SecretMissing, SourceError
from lakelogic.masks.keys import VARIABLE, Keys
from lakelogic.masks.sealed import PREFIX, unseal
from lakelogic.plan import names
from lakelogic.plan.again import How
from lakelogic.plan.model import ReadPlan, TablePlan
from lakelogic.run.inputs import described
from lakelogic.sources.read import TableToRead
from lakelogic.sql.build import ref
from lakelogic.sql.convert import convert
from lakelogic.sql.types import STRING, Column, Columns
from lakelogic.state.claims import QUARANTINE, Claim, Pinned
from lakelogic.transforms.base import SOURCE, named

RESOLVED: Mapping[How, str] = {"replay": "replayed", "release": "released"}
_ALL = 2**31 - 1
_UNREADABLE = "malformed_record"
_HIDDEN = (names.FILE, names.POSITION, names.MALFORMED, names.ROW)


@dataclass(frozen=True)
class Again:
    """Rows of quarantine that are to run once more, by their ids."""

    how: How
    rows: tuple[str, ...]
    reason: str

    @staticmethod
    def of(claim: Claim) -> Again | None:
        """What an unfinished run was asked for; None where it wrote no rows."""
        if claim.input.kind != QUARANTINE or claim.mode not in RESOLVED:
            return None
        return Again(cast("How", claim.mode), claim.input.ids, claim.reason)


@dataclass(frozen=True)
class AgainInput:
    """Rows of quarantine at a pinned version, as they were read from their source."""

    loaded: LoadedContract
    table: TablePlan
    target: TablePlan
    keys: Keys | None
    pinned: Pinned
    read: ReadPlan
    columns: Columns = field(default_factory=Columns)
    texts: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    newest_ns: int | None = None

    @staticmethod
    def of(
        loaded: LoadedContract,
        again: Again,
        table: TablePlan,
        target: TablePlan,
        keys: Keys | None,
        given: Pinned | None,
    ) -> AgainInput:
        pinned = given or Pinned(table.location, QUARANTINE, ids=again.rows)
        read = ReadPlan("quarantine", table.location, "delta", again.how, again.reason, ())
        return AgainInput(loaded, table, target, keys, pinned, read)

    @property
    def rows(self) -> int | None:
        return len(self.texts[names.ROW.name]) if self.texts else None

    @property
    def is_empty(self) -> bool:
        return not self.pinned.ids

    def guessed(self) -> Columns | None:
        """The columns of the rows, read without waiting for the run's own engine."""
        light = EngineSettings(light_engine(), warehouse=self.loaded.project.root / "warehouse")
        try:
            engine = open_engine(light, lambda _: None)
        except EngineUnavailable:
            return None
        try:
            return self.shaped(engine).columns
        except LakeLogicError:
            # The run's own engine may know the table, or tells what is wrong.
            return None
        finally:
            engine.close()

    def known(self) -> AgainInput | None:
        return None

    def everything(self) -> AgainInput:
        return self

    def rows_before(self, engine: Engine[Any]) -> int | None:
        return None

    def shaped(self, engine: Engine[Any]) -> AgainInput:
        table = TableToRead(self.table.location, self.table.is_name, self.pinned.version, format=self.table.format)
        pinned = replace(self.pinned, version=engine.table_columns(table)[0].version)
        originals = [_Original.of(row, self.keys) for row in _stored(engine, self.table, pinned)]
        columns = self._types(engine, list(dict.fromkeys(name for row in originals for name in row.values)))
        texts = {column.name: [row.values.get(column.name) for row in originals] for column in columns}
        texts |= {hidden.name: [row.origin[hidden.name] for row in originals] for hidden in _HIDDEN}
        columns = Columns((*columns, *_HIDDEN))
        return replace(self, pinned=pinned, columns=columns, texts=texts, read=described(self.read, columns))

    def _types(self, engine: Engine[Any], found: Sequence[str]) -> Columns:
        """Declared columns are text, which the plan casts; the others have the type that the target has for them."""
        declared = {item.name.lower() for item in self.loaded.model.model.fields}
        undeclared = any(name.lower() not in declared for name in found)
        known = _columns_of(engine, self.target) if undeclared else Columns()
        types = {column.name.lower(): column.type for column in known if column.name.lower() not in declared}
        return Columns(tuple(Column(name, types.get(name.lower(), STRING)) for name in found))

    def frame(self, engine: Engine[Any]) -> Any:
        typed = [named(column.name, convert(ref(column), STRING, column.type)) for column in self.columns]
        as_text = Columns(tuple(Column(column.name, STRING) for column in self.columns))
        sql = engines.get(engine.name).render(exp.select(*typed).from_(SOURCE), as_text, {})
        return engine.select(sql, {"source": engine.texts(self.texts)})

    def resolved(self, engine: Engine[Any], bad: Any | None, run_id: str) -> Any:
        """What becomes of the rows in quarantine: those that failed keep their state and get their new reasons."""
        how = cast("How", self.read.mode)
        chosen = engine.texts({names.ROW_ID: sorted(set(self.pinned.ids))})
        stored = engine.read_back(self.table, self.pinned.version)
        kept = engine.select(_KEPT, {"stored": stored, "chosen": chosen})
        if bad is None:
            return resolution(engine, kept, RESOLVED[how], run_id, reprocessed=True)
        return engine.select(_JUDGED.format(state=RESOLVED[how], run=run_id), {"kept": kept, "bad": bad})


def resolution(engine: Engine[Any], rows: Any, state: str, run_id: str, *, reprocessed: bool) -> Any:
    """Rows of quarantine by their ids, with a new state and nothing else changed."""
    again = f", {str(reprocessed).lower()} AS {names.REPROCESSED}" if reprocessed else ""
    return engine.select(
        f"SELECT {names.ROW_ID}, '{state}' AS {names.STATE}, '{run_id}' AS {names.STATE_RUN}{again} "
        f"FROM source GROUP BY {names.ROW_ID}",
        {"source": rows},
    )


@dataclass(frozen=True)
class _Original:
    """A row as it was read from its source."""

    values: Mapping[str, str | None]
    origin: Mapping[str, str | None]

    @staticmethod
    def of(row: Mapping[str, object], keys: Keys | None) -> _Original:
        text = _opened(str(row["raw"]), keys)
        unreadable = bool(row["unreadable"])
        origin = {
            names.FILE.name: _text(row["file"]),
            names.POSITION.name: _text(row["position"]),
            names.MALFORMED.name: text if unreadable else None,
            names.ROW.name: str(row["id"]),
        }
        return _Original({} if unreadable else _values(text), origin)


_COLUMNS = (names.CATEGORIES, names.ERRORS, names.RULES, names.REASON)
_KEPT = (
    f"SELECT stored.{names.ROW_ID}, {', '.join(f'any_value({name}) AS {name}' for name in _COLUMNS)} FROM stored "
    f"JOIN chosen ON stored.{names.ROW_ID} = chosen.{names.ROW_ID} GROUP BY stored.{names.ROW_ID}"
)
_JUDGED = (
    f"SELECT kept.{names.ROW_ID}, {', '.join(f'coalesce(b.{name}, kept.{name}) AS {name}' for name in _COLUMNS)}, "
    f"CASE WHEN b.{names.ROW_ID} IS NULL THEN '{{state}}' ELSE 'active' END AS {names.STATE}, "
    f"true AS {names.REPROCESSED}, '{{run}}' AS {names.STATE_RUN} FROM kept LEFT JOIN "
    f"(SELECT {names.ROW_ID}, {', '.join(f'any_value({name}) AS {name}' for name in _COLUMNS)} FROM bad "
    f"GROUP BY {names.ROW_ID}) AS b ON kept.{names.ROW_ID} = b.{names.ROW_ID}"
)


def _stored(engine: Engine[Any], table: TablePlan, pinned: Pinned) -> Sequence[Mapping[str, object]]:
    """The rows that are asked for, active ones only: a row that was resolved meanwhile is not resolved again."""
    frame = engine.read_back(table, pinned.version)
    chosen = engine.texts({"id": sorted(set(pinned.ids))})
    sql = (
        f"SELECT source.{names.ROW_ID} AS id, {names.ORIGINAL} AS raw, {names.SOURCE_FILE} AS file, "
        f"CAST({names.SOURCE_POSITION} AS STRING) AS position, "
        f"array_contains({names.RULES}, '{_UNREADABLE}') AS unreadable FROM source "
        f"JOIN chosen ON source.{names.ROW_ID} = chosen.id "
        f"WHERE {names.STATE} = 'active' AND {names.ORIGINAL} IS NOT NULL"
    )
    return engine.rows(sql, {"source": frame, "chosen": chosen}, _ALL)


def _columns_of(engine: Engine[Any], table: TablePlan) -> Columns:
    try:
        return engine.table_columns(TableToRead(table.location, table.is_name, format=table.format))[1]
    except SourceError:
        # A target that is not there yet has no types; the first write gives it some.
        return Columns()


def _opened(raw: str, keys: Keys | None) -> str:
    if not raw.startswith(PREFIX):
        return raw
    if keys is None:
        raise SecretMissing(f"the original rows are encrypted, and {VARIABLE} is not set.", cure="Set it to their key.")
    return unseal(raw, keys)


def _values(text: str) -> dict[str, str | None]:
    """The columns of a row as text; numbers as they are written, nested values as compact JSON."""
    document = json.loads(text)
    exact = json.loads(text, parse_float=str, parse_int=str)
    return {
        name: _compact(value) if isinstance(value, (dict, list)) else _text(exact[name])
        for name, value in document.items()
    }


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _text(value: object) -> str | None:
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)
