"""The key of an entity, guessed from names and from values that do not come twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lakelogic.discover.names import plain, singular
from lakelogic.engines.profiling import Answers, Questions

if TYPE_CHECKING:
    from lakelogic.discover.landing import Entity
    from lakelogic.discover.profile import ColumnProfile

_NEARLY = 0.85
# In fewer rows, a column that is no key by its name is unique by chance.
_ENOUGH = 20
_MOST = 0.95
# A few rows without a key are mistakes; more of them say that it is none.
_LACKING = 0.05
_ASKED = 3
_KEYS = ("string", "int", "bigint")
_OTHER = 9
# From what tells best on.
_TIMES = ("updated", "modified", "changed", "event", "loaded", "created", "_at", "_ts", "time", "date")
_CHANGE_NAMES = ("op", "_op", "operation", "cdc_op", "change_type", "dml_type")
_DELETES = ("d", "delete", "deleted", "del")
_CHANGES = {*_DELETES, "i", "u", "insert", "update", "upsert", "inserted", "updated", "c", "r"}


@dataclass(frozen=True)
class Key:
    """The columns that identify a row, and why. `newest_by` tells which row counts where a key comes again.

    `unique` says that it comes again nowhere. `change` is the column that tells inserts from deletes.
    """

    columns: tuple[str, ...]
    reasons: tuple[str, ...]
    unique: bool = True
    newest_by: str | None = None
    change: str | None = None
    deletes: tuple[str, ...] = ()


def key_questions(entity: Entity, columns: Sequence[ColumnProfile]) -> Questions:
    """What must be counted to guess a key."""
    near = [each.name for each in _ranked(entity, columns) if each.facts.distinct >= _NEARLY * each.facts.values][
        :_ASKED
    ]
    named, time = _named(entity, columns), _time(columns)
    pair = ((named.name, time),) if named and time else ()
    return Questions(
        unique=(*((name,) for name in near), *pair), within=(named.name,) if named and len(entity.files) > 1 else ()
    )


def guess_key(entity: Entity, columns: Sequence[ColumnProfile], answers: Answers) -> Key | None:
    """The key, and why it is taken for one; None where nothing identifies a row."""
    found = _guess(entity, columns, answers)
    change = next((each for each in columns if _is_change(each)), None)
    if found is None or change is None or found.newest_by is None:
        return found
    deletes = tuple(sorted(value for value in change.listed or () if value.lower() in _DELETES))
    reasons = (*found.reasons, f"{change.name} tells inserts, updates and deletes apart")
    return Key(found.columns, reasons, False, found.newest_by, change.name, deletes)


def _guess(entity: Entity, columns: Sequence[ColumnProfile], answers: Answers) -> Key | None:
    ranked, named, time = _ranked(entity, columns), _named(entity, columns), _time(columns)
    for column in ranked:
        by_name = _rank(entity, column) < _OTHER
        unique = answers.unique.get((column.name,)) == column.facts.values
        if unique and (by_name or (named is None and column.typed.type == "string" and column.rows >= _ENOUGH)):
            why = " by its name, and" if by_name else ""
            told = f"{column.name} is the key:{why} unique in {_present(column)}"
            return Key((column.name,), (told,), not column.nulls, newest_by=time)
    if named is None:
        return None
    values, told = named.facts.values, f"{named.name} is the key by its name, in {_present(named)}"
    if (in_files := answers.within.get(named.name)) is not None and in_files >= _MOST * values:
        again = f", and {values - in_files:,} rows repeat it in one file" if in_files < values else ""
        return Key((named.name,), (told, f"It comes again in later files{again}: the newest row counts"), False, time)
    if time is not None and answers.unique.get((named.name, time)) == values:
        return Key((named.name,), (told, f"Together with {time} it is unique: the newest row counts"), False, time)
    return None


def _present(column: ColumnProfile) -> str:
    return f"{column.facts.values:,} of {column.rows:,} rows" if column.nulls else f"all {column.rows:,} rows"


def _ranked(entity: Entity, columns: Iterable[ColumnProfile]) -> list[ColumnProfile]:
    able = [
        each for each in columns if each.typed.type in _KEYS and each.rows > 0 and each.nulls <= _LACKING * each.rows
    ]
    return sorted(able, key=lambda each: _rank(entity, each))


def _named(entity: Entity, columns: Iterable[ColumnProfile]) -> ColumnProfile | None:
    """The column that says by its name that it identifies a row of this entity."""
    return next((each for each in _ranked(entity, columns) if _rank(entity, each) <= 1), None)


def _rank(entity: Entity, column: ColumnProfile) -> int:
    name = plain(column.name)
    words = [singular(word) for word in (entity.name, *entity.name.split("_"))]
    if name in [f"{word}_{end}" for word in words for end in ("id", "key", "no", "number", "code", "uuid")]:
        return 0
    if name in ("id", "uuid", "guid", "key", *words):
        return 1
    if column.personal:
        return _OTHER
    if name.endswith(("_id", "_key", "_uuid", "_guid")):
        return 2
    return 3 if name.endswith(("_no", "_nr", "_number", "_code")) else _OTHER


def _time(columns: Iterable[ColumnProfile]) -> str | None:
    """The column that tells which of two rows is newer."""
    times = [
        each for each in columns if each.typed.type in ("timestamp", "timestamp_ntz", "date") and not each.personal
    ]
    able = [each for each in times if each.always_there]
    for word in _TIMES:
        if found := next((each.name for each in able if word in each.name.lower()), None):
            return found
    return None


def _is_change(column: ColumnProfile) -> bool:
    values = {value.lower() for value in column.listed or ()}
    return column.name.lower() in _CHANGE_NAMES and bool(values) and values <= _CHANGES
