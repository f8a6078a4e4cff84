"""Unity Catalog: its REST API tells where a table is, and lends credentials for a short time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar
from urllib.parse import quote, unquote

from pydantic import BaseModel, ValidationError

from lakelogic.catalogs.base import Access, Catalog, CatalogError, CatalogUnset, Resolved, catalogs
from lakelogic.catalogs.credentials import ambient, refuse_account_key
from lakelogic.catalogs.web import CatalogRefused, Server, basic, bearer, server_at

CREDENTIALS = "UC_CREDENTIALS"
_API = "/api/2.1/unity-catalog"
_OPERATIONS: Mapping[Access, str] = {"read": "READ", "write": "READ_WRITE"}
_SCHEMES = {"s3": "s3", "s3a": "s3", "abfss": "abfss", "abfs": "abfss", "gs": "gs"}
_HERE = re.compile(r"file:(?://(?:localhost)?)?(?P<path>/(?!/)[^?#]*)")
_THERE = re.compile(r"(?P<scheme>s3a?|abfss?|gs)(?P<rest>://(?:[\w$-]+@)?[\w.-]+(?:/[^?#]*)?)")
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")


# What else a server tells is its own affair, so unknown keys are no error here.
class _Table(BaseModel, strict=True):
    table_id: str
    table_type: str | None = None
    data_source_format: str | None = None
    storage_location: str | None = None


class _Aws(BaseModel, strict=True):
    access_key_id: str
    secret_access_key: str
    session_token: str


class _Azure(BaseModel, strict=True):
    sas_token: str


class _Credentials(BaseModel, strict=True):
    aws_temp_credentials: _Aws | None = None
    azure_user_delegation_sas: _Azure | None = None


class _Token(BaseModel, strict=True):
    access_token: str


Answer = TypeVar("Answer", bound=BaseModel)


@catalogs.add("unity")
class Unity(Catalog):
    """Unity Catalog, of Databricks or the open-source server."""

    signs = ("UC_ENDPOINT", "DATABRICKS_HOST")
    needs = "DATABRICKS_HOST and DATABRICKS_TOKEN"

    def resolve(self, parts: Sequence[str], environment: Mapping[str, str], access: Access) -> Resolved:
        name = ".".join(parts)
        if len(parts) != 3:
            raise CatalogError(f"{name} has {len(parts)} parts.", cure="Write catalog.schema.table.")
        server = _server(environment)
        table = _table(server, parts)
        location = _location(table, name, server)
        if "://" not in location:
            options: dict[str, str] = {}
        elif _lends(environment):
            options = _lent(server, table, name, location, environment, access)
        else:
            options = ambient(location, environment)
        return Resolved(location, options, "unity")


def _server(environment: Mapping[str, str]) -> Server:
    variable = "UC_ENDPOINT" if environment.get("UC_ENDPOINT") else "DATABRICKS_HOST"
    address = environment.get(variable)
    if not address:
        raise CatalogUnset("unity: DATABRICKS_HOST is not set.", cure="Set it to the address of the workspace.")
    own = "UC_TOKEN" if variable == "UC_ENDPOINT" else "DATABRICKS_TOKEN"
    if token := environment.get(own):
        return server_at(address, bearer(token.strip()), variable)
    user, secret = (environment.get(f"DATABRICKS_CLIENT_{part}") for part in ("ID", "SECRET"))
    if variable == "DATABRICKS_HOST" and user and secret:
        return server_at(address, _signed_in(server_at(address, basic(user, secret), variable)), variable)
    server = server_at(address, None, variable)
    if not server.is_here:
        raise CatalogUnset(f"unity: {own} is not set.", cure=f"Set it to a token that {server.url} has given you.")
    return server


def _signed_in(server: Server) -> str:
    """A service principal's token, for an hour."""
    form = {"grant_type": "client_credentials", "scope": "all-apis"}
    return bearer(_understood(_Token, server.post_form("/oidc/v1/token", form), server).access_token)


def _lends(environment: Mapping[str, str]) -> bool:
    chosen = environment.get(CREDENTIALS) or "vended"
    if chosen not in ("vended", "ambient"):
        raise CatalogUnset(f"{CREDENTIALS} '{chosen}' is unknown.", cure="Known: vended, ambient.")
    return chosen == "vended"


def _table(server: Server, parts: Sequence[str]) -> _Table:
    # A dot inside a part would read as the border between two.
    if any("." in part for part in parts):
        raise CatalogError(f"a part of {'.'.join(parts)} has a dot.", cure="Rename it in the catalog.")
    name = ".".join(parts)
    try:
        return _understood(_Table, server.get(f"{_API}/tables/{quote(name, safe='')}"), server)
    except CatalogRefused as refused:
        if refused.status == 404:
            raise CatalogError(
                f"{server.url} knows no table {name}.", cure="Check the name, and your grants."
            ) from None
        raise


def _location(table: _Table, name: str, server: Server) -> str:
    if table.data_source_format != "DELTA" or not table.storage_location:
        kind = table.data_source_format or table.table_type or "unknown"
        raise CatalogError(
            f"{name} is no Delta table but {kind[:40]!r}.", cure="Run it with --engine spark, inside the platform."
        )
    address = table.storage_location
    here, there = _HERE.fullmatch(address), _THERE.fullmatch(address)
    # A server elsewhere does not choose files of this machine.
    location = unquote(here["path"]).rstrip("/") if here and server.is_here else ""
    if there:
        location = _SCHEMES[there["scheme"]] + there["rest"].rstrip("/")
    if not location or not location.isprintable():
        raise CatalogError(
            f"{name} is at an address that can't be opened from here.", cure="Run it inside the platform."
        )
    return location


def _lent(
    server: Server, table: _Table, name: str, location: str, environment: Mapping[str, str], access: Access
) -> dict[str, str]:
    try:
        answer = server.post(
            f"{_API}/temporary-table-credentials", {"table_id": table.table_id, "operation": _OPERATIONS[access]}
        )
    except CatalogRefused as refused:
        raise CatalogError(
            f"no credentials for {name}: {refused.message}",
            cure=f"Ask for EXTERNAL USE SCHEMA, or set {CREDENTIALS}=ambient to use this machine's own.",
        ) from None
    lent = _understood(_Credentials, answer, server)
    scheme = location.partition("://")[0]
    if scheme == "s3" and (aws := lent.aws_temp_credentials):
        return {
            "aws_access_key_id": aws.access_key_id,
            "aws_secret_access_key": aws.secret_access_key,
            "aws_session_token": aws.session_token,
            "aws_region": _region(environment),
        }
    if scheme == "abfss" and (sas := lent.azure_user_delegation_sas):
        refuse_account_key(environment, "unity")
        return {"azure_storage_sas_token": sas.sas_token}
    raise CatalogError(
        f"the credentials for {name} can't be used on {scheme}://.",
        cure=f"Set {CREDENTIALS}=ambient to use this machine's own.",
    )


def _region(environment: Mapping[str, str]) -> str:
    for name in _REGIONS:
        if region := environment.get(name):
            return region
    raise CatalogUnset("unity: AWS_REGION is not set.", cure="Set it to the region of the table's bucket.")


def _understood(kind: type[Answer], answer: object, server: Server) -> Answer:
    try:
        return kind.model_validate(answer)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"]) or "the answer"
        raise CatalogError(
            f"{server.url} answers in an unexpected way: {where}.", cure="Is it a server of Unity Catalog?"
        ) from None
