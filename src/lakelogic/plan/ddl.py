"""From the plan of a table and what is there to CREATE TABLE and ALTER TABLE, in Spark SQL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from lakelogic.errors import ContractError
from lakelogic.plan.as_files import FILE_FORMATS
from lakelogic.plan.evolving import changes
from lakelogic.plan.locations import Location, hadoop_catalog
from lakelogic.plan.model import TablePlan
from lakelogic.sql.build import quoted
from lakelogic.sql.types import UNKNOWN, Column, Columns, is_unknown, parse_type, type_name

# Parquet can't hold these in a column's name; a table that maps names to its own can.
_NEEDS_MAPPING = re.compile(r"[ ,;{}()\n\t=]")


@dataclass(frozen=True)
class TableState:
    """A table that is there; `clustered` is None where that can't be told."""

    columns: Columns
    partition_by: tuple[str, ...] = ()
    clustered: tuple[str, ...] | None = None
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Alteration:
    """What makes a table as the contract wants it, as data: an engine applies it."""

    creates: bool = False
    added: Columns = field(default_factory=Columns)
    widened: Columns = field(default_factory=Columns)
    properties: tuple[tuple[str, str], ...] = ()
    cluster_by: tuple[str, ...] | None = None

    def __bool__(self) -> bool:
        return self.creates or bool(self.added.items or self.widened.items or self.properties or self.cluster_by)


def columns_of(table: TablePlan) -> Columns:
    """The columns that a plan writes, with the types that are known."""
    return Columns(
        tuple(Column(name, UNKNOWN if kind == "unknown" else parse_type(kind)) for name, kind in table.columns)
    )


def alteration(table: TablePlan, there: TableState | None) -> Alteration:
    """What is to be done for a table to be as the contract says.

    Raises:
        ContractError: a type is not known, the format has no table to create, or partitions can't be changed.
        WriteError: the contract does not allow the columns to change as they would have to.
    """
    if table.format in FILE_FORMATS:
        raise ContractError(
            f"{table.location} is plain {table.format} files: there is no table to create or alter.",
            cure="Use format delta or iceberg.",
        )
    wanted = columns_of(table)
    if there is None:
        _require_types(wanted)
        return Alteration(True, wanted, properties=_properties(table, wanted), cluster_by=table.cluster_by or None)
    if there.partition_by and table.partition_by and there.partition_by != table.partition_by:
        raise ContractError(
            f"{table.location} is partitioned by {', '.join(there.partition_by)}, which can't be changed.",
            cure="Write a new table, or keep partition_by as it is.",
        )
    asked = changes(table, there.columns, wanted)
    _require_types(asked.added)
    differing = tuple((key, value) for key, value in table.properties if there.properties.get(key) != value)
    moved = table.cluster_by if there.clustered is not None and table.cluster_by != there.clustered else None
    return Alteration(False, asked.added, asked.widened, differing, moved or None)


def statements(table: TablePlan, wanted: Alteration, comments: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The same as Spark SQL; `comments` describe columns."""
    name = sql_name(table)
    if wanted.creates:
        return (_create(table, name, wanted, comments or {}),)
    found = []
    if wanted.added.items:
        listed = ", ".join(f"{quoted(c.name)} {type_name(c.type)}" for c in wanted.added)
        found.append(f"ALTER TABLE {name} ADD COLUMNS ({listed})")
    if wanted.widened.items and table.format == "delta":
        found.append(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
    found += [f"ALTER TABLE {name} ALTER COLUMN {quoted(c.name)} TYPE {type_name(c.type)}" for c in wanted.widened]
    if wanted.properties:
        found.append(f"ALTER TABLE {name} SET TBLPROPERTIES ({_pairs(wanted.properties)})")
    if wanted.cluster_by:
        found.append(f"ALTER TABLE {name} CLUSTER BY ({', '.join(map(quoted, wanted.cluster_by))})")
    return tuple(found)


def sql_name(table: TablePlan) -> str:
    """How Spark SQL names the table."""
    if table.is_name:
        return ".".join(quoted(part) for part in Location(table.location, is_name=True).parts)
    if table.format == "iceberg":
        catalog, _, name = hadoop_catalog(table.location)
        return f"{quoted(catalog)}.{quoted(name)}"
    return f"{table.format}.{quoted(table.location)}"


def _create(table: TablePlan, name: str, wanted: Alteration, comments: Mapping[str, str]) -> str:
    described = {key.lower(): text for key, text in comments.items()}
    lines = [
        f"  {quoted(c.name)} {type_name(c.type)}"
        + (f" COMMENT {_text(described[c.name.lower()])}" if c.name.lower() in described else "")
        for c in wanted.added
    ]
    parts = [f"CREATE TABLE {name} (\n" + ",\n".join(lines) + "\n)", f"USING {table.format}"]
    if table.partition_by:
        parts.append(f"PARTITIONED BY ({', '.join(map(quoted, table.partition_by))})")
    if table.cluster_by:
        parts.append(f"CLUSTER BY ({', '.join(map(quoted, table.cluster_by))})")
    if table.storage:
        parts.append(f"LOCATION {_text(table.storage)}")
    if wanted.properties:
        parts.append(f"TBLPROPERTIES ({_pairs(wanted.properties)})")
    return "\n".join(parts)


def _properties(table: TablePlan, columns: Columns) -> tuple[tuple[str, str], ...]:
    mapped = table.format == "delta" and any(_NEEDS_MAPPING.search(name) for name in columns.names)
    given = dict(table.properties)
    return tuple({"delta.columnMapping.mode": "name", **given}.items()) if mapped else table.properties


def _require_types(columns: Columns) -> None:
    if unknown := [column.name for column in columns if is_unknown(column.type)]:
        raise ContractError(
            f"the type of {', '.join(unknown)} is known only to a run.", cure="Declare it in model.fields."
        )


def _pairs(properties: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{_text(key)} = {_text(value)}" for key, value in properties)


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
