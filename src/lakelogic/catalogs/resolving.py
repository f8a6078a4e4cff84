"""From the name of a table to its files: which catalog a name belongs to, and what that catalog says."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lakelogic.catalogs.base import Access, CatalogUnset, Resolved, catalogs

VARIABLE = "LAKELOGIC_CATALOG"
LOCAL = "local"
_PART = re.compile(r"`([^`]+)`|([^.`]+)")
# How Spark calls the catalog of a session itself.
_SESSION = "spark_catalog"


def name_parts(name: str) -> tuple[str, ...]:
    """The parts of a name, without quotes."""
    return tuple(quoted or plain for quoted, plain in _PART.findall(name))


def catalog_of(name: str, environment: Mapping[str, str]) -> str | None:
    """The catalog that a name belongs to; None is the project's own warehouse.

    Raises:
        UsageError: LAKELOGIC_CATALOG names no catalog, or it is not set where several catalogs are.
    """
    parts = name_parts(name)
    if len(parts) < 3 or parts[0] == _SESSION:
        return None
    if asked := environment.get(VARIABLE):
        return _known(asked)
    meant = [kind for kind, catalog in catalogs if any(environment.get(sign) for sign in catalog.signs)]
    if len(meant) > 1:
        raise CatalogUnset(
            f"{name} may be a name of {' or '.join(meant)}: variables of both are set.",
            cure=f"Set {VARIABLE} to one of them, or to {LOCAL}.",
        )
    return meant[0] if meant else None


def resolve(name: str, environment: Mapping[str, str], access: Access = "read") -> Resolved:
    """Where the table of a catalog name is, and the options that open it.

    Raises:
        CatalogUnset: no catalog is configured, or a variable of it is missing.
        CatalogError: the catalog does not know the table, or does not give it.
    """
    kind = catalog_of(name, environment)
    if kind is None:
        raise _not_there(name)
    return catalogs.get(kind)().resolve(name_parts(name), environment, access)


def _known(asked: str) -> str | None:
    if asked == LOCAL:
        return None
    catalogs.get(asked)
    return asked


def _not_there(name: str) -> CatalogUnset:
    missing = f"{name} is not in the project's warehouse"
    if len(name_parts(name)) < 3:
        return CatalogUnset(f"{missing}.", cure="Check the name; a table of a catalog has three parts.")
    known = "; ".join(f"{kind}: {catalog.needs}" for kind, catalog in catalogs)
    return CatalogUnset(f"{missing}, and no catalog is configured.", cure=f"Set one of these: {known}.")
