"""Names of Fabric and Synapse as addresses of storage."""

from __future__ import annotations

import pytest

from lakelogic.catalogs.base import CatalogError, CatalogUnset
from lakelogic.catalogs.resolving import resolve

PRINCIPAL = {"AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID": "client", "AZURE_CLIENT_SECRET": "hidden"}
FABRIC = {"LAKELOGIC_CATALOG": "fabric", **PRINCIPAL}
WAREHOUSE = "abfss://lake@acme.dfs.core.windows.net/synapse/workspaces/acme/warehouse"
SYNAPSE = {"SYNAPSE_WAREHOUSE": f"{WAREHOUSE}/", **PRINCIPAL}
WORKSPACE = "0f4a3b9e-2a44-4a57-9d3c-1c6f1d3f5a01"
LAKEHOUSE = "7d1b0a52-5b7e-4d9b-8a3c-6d2f4e8c9b02"
ONELAKE = "onelake.dfs.fabric.microsoft.com"


@pytest.mark.parametrize(
    ("name", "location"),
    [
        (
            "myworkspace.sales_lakehouse.customers",
            f"abfss://myworkspace@{ONELAKE}/sales_lakehouse.Lakehouse/Tables/customers",
        ),
        ("ws.lake.dbo.customers", f"abfss://ws@{ONELAKE}/lake.Lakehouse/Tables/dbo/customers"),
        (f"{WORKSPACE}.{LAKEHOUSE}.t", f"abfss://{WORKSPACE}@{ONELAKE}/{LAKEHOUSE}/Tables/t"),
    ],
)
def test_a_name_of_fabric_is_a_folder_of_onelake(name: str, location: str) -> None:
    resolved = resolve(name, FABRIC)
    assert (resolved.location, resolved.catalog) == (location, "fabric")
    assert resolved.storage_options == {**PRINCIPAL, "azure_use_fabric_endpoint": "true"}


def test_fabrics_own_variables_come_before_those_of_azure() -> None:
    own = {"FABRIC_TENANT_ID": "t2", "FABRIC_CLIENT_ID": "c2", "FABRIC_CLIENT_SECRET": "s2"}
    options = resolve("ws.lake.t", {**PRINCIPAL, **own, "AWS_REGION": "eu"}).storage_options
    assert options == {
        "AZURE_TENANT_ID": "t2",
        "AZURE_CLIENT_ID": "c2",
        "AZURE_CLIENT_SECRET": "s2",
        "azure_use_fabric_endpoint": "true",
    }


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("`my workspace`.lake.t", "Write the ids in place of names"),
        ("ws.`lake/../other`.t", "can't stand in an address"),
        ("ws.`x@evil.example`.t", "can't stand in an address"),
        (f"{WORKSPACE}.lake.t", "mixes an id and a name"),
        ("a.b.c.d.e", "has 5 parts"),
    ],
)
def test_an_odd_name_of_fabric_is_refused(name: str, said: str) -> None:
    with pytest.raises(CatalogError, match=said):
        resolve(name, FABRIC)


def test_a_name_of_synapse_is_a_folder_of_the_warehouse() -> None:
    resolved = resolve("SalesDB.dbo.Customers", SYNAPSE)
    assert (resolved.location, resolved.catalog) == (f"{WAREHOUSE}/salesdb.db/customers", "synapse")
    assert resolved.storage_options == PRINCIPAL


@pytest.mark.parametrize("name", ["salesdb.sales.customers", "salesdb.dbo.customers.old", "`sales db`.dbo.customers"])
def test_a_name_that_is_no_table_of_a_lake_database_is_refused(name: str) -> None:
    with pytest.raises(CatalogError, match=r"Write database\.dbo\.table"):
        resolve(name, SYNAPSE)


@pytest.mark.parametrize("address", ["https://acme.dfs.core.windows.net/x", "abfss://lake/x", "abfss://a@b.c/x?y", ""])
def test_a_warehouse_that_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(CatalogUnset, match="SYNAPSE_WAREHOUSE"):
        resolve("salesdb.dbo.customers", {"LAKELOGIC_CATALOG": "synapse", **PRINCIPAL, "SYNAPSE_WAREHOUSE": address})


@pytest.mark.parametrize("left_out", sorted(PRINCIPAL))
def test_half_an_identity_is_none(left_out: str) -> None:
    half = {name: value for name, value in SYNAPSE.items() if name != left_out}
    with pytest.raises(CatalogUnset, match="AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET") as told:
        resolve("salesdb.dbo.customers", half)
    assert "hidden" not in str(told.value)


def test_a_key_of_an_account_would_win_over_an_identity_so_fabric_refuses_it() -> None:
    with pytest.raises(CatalogUnset, match="AZURE_STORAGE_ACCOUNT_KEY is set"):
        resolve("ws.lake.t", {**FABRIC, "AZURE_STORAGE_ACCOUNT_KEY": "x"})
    assert resolve("salesdb.dbo.t", {**SYNAPSE, "AZURE_STORAGE_ACCOUNT_KEY": "x"}).catalog == "synapse"


@pytest.mark.parametrize("variable", ["AZURE_STORAGE_TOKEN", "AZURE_STORAGE_SAS_TOKEN", "AZURE_USE_AZURE_CLI"])
def test_a_token_is_an_identity_too(variable: str) -> None:
    resolved = resolve("ws.lake.t", {"LAKELOGIC_CATALOG": "fabric", variable: "x"})
    assert resolved.storage_options == {variable: "x", "azure_use_fabric_endpoint": "true"}
