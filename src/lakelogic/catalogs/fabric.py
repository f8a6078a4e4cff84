"""Microsoft Fabric: `workspace.lakehouse.table` is a folder of OneLake."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lakelogic.catalogs.base import Access, Catalog, CatalogError, Resolved, catalogs
from lakelogic.catalogs.credentials import azure, refuse_account_key

_HOST = "onelake.dfs.fabric.microsoft.com"
_GUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PLAIN = re.compile(r"[\w-]+", re.ASCII)
_IDENTITY = ("TENANT_ID", "CLIENT_ID", "CLIENT_SECRET")


@catalogs.add("fabric")
class Fabric(Catalog):
    """Tables of a lakehouse; one with schemas is named `workspace.lakehouse.schema.table`."""

    signs = ("FABRIC_TENANT_ID",)
    needs = "FABRIC_TENANT_ID, FABRIC_CLIENT_ID and FABRIC_CLIENT_SECRET"

    def resolve(self, parts: Sequence[str], environment: Mapping[str, str], access: Access) -> Resolved:
        workspace, lakehouse, *table = parts
        _refuse_odd(parts)
        refuse_account_key(environment, "fabric")
        # OneLake takes names or ids, and an id is not followed by its kind.
        item = lakehouse if _GUID.fullmatch(lakehouse) else f"{lakehouse}.Lakehouse"
        location = f"abfss://{workspace}@{_HOST}/{item}/Tables/{'/'.join(table)}"
        options = azure(location, _with_identity(environment), "fabric")
        return Resolved(location, {**options, "azure_use_fabric_endpoint": "true"}, "fabric")


def _with_identity(environment: Mapping[str, str]) -> dict[str, str]:
    own = {f"AZURE_{part}": environment[f"FABRIC_{part}"] for part in _IDENTITY if environment.get(f"FABRIC_{part}")}
    return {**environment, **own}


def _refuse_odd(parts: Sequence[str]) -> None:
    workspace, lakehouse, *table = parts
    if len(table) > 2:
        raise CatalogError(
            f"{'.'.join(parts)} has {len(parts)} parts.", cure="Write workspace.lakehouse.table, or …schema.table."
        )
    if odd := next((part for part in parts if not _PLAIN.fullmatch(part)), None):
        raise CatalogError(f"'{odd}' can't stand in an address of OneLake.", cure="Write the ids in place of names.")
    if bool(_GUID.fullmatch(workspace)) != bool(_GUID.fullmatch(lakehouse)):
        raise CatalogError(
            f"{'.'.join(parts)} mixes an id and a name.",
            cure="Write workspace and lakehouse both as ids or both as names.",
        )
