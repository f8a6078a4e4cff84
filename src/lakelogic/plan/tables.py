"""Tables that rows go to: the target, those beside it and quarantine, and what the contract says of each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.contract.materialization import Compaction
from lakelogic.errors import ContractError, LakeLogicError
from lakelogic.plan.as_files import stored_as
from lakelogic.plan.locations import Location, locate_in, quarantine_of
from lakelogic.plan.model import ChangesPlan, TablePlan, UpkeepPlan
from lakelogic.sql.types import Columns, type_name
from lakelogic.write.base import Rows, strategies

Render = Callable[[exp.Expr, Columns], str]


def target_of(loaded: LoadedContract, override: Location | None = None) -> Location:
    """Where good rows go: as given, as declared, else `<root>/<layer>/<name>`."""
    if override is not None:
        return override
    if loaded.target:
        return locate_in(loaded, loaded.target, "materialization", "target_path")
    return Location(str(loaded.project.root / (loaded.layer or "data") / loaded.name))


def quarantine_table(loaded: LoadedContract, target: Location) -> TablePlan | None:
    """Where bad rows go and how; None where the contract wants no quarantine.

    Raises:
        ContractError: it is the target itself.
    """
    said = loaded.model.quarantine
    if not said.enabled:
        return None
    chosen = said.target or said.table or said.location
    location = locate_in(loaded, chosen, "quarantine") if chosen else quarantine_of(target)
    if location == target:
        place = loaded.place("quarantine")
        raise ContractError(f"quarantine and target are both {location.text}.", cure="Name another.", place=place)
    operation = strategies.get(said.write_mode)().operation(Rows())
    return TablePlan(location.text, location.is_name, said.write_mode, operation, format=said.format)


def identity_of(loaded: LoadedContract, target: Location) -> str:
    """A name for the contract and its target that stays the same when the file moves or changes."""
    digest = hashlib.sha256(f"{loaded.name}\n{target.text}".encode()).hexdigest()[:12]
    # It names a folder, and a dataset may be called anything.
    readable = re.sub(r"[^\w-]+", "_", loaded.name)[:80]
    return f"{readable}-{digest}"


def target_table(loaded: LoadedContract, plain: TablePlan, columns: Columns, render: Render) -> TablePlan:
    """The target with everything that the contract says of its table.

    Raises:
        ContractError: a column that it is laid out by is not written, or its format can't hold the rows.
    """
    said = loaded.model.materialization
    try:
        laid_out = replace(
            _held(plain, said.format, columns, render),
            partition_by=tuple(columns.get(name).name for name in said.partition_by),
            cluster_by=tuple(columns.get(name).name for name in said.cluster_by),
        )
    except LakeLogicError as error:
        raise error.at(loaded.place("materialization")) from None
    return replace(
        laid_out,
        properties=tuple(sorted(said.table_properties.items())),
        evolution=loaded.model.schema_policy.evolution,
        storage=said.location,
        upkeep=_upkeep(said.compaction),
        changes=_in_format(laid_out.changes, said.format),
    )


def secondary_tables(
    loaded: LoadedContract, rows: Rows, columns: Columns, render: Render, taken: tuple[Location, ...]
) -> tuple[TablePlan, ...]:
    """The further places that good rows are written to.

    Raises:
        ContractError: two of the contract's tables are in one place, or a merge has no key.
    """
    tables: list[TablePlan] = []
    seen = {location.text for location in taken}
    for position, said in enumerate(loaded.model.materialization.secondary_targets):
        place = loaded.place("materialization", "secondary_targets", position)
        location = locate_in(loaded, said.target_path, "materialization", "secondary_targets", position)
        if location.text in seen:
            raise ContractError(f"two tables are both {location.text}.", cure="Name another.", place=place)
        seen.add(location.text)
        strategy = strategies.get(said.strategy)()
        if strategy.needs_key and not rows.keys:
            raise ContractError(f"strategy {said.strategy} needs a primary_key.", place=place)
        plain = TablePlan(
            location.text,
            location.is_name,
            said.strategy,
            strategy.operation(rows),
            evolution=loaded.model.schema_policy.evolution,
        )
        try:
            tables.append(_held(plain, said.format, columns, render))
        except LakeLogicError as error:
            raise error.at(place) from None
    return tuple(tables)


def _in_format(changes: ChangesPlan | None, format_: str) -> ChangesPlan | None:
    """Deletes are remembered in a table of the target's own format."""
    if changes is None or changes.deleted is None:
        return changes
    return replace(changes, deleted=replace(changes.deleted, format=format_))


def _held(table: TablePlan, format_: str, columns: Columns, render: Render) -> TablePlan:
    select = stored_as(format_, columns)
    return replace(
        table,
        format=format_,
        columns=tuple((column.name, type_name(column.type)) for column in columns),
        stored=render(select, columns) if select is not None else None,
    )


def _upkeep(said: Compaction | None) -> UpkeepPlan | None:
    if said is None:
        return None
    return UpkeepPlan(said.auto, said.vacuum_retention_hours if said.vacuum else None)
