"""Rows for a contract: ordinary ones that its rules let pass, and one for each value that may go wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from sqlglot import exp
from sqlglot.errors import SqlglotError

from lakelogic.contract import LoadedContract
from lakelogic.contract.fields import ModelField
from lakelogic.portability.samples import edges, plain
from lakelogic.sql.build import is_text
from lakelogic.sql.types import STRING, Column, Columns, is_nested, is_unknown, parse_type

Row = dict[str, object]


@dataclass(frozen=True)
class _Choice:
    """A column with the values that its rows may have. `likely` ones tend to pass the rules."""

    name: str
    stored: exp.DataType
    declared: exp.DataType | None
    likely: tuple[object, ...]
    edges: tuple[object, ...]
    is_key: bool

    def ordinary(self, number: int) -> object:
        if self.likely and not self.is_key:
            return self.likely[number % len(self.likely)]
        return plain(self.stored, self.declared, number)


def columns_for(loaded: LoadedContract, found: Columns | None) -> Columns:
    """The columns that rows are made for: the source's where it can be looked at, else the model's."""
    if found is not None:
        visible = found.visible
        return Columns(tuple(Column(c.name, STRING if is_unknown(c.type) else c.type) for c in visible))
    text = loaded.source_format in (None, "csv")
    declared = loaded.model.model.fields
    return Columns(tuple(Column(item.name, STRING if text else _declared(item) or STRING) for item in declared))


def rows_for(loaded: LoadedContract, columns: Columns, mixed: int, seed: int) -> list[Row]:
    """Ordinary rows, a row for each edge of each column, and rows in which edges meet by chance."""
    chosen = _choices(loaded, columns)
    rows: list[Row] = []

    def add(**special: object) -> None:
        number = len(rows)
        rows.append({choice.name: choice.ordinary(number) for choice in chosen} | special)

    for _ in range(max((len(choice.likely) for choice in chosen), default=1)):
        add()
    for choice in chosen:
        for value in () if choice.is_key else choice.edges:
            add(**{choice.name: value})
    random = Random(seed)  # noqa: S311 - rows, not secrets, and the same ones each time
    for _ in range(mixed):
        picked = [choice for choice in chosen if not choice.is_key and random.random() < 0.4]
        add(**{choice.name: random.choice((*choice.edges, *choice.likely)) for choice in picked})
    return rows


def _choices(loaded: LoadedContract, columns: Columns) -> list[_Choice]:
    fields = {item.name.lower(): item for item in loaded.model.model.fields}
    keys = {name.lower() for name in loaded.primary_key}
    said = _literals(loaded)
    out = []
    for column in columns:
        item = fields.get(column.name.lower())
        declared = _declared(item) if item else None
        likely = [value for value in _said_of(item, said.get(column.name.lower(), ())) if value is not None]
        fitting = tuple(_fitting(likely, column.type))
        values = (*edges(column.type, declared), *fitting)
        if is_nested(column.type):
            values = (None,)
        out.append(_Choice(column.name, column.type, declared, fitting, values, column.name.lower() in keys))
    return out


def _declared(item: ModelField) -> exp.DataType | None:
    return parse_type(item.type) if item.type else None


def _said_of(item: ModelField | None, literals: Iterable[object]) -> Iterator[object]:
    """Values that the contract itself names for a column."""
    if item is not None:
        yield from item.accepted_values or ()
        bounds = (item.min, item.max) if item.range is None else (item.range.min, item.range.max)
        yield from bounds
        if item.max_length is not None:
            yield from ("x" * item.max_length, "x" * (item.max_length + 1))
    yield from literals


def _fitting(values: Sequence[object], stored: exp.DataType) -> Iterator[object]:
    """Values in the form in which the column stores them; those that it can't store are left out."""
    for value in values:
        if is_text(stored):
            yield str(value)
        elif stored.this in exp.DataType.INTEGER_TYPES:
            if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 127:
                yield value
        elif stored.this in (exp.DType.DOUBLE, exp.DType.FLOAT) and isinstance(value, int | float):
            yield float(value)


def _literals(loaded: LoadedContract) -> Mapping[str, list[object]]:
    """Literals in the contract's SQL by the column that they are compared with, and the numbers just beside them."""
    found: dict[str, list[object]] = {}
    for tree in _trees(loaded):
        for node in tree.find_all(exp.Predicate, exp.Between, exp.In, exp.Like):
            names = {column.name.lower() for column in node.find_all(exp.Column)}
            for literal in node.find_all(exp.Literal) if len(names) == 1 else ():
                found.setdefault(names.copy().pop(), []).extend(_around(literal, isinstance(node, exp.Like)))
    return found


def _around(literal: exp.Literal, pattern: bool) -> list[object]:
    if literal.is_string:
        text = literal.name
        return [text.replace("%", "a").replace("_", "b") if pattern else text]
    try:
        number = int(literal.name)
    except ValueError:
        return [float(literal.name)]
    return [number, number - 1, number + 1]


def _trees(loaded: LoadedContract) -> Iterator[exp.Expr]:
    """Every piece of SQL that the contract's document holds, as far as it parses by itself."""
    from sqlglot import parse_one

    pending: list[object] = [loaded.document]
    while pending:
        item = pending.pop()
        if isinstance(item, Mapping):
            pending.extend(item.values())
            texts = [text for key, text in item.items() if key in ("sql", "filter") and isinstance(text, str)]
        elif isinstance(item, list | tuple):
            pending.extend(item)
            continue
        else:
            continue
        for text in texts:
            try:
                yield parse_one(text, dialect="spark")
            except SqlglotError:
                continue
