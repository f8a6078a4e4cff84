"""Types and columns: what a relation has, as far as it is known before data is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from lakelogic.errors import ContractError, UnknownColumn, did_you_mean

UNKNOWN = exp.DataType.build("unknown")
STRING = exp.DataType.build("string", dialect="spark")
BOOLEAN = exp.DataType.build("boolean", dialect="spark")
TIMESTAMP = exp.DataType.build("timestamp", dialect="spark")
BIGINT = exp.DataType.build("bigint", dialect="spark")
BINARY = exp.DataType.build("binary", dialect="spark")

# Common names from other systems, beside Spark's own.
_ALIASES = {
    "str": "string",
    "text": "string",
    "varchar": "string",
    "char": "string",
    "uuid": "string",
    "integer": "int",
    "int32": "int",
    "int64": "bigint",
    "long": "bigint",
    "short": "smallint",
    "byte": "tinyint",
    "float32": "float",
    "float64": "double",
    "real": "float",
    "number": "double",
    "numeric": "decimal(38,18)",
    "decimal": "decimal(38,18)",
    "bool": "boolean",
    "datetime": "timestamp",
    "timestamp_ltz": "timestamp",
    "timestamptz": "timestamp",
    "json": "string",
    "bytes": "binary",
}
_KNOWN = (
    "string int bigint smallint tinyint float double boolean date timestamp timestamp_ntz binary "
    "decimal(p,s) struct<…> array<…> map<…>"
).split()
_SCALARS = {
    exp.DataType.Type[name]
    for name in (
        "TEXT VARCHAR INT BIGINT SMALLINT TINYINT FLOAT DOUBLE BOOLEAN DATE TIMESTAMP TIMESTAMPTZ TIMESTAMPLTZ "
        "TIMESTAMPNTZ BINARY VARBINARY DECIMAL"
    ).split()
}
_NESTED = {exp.DataType.Type.STRUCT, exp.DataType.Type.ARRAY, exp.DataType.Type.MAP}


def parse_type(text: str) -> exp.DataType:
    """The type that a contract names, by Spark's name or a common alias.

    Raises:
        ContractError: no such type.
    """
    # Contracts repeat a few names many times; a tree belongs to whoever asked.
    return _parsed(text).copy()


@lru_cache(maxsize=1024)
def _parsed(text: str) -> exp.DataType:
    plain = text.strip().lower()
    try:
        parsed = exp.DataType.build(_ALIASES.get(plain, text.strip()), dialect="spark")
    except (ParseError, TokenError, ValueError):
        parsed = None
    if parsed is None or not all(part.this in _SCALARS | _NESTED for part in parsed.find_all(exp.DataType)):
        raise ContractError(f"type '{text}' is unknown.", cure=did_you_mean(plain, _KNOWN))
    return parsed


def type_name(data_type: exp.DataType) -> str:
    """Spark's name of a type, in lower case: `decimal(18,2)`, `struct<a:int>`."""
    if not data_type.expressions:
        return _simple_name(data_type.this)
    return data_type.sql("spark").lower().replace(": ", ":").replace(", ", ",")


@lru_cache(maxsize=256)
def _simple_name(kind: exp.DType) -> str:
    """A table of thousands of columns asks for a few names, and writing one takes a generator."""
    return exp.DataType(this=kind).sql("spark").lower()


def is_nested(data_type: exp.DataType) -> bool:
    return data_type.this in _NESTED


def is_unknown(data_type: exp.DataType) -> bool:
    return bool(data_type.this == exp.DataType.Type.UNKNOWN)


@dataclass(frozen=True)
class Column:
    """A column of a relation; `hidden` ones carry origin through a run and are never written."""

    name: str
    type: exp.DataType = UNKNOWN
    hidden: bool = False


@dataclass(frozen=True)
class Columns:
    """The ordered columns of a relation. Names are matched without regard to case, as Spark does."""

    items: tuple[Column, ...] = ()

    @staticmethod
    def of(*names: str, **types: str) -> Columns:
        """Columns from names, and from names with types, for tests and examples."""
        typed = tuple(Column(name, parse_type(text)) for name, text in types.items())
        return Columns(tuple(Column(name) for name in names) + typed)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.items)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.find(name) is not None

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.items]

    @property
    def visible(self) -> Columns:
        return Columns(tuple(column for column in self.items if not column.hidden))

    @property
    def hidden(self) -> Columns:
        return Columns(tuple(column for column in self.items if column.hidden))

    def find(self, name: str) -> Column | None:
        return self._by_name.get(name.lower())

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        """The first column of each name: a wide table is asked for thousands of them."""
        return {column.name.lower(): column for column in reversed(self.items)}

    def get(self, name: str) -> Column:
        """The column of this name.

        Raises:
            UnknownColumn: there is none; names the nearest one.
        """
        if (found := self.find(name)) is None:
            raise UnknownColumn(f"column '{name}' is unknown.", cure=did_you_mean(name, self.visible.names))
        return found

    def with_(self, *columns: Column) -> Columns:
        """These columns with others replaced in place or added at the end."""
        merged = {column.name.lower(): column for column in self.items}
        merged.update((column.name.lower(), column) for column in columns)
        return Columns(tuple(merged.values()))

    def without(self, names: Iterable[str]) -> Columns:
        lowered = {name.lower() for name in names}
        return Columns(tuple(column for column in self.items if column.name.lower() not in lowered))

    def rename(self, mapping: dict[str, str]) -> Columns:
        lowered = {old.lower(): new for old, new in mapping.items()}
        return Columns(
            tuple(Column(lowered.get(c.name.lower(), c.name), c.type, c.hidden) for c in self.items),
        )
