"""Profiling files: one query for the facts of every column, and one for what they leave open."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lakelogic.engines.duckdb.engine import DuckDBEngine
from lakelogic.engines.duckdb.session import MEMORY, Frame
from lakelogic.engines.profiling import Answers, Facts, Form, Look, Questions, Strays
from lakelogic.formats.base import Layout, union_of
from lakelogic.plan.names import FILE, MALFORMED
from lakelogic.sources.discover import source_columns
from lakelogic.sources.read import FilesToRead
from lakelogic.sql.duckdb.types import quoted, text
from lakelogic.sql.types import STRING, Column, Columns, is_nested, type_name

# Distinct keys of very large files go to disk beyond this.
_MEMORY = "512MB"
_SAMPLED_FILES = 20
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


class FileProfiler:
    """Looks at files through the reader of a run, so that what is told of them holds for a run."""

    def __init__(self, wanted: FilesToRead, limit: int | None) -> None:
        self._engine = DuckDBEngine(Path())
        if not os.environ.get(MEMORY):
            self._engine.session.connection.execute(f"SET memory_limit = '{_MEMORY}'")
        self.told = Columns() if wanted.format == "csv" else wanted.columns
        self.wanted = self._typed(wanted)
        self._limit = limit
        self._frame: Frame | None = None

    def sample(self, rows: int) -> Sequence[Mapping[str, object]]:
        files = [path for layout in self.wanted.layouts for path in layout.files]
        step = max(len(files) // _SAMPLED_FILES, 1)
        chosen = files[::step][:_SAMPLED_FILES]
        if not chosen:
            return ()
        if len(files) == 1:
            return self._engine.head(self._rows(), rows)
        return [row for path in chosen for row in self._engine.head(self._of(path), rows // len(chosen) + 1)]

    def look(self, forms: Mapping[str, Sequence[Form]]) -> Look:
        columns = [_Column(number, each, forms.get(each.name, ())) for number, each in enumerate(self._columns)]
        inner = [part for column in columns for part in column.values(self._good)]
        outer = [part for column in columns for part in column.aggregates()]
        projected = ", ".join([f"{self._good} AS good", *inner])
        counted = ", ".join(["count(*) FILTER (good) AS rows", "count(*) FILTER (NOT good) AS malformed", *outer])
        found = self._measure(f"SELECT {counted} FROM (SELECT {projected} FROM source)")
        return Look(_int(found["rows"]), _int(found["malformed"]), {c.name: c.facts(found) for c in columns})

    def look_closer(self, questions: Questions) -> Answers:
        asked = dict(_asked(questions))
        counted = ", ".join(f"{sql} AS {name}" for name, sql in asked.items())
        found = self._measure(f"SELECT {counted} FROM source WHERE {self._good}")
        listed = {name: found[f"l{i}"] for i, name in enumerate(questions.listed)}
        return Answers(
            {each: _int(found[f"u{i}"]) for i, each in enumerate(questions.unique)},
            {each: _int(found[f"w{i}"]) for i, each in enumerate(questions.within)},
            {name: values if isinstance(values, dict) else {} for name, values in listed.items()},
            {name: _int(found[f"m{i}"]) for i, name in enumerate(questions.matching)},
            {
                name: Strays(
                    _int(found[f"n{i}"]), _int(found[f"s{i}"]), str(found[f"f{i}"]) if found[f"f{i}"] else None
                )
                for i, name in enumerate(questions.strays)
            },
        )

    @property
    def _columns(self) -> Columns:
        return source_columns(self.wanted)

    @property
    def _good(self) -> str:
        return f"{MALFORMED.name} IS NULL" if self.wanted.kind.may_be_malformed else "true"

    def _typed(self, wanted: FilesToRead) -> FilesToRead:
        """The columns of files that only an engine can tell; values of json are looked at as the texts that they are."""
        if not wanted.kind.needs_engine:
            return wanted
        found = self._engine.files_columns(wanted)
        self.told = found.columns
        layouts = tuple(Layout(_as_texts(layout.columns), layout.files) for layout in found.layouts)
        return replace(found, columns=union_of(layouts), layouts=layouts)

    def _rows(self) -> Frame:
        if self._frame is None:
            frame = self._engine.read_files(self.wanted)
            limited = f"FROM source LIMIT {self._limit}"
            self._frame = frame if self._limit is None else self._engine.select(limited, {"source": frame})
        return self._frame

    def _of(self, path: str) -> Frame:
        """The rows of one file."""
        own = tuple(replace(layout, files=(path,)) for layout in self.wanted.layouts if path in layout.files)
        return self._engine.read_files(replace(self.wanted, layouts=own))

    def _measure(self, sql: str) -> Mapping[str, object]:
        return self._engine.measure(sql, {"source": self._rows()})


class _Column:
    """A column in the query of the first look: what it computes for each row, and over all of them."""

    def __init__(self, number: int, column: Column, forms: Sequence[Form]) -> None:
        self.name = column.name
        self._number = number
        self._nested = is_nested(column.type)
        self._is_number = type_name(column.type).startswith(_NUMBERS)
        self._chained = [form for form in forms if not form.apart]
        self._apart = [form for form in forms if form.apart]

    def values(self, good: str) -> Iterator[str]:
        value = quoted(self.name)
        yield f"CASE WHEN {good} THEN {value} END AS v{self._number}"
        if self._chained:
            # The first form that fits ends the search, and most values fit the first.
            cases = " ".join(f"WHEN {condition(value, form)} THEN {i}" for i, form in enumerate(self._chained))
            yield f"CASE WHEN NOT ({good}) THEN NULL {cases} END AS k{self._number}"

    def aggregates(self) -> Iterator[str]:
        number, value = self._number, f"v{self._number}"
        yield f"count({value}) AS c{number}"
        if self._nested:
            return
        yield f"approx_count_distinct({value}) AS d{number}"
        for i, form in enumerate(self._chained):
            yield f"count(*) FILTER (k{number} = {i}) AS w{number}_{i}"
            if form.name == "decimal":
                yield f"max(length({value}) - instr({value}, '.')) FILTER (k{number} = {i}) AS p{number}"
        for i, form in enumerate(self._apart):
            yield f"count(*) FILTER ({condition(value, form)}) AS a{number}_{i}"
        if (figure := self._figure(value)) is not None:
            yield f"min({figure}) AS l{number}"
            yield f"max({figure}) AS h{number}"
            yield f"count(*) FILTER ({figure} < 0) AS n{number}"

    def facts(self, found: Mapping[str, object]) -> Facts:
        number = self._number
        written = {form.name: _int(found[f"w{number}_{i}"]) for i, form in enumerate(self._chained)}
        written |= {form.name: _int(found[f"a{number}_{i}"]) for i, form in enumerate(self._apart)}
        low, high = found.get(f"l{number}"), found.get(f"h{number}")
        return Facts(
            values=_int(found[f"c{number}"]),
            distinct=_int(found.get(f"d{number}")),
            written=written,
            low=low if isinstance(low, float) else None,
            high=high if isinstance(high, float) else None,
            negative=_int(found.get(f"n{number}")),
            scale=_int(found.get(f"p{number}")),
        )

    def _figure(self, value: str) -> str | None:
        if self._is_number:
            return f"CAST({value} AS DOUBLE)"
        codes = ", ".join(str(i) for i, form in enumerate(self._chained) if form.number)
        return f"CASE WHEN k{self._number} IN ({codes}) THEN TRY_CAST({value} AS DOUBLE) END" if codes else None


def condition(value: str, form: Form) -> str:
    """Whether a value has a form."""
    parts = [f"regexp_full_match({value}, {text(form.pattern)})"]
    if form.layout is not None:
        parts.append(f"try_strptime({value}, {text(form.layout)}) IS NOT NULL")
    elif form.cast is not None:
        parts.append(f"TRY_CAST({value} AS {form.cast}) IS NOT NULL")
    return " AND ".join(parts)


def _asked(questions: Questions) -> Iterator[tuple[str, str]]:
    for i, names in enumerate(questions.unique):
        yield f"u{i}", _distinct(*map(quoted, names))
    for i, name in enumerate(questions.within):
        yield f"w{i}", _distinct(FILE.name, quoted(name))
    for i, name in enumerate(questions.listed):
        yield f"l{i}", f"histogram(CAST({quoted(name)} AS VARCHAR))"
    for i, (name, pattern) in enumerate(questions.matching.items()):
        yield f"m{i}", f"count(*) FILTER (NOT regexp_matches({quoted(name)}, {text(pattern)}))"
    for i, (name, forms) in enumerate(questions.strays.items()):
        usual = " OR ".join(f"({condition(quoted(name), form)})" for form in forms)
        stray = f"{quoted(name)} IS NOT NULL AND NOT ({usual})"
        yield f"n{i}", f"count(*) FILTER ({stray})"
        yield f"s{i}", f"count(DISTINCT {FILE.name}) FILTER ({stray})"
        yield f"f{i}", f"min({FILE.name}) FILTER ({stray})"


def _distinct(*values: str) -> str:
    there = " AND ".join(f"{value} IS NOT NULL" for value in values)
    # Hashes take less memory than keys; two keys with one hash would only hide that a column is unique.
    return f"count(DISTINCT hash({', '.join(values)})) FILTER ({there})"


def _as_texts(columns: Columns) -> Columns:
    return Columns(tuple(c if is_nested(c.type) else replace(c, type=STRING) for c in columns))


def _int(value: Any) -> int:
    return int(value or 0)
