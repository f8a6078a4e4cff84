"""Azure Synapse: `database.dbo.table` of a lake database is a folder of the workspace's warehouse."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lakelogic.catalogs.base import Access, Catalog, CatalogError, CatalogUnset, Resolved, catalogs
from lakelogic.catalogs.credentials import azure

WAREHOUSE = "SYNAPSE_WAREHOUSE"
_ADDRESS = re.compile(r"abfss://[\w-]+@[\w-]+(\.[\w-]+)+(/[\w.=-]+)*", re.ASCII)
_PLAIN = re.compile(r"[\w-]+", re.ASCII)
_SCHEMA = "dbo"


@catalogs.add("synapse")
class Synapse(Catalog):
    """Tables that Spark pools keep in the workspace's own storage."""

    signs = (WAREHOUSE,)
    needs = f"{WAREHOUSE}, AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET"

    def resolve(self, parts: Sequence[str], environment: Mapping[str, str], access: Access) -> Resolved:
        # Spark pools fold names to lower case, and serverless pools show their tables under this one schema.
        database, schema, *table = (part.lower() for part in parts)
        if schema != _SCHEMA or len(table) != 1 or not all(_PLAIN.fullmatch(part) for part in (database, *table)):
            raise CatalogError(f"{'.'.join(parts)} is no table of a lake database.", cure="Write database.dbo.table.")
        location = f"{_warehouse(environment)}/{database}.db/{table[0]}"
        return Resolved(location, azure(location, environment, "synapse"), "synapse")


def _warehouse(environment: Mapping[str, str]) -> str:
    address = environment.get(WAREHOUSE, "").rstrip("/")
    if not _ADDRESS.fullmatch(address):
        raise CatalogUnset(
            f"synapse: {WAREHOUSE} is not set, or is no address of a folder.",
            cure="Set it to abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/synapse/workspaces/WORKSPACE/warehouse.",
        )
    return address
