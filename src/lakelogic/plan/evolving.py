"""How a table's columns may follow those of the rows, as `schema_policy.evolution` says."""

from __future__ import annotations

from dataclasses import dataclass, field

from lakelogic.errors import WriteError
from lakelogic.plan.model import TablePlan
from lakelogic.sql.types import Column, Columns, is_nested, is_unknown, type_name
from lakelogic.sql.typing.lattice import digits_of, is_decimal

_WIDER = {
    "tinyint": ("smallint", "int", "bigint"),
    "smallint": ("int", "bigint"),
    "int": ("bigint",),
    "float": ("double",),
}


@dataclass(frozen=True)
class Changes:
    """What must happen to a table's columns before rows can be written."""

    added: Columns = field(default_factory=Columns)
    widened: Columns = field(default_factory=Columns)

    def __bool__(self) -> bool:
        return bool(self.added.items or self.widened.items)


def fits(given: Column, own: Column) -> bool:
    """Whether every value of a column can be stored in another as it is."""
    has, gets = type_name(own.type), type_name(given.type)
    return has == gets or has in _WIDER.get(gets, ()) or _more_digits(own, given)


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
        if given is None or is_unknown(given.type) or is_unknown(own.type) or fits(given, own):
            continue
        if fits(own, given) and table.widens:
            wider.append(Column(own.name, given.type))
        elif not (is_nested(own.type) and is_nested(given.type)):
            raise WriteError(
                f"can't write {table.location}: column '{own.name}' is {type_name(own.type)} in the table, and the"
                f" rows have {type_name(given.type)}.",
                cure="Allow it with 'schema_policy: {evolution: compatible}'."
                if fits(own, given)
                else "Cast it in the contract, or change the table.",
            )
    return Changes(added, Columns(tuple(wider)))


def _more_digits(own: Column, given: Column) -> bool:
    if not (is_decimal(own.type) and is_decimal(given.type)):
        return False
    (digits, scale), (more, scale_there) = digits_of(given.type), digits_of(own.type)
    return scale == scale_there and more >= digits
