"""How a table's columns may follow those of the rows, as `schema_policy.evolution` says."""

from __future__ import annotations

from dataclasses import dataclass, field

from lakelogic.errors import WriteError
from lakelogic.plan.model import TablePlan
from lakelogic.sql.types import Column, Columns, is_nested, is_unknown, type_name
from lakelogic.sql.typing.widening import fits


@dataclass(frozen=True)
class Changes:
    """What must happen to a table's columns before rows can be written."""

    added: Columns = field(default_factory=Columns)
    widened: Columns = field(default_factory=Columns)

    def __bool__(self) -> bool:
        return bool(self.added.items or self.widened.items)


def changes(table: TablePlan, there: Columns, rows: Columns) -> Changes:
    """What the rows ask of a table that is there.

    Raises:
        WriteError: the contract does not allow it, or a type can't become the other.
    """
    added = Columns(tuple(column for column in rows if column.name not in there))
    if added.items and not table.evolve:
        raise WriteError(
            f"{table.location} has no column {', '.join(added.names)}, and schema_policy.evolution is strict.",
            cure="Add the columns to the table (lakelogic ddl shows how), or use 'evolution: append'.",
        )
    wider = []
    for own in there:
        given = rows.find(own.name)
        if given is None or is_unknown(given.type) or is_unknown(own.type) or fits(given.type, own.type):
            continue
        if fits(own.type, given.type) and table.widens:
            wider.append(Column(own.name, given.type))
        elif not (is_nested(own.type) and is_nested(given.type)):
            raise WriteError(
                f"can't write {table.location}: column '{own.name}' is {type_name(own.type)} in the table, and the"
                f" rows have {type_name(given.type)}.",
                cure="Allow it with 'schema_policy: {evolution: compatible}'."
                if fits(own.type, given.type)
                else "Cast it in the contract, or change the table.",
            )
    return Changes(added, Columns(tuple(wider)))
