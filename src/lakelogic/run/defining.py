"""The definition of a contract's target: what creates or alters its table, and doing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lakelogic.contract import LoadedContract
from lakelogic.engines.base import Engine
from lakelogic.errors import LakeLogicError
from lakelogic.plan.ddl import alteration, statements
from lakelogic.plan.locations import hadoop_catalog
from lakelogic.plan.model import Plan, TablePlan
from lakelogic.sources.delta import local_state

FORMAT = 1


@dataclass(frozen=True)
class Definition:
    """Statements in Spark SQL that make a table as its contract says; none where it is so already."""

    contract: str
    location: str
    exists: bool
    statements: tuple[str, ...]
    applied: bool = False
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The definition as plain data, for `--json`."""
        return {
            "format": FORMAT,
            "contract": self.contract,
            "target": self.location,
            "exists": self.exists,
            "statements": list(self.statements),
            "applied": self.applied,
            "notes": list(self.notes),
        }


def define(loaded: LoadedContract, plan: Plan, engine: Engine[Any], *, apply: bool) -> Definition:
    """Compare the target with its plan, and make it so if asked.

    Raises:
        ContractError: a type is not known, or the target's format has no tables.
        WriteError: the contract does not allow what would have to change, or the table can't be written.
    """
    table = plan.target
    there = engine.describe(table)
    wanted = alteration(table, there)
    comments = {item.name: item.description for item in loaded.model.model.fields if item.description}
    told = statements(table, wanted, comments)
    if apply and wanted:
        engine.alter(table, wanted)
    return Definition(plan.contract, table.location, there is not None, told, apply and bool(wanted), _notes(table))


def next_alteration(table: TablePlan) -> tuple[str, ...]:
    """What the next run would do to the columns of a table that is there, as far as no engine is needed to tell."""
    there = local_state(table.location) if table.format == "delta" and not table.is_name else None
    if there is None or (table.takes_columns and table.strategy == "overwrite"):
        return ()
    try:
        return statements(table, alteration(table, there))
    except LakeLogicError as error:
        return (f"refused: {error.message}",)


def _notes(table: TablePlan) -> tuple[str, ...]:
    if table.format != "iceberg" or table.is_name:
        return ()
    catalog, root, _ = hadoop_catalog(table.location)
    return (f"The catalog {catalog} is a SparkCatalog of type hadoop with the warehouse {root}.",)
