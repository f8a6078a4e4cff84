"""Credentials for storage that are at hand: variables of this machine, by the names that each cloud gives them."""

from __future__ import annotations

from collections.abc import Mapping

from lakelogic.catalogs.base import CatalogUnset

_PREFIXES = {"s3": "AWS_", "abfss": "AZURE_", "gs": "GOOGLE_"}
_AZURE_IDENTITIES = (
    ("AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET"),
    ("AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_FEDERATED_TOKEN_FILE"),
    ("AZURE_STORAGE_TOKEN",),
    ("AZURE_STORAGE_SAS_TOKEN",),
    ("AZURE_STORAGE_ACCOUNT_KEY",),
    ("AZURE_USE_AZURE_CLI",),
    ("AZURE_MSI_ENDPOINT",),
)
_ACCOUNT_KEYS = ("AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_ACCESS_KEY", "AZURE_STORAGE_MASTER_KEY")


def ambient(location: str, environment: Mapping[str, str]) -> dict[str, str]:
    """What the variables of this machine say about the storage of a place."""
    prefix = _PREFIXES.get(location.partition("://")[0])
    return {name: value for name, value in environment.items() if prefix and value and name.startswith(prefix)}


def refuse_account_key(environment: Mapping[str, str], kind: str) -> None:
    """Refuse a key of an account: delta-rs reads it from the environment and prefers it to all that it is given.

    Raises:
        CatalogUnset: there is one.
    """
    if found := next((name for name in _ACCOUNT_KEYS if environment.get(name)), None):
        raise CatalogUnset(
            f"{kind}: {found} is set, and would be used in place of other credentials.", cure="Unset it."
        )


def azure(location: str, environment: Mapping[str, str], kind: str) -> dict[str, str]:
    """The options that open a place in Azure.

    Raises:
        CatalogUnset: there is no identity to open it with.
    """
    if not any(all(environment.get(name) for name in identity) for identity in _AZURE_IDENTITIES):
        raise CatalogUnset(
            f"{kind}: no identity for Azure is set.",
            cure="Set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or AZURE_STORAGE_TOKEN.",
        )
    return ambient(location, environment)
