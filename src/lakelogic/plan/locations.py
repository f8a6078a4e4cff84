"""Where tables and files are: paths relative to the contract, and catalog names."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from lakelogic.contract import LoadedContract
from lakelogic.contract.naming import is_table_name
from lakelogic.errors import ContractError

_URI = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]+://")
_PLAIN = re.compile(r"[\w-]+")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Location:
    """A path or address, or the name of a table in a catalog."""

    text: str
    is_name: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of a catalog name, without quotes."""
        return tuple(part.strip("`") for part in re.findall(r"`[^`]+`|[^.`]+", self.text))


def locate(text: str, directory: Path) -> Location:
    """What a path in a contract points to; a relative one is relative to the contract's folder.

    Raises:
        ContractError: a placeholder in it has no value.
    """
    if missing := _PLACEHOLDER.search(text):
        raise ContractError(
            f"placeholder '{{{missing[1]}}}' in '{text}' has no value.", cure="Set it, or write the path out."
        )
    if is_table_name(text):
        return Location(text, is_name=True)
    if text.startswith("file://"):
        return Location(text.removeprefix("file://"))
    if _URI.match(text):
        return Location(text)
    # Two contracts that name one table in two ways must see that it is the same.
    return Location(os.path.normpath((directory / Path(text).expanduser()).absolute()))


def locate_in(loaded: LoadedContract, text: str, *path: str | int) -> Location:
    """What a path that a contract says under a key points to.

    Raises:
        ContractError: a placeholder in it has no value; told with the place of the key.
    """
    try:
        return locate(text, loaded.directory)
    except ContractError as error:
        raise error.at(loaded.place(*path)) from None


def quarantine_of(target: Location) -> Location:
    """`c.s.t` → `c.quarantine.s_t`; a path gets a sibling that ends in `_quarantine`."""
    if not target.is_name:
        return Location(f"{target.text.rstrip('/')}_quarantine")
    *catalog, schema, table = target.parts
    return Location(".".join(_part(part) for part in (*catalog, "quarantine", f"{schema}_{table}")), is_name=True)


def deletes_of(target: Location) -> Location:
    """Where the deletes of a target are remembered: beside it, under its name and `_deleted`."""
    if not target.is_name:
        return Location(f"{target.text.rstrip('/')}_deleted")
    *around, table = target.parts
    return Location(".".join(_part(part) for part in (*around, f"{table}_deleted")), is_name=True)


def warehouse_folder(location: Location, warehouse: Path) -> Path:
    """Where a table is whose name no catalog knows: a folder of the project's warehouse."""
    *catalog, schema, name = location.parts
    if catalog in ([], ["spark_catalog"]):
        return warehouse / f"{schema}.db" / name
    return warehouse.joinpath(*location.parts)


def hadoop_catalog(path: str) -> tuple[str, str, str]:
    """The catalog in which an Iceberg table at a path is known: its name, its root, and the table's name in it."""
    root, _, name = path.rstrip("/").rpartition("/")
    return f"lakelogic_{hashlib.sha256(root.encode()).hexdigest()[:8]}", root or "/", name


def _part(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else f"`{name}`"
