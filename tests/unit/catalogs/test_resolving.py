"""Which catalog a name belongs to, and what is said where none is configured."""

from __future__ import annotations

import pytest

from lakelogic.catalogs.base import CatalogUnset, Resolved
from lakelogic.catalogs.resolving import catalog_of, name_parts, resolve
from lakelogic.errors import UsageError

DATABRICKS = {"DATABRICKS_HOST": "https://adb-1.azuredatabricks.net", "DATABRICKS_TOKEN": "dapi-secret"}
SYNAPSE = {"SYNAPSE_WAREHOUSE": "abfss://lake@acme.dfs.core.windows.net/synapse/workspaces/acme/warehouse"}
FABRIC = {"FABRIC_TENANT_ID": "t", "FABRIC_CLIENT_ID": "c", "FABRIC_CLIENT_SECRET": "s"}


def test_quotes_are_no_part_of_a_name() -> None:
    assert name_parts("main.`de.fault`.customers") == ("main", "de.fault", "customers")


@pytest.mark.parametrize("environment", [{}, DATABRICKS, {**DATABRICKS, **FABRIC, **SYNAPSE}])
@pytest.mark.parametrize("name", ["silver.customers", "spark_catalog.silver.customers"])
def test_a_name_of_two_parts_is_the_projects_own(name: str, environment: dict[str, str]) -> None:
    assert catalog_of(name, environment) is None


@pytest.mark.parametrize(
    ("environment", "kind"),
    [
        ({}, None),
        ({"DATABRICKS_HOST": ""}, None),
        (DATABRICKS, "unity"),
        ({"UC_ENDPOINT": "http://localhost:8080"}, "unity"),
        (FABRIC, "fabric"),
        (SYNAPSE, "synapse"),
        ({"AZURE_CLIENT_ID": "c", "AWS_REGION": "eu-west-1"}, None),
        ({"LAKELOGIC_CATALOG": "fabric"}, "fabric"),
        ({"LAKELOGIC_CATALOG": "fabric", **DATABRICKS}, "fabric"),
        ({"LAKELOGIC_CATALOG": "local", **DATABRICKS}, None),
    ],
)
def test_a_name_of_three_parts_belongs_to_the_catalog_that_is_configured(
    environment: dict[str, str], kind: str | None
) -> None:
    assert catalog_of("main.default.customers", environment) == kind


def test_two_catalogs_are_one_too_many() -> None:
    with pytest.raises(CatalogUnset, match=r"fabric or unity.*Set LAKELOGIC_CATALOG"):
        catalog_of("main.default.customers", {**DATABRICKS, **FABRIC})


def test_a_catalog_that_does_not_exist_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="Did you mean 'unity'"):
        catalog_of("main.default.customers", {"LAKELOGIC_CATALOG": "unty"})


def test_without_configuration_one_line_names_the_variables() -> None:
    with pytest.raises(CatalogUnset) as told:
        resolve("main.default.customers", {})
    assert str(told.value) == (
        "main.default.customers is not in the project's warehouse, and no catalog is configured. Set one of these: "
        "fabric: FABRIC_TENANT_ID, FABRIC_CLIENT_ID and FABRIC_CLIENT_SECRET; "
        "synapse: SYNAPSE_WAREHOUSE, AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET; "
        "unity: DATABRICKS_HOST and DATABRICKS_TOKEN."
    )


def test_a_name_of_two_parts_is_in_no_catalog() -> None:
    with pytest.raises(CatalogUnset, match="a table of a catalog has three parts"):
        resolve("silver.customers", DATABRICKS)


@pytest.mark.parametrize(
    ("kind", "variable"),
    [("unity", "DATABRICKS_HOST"), ("synapse", "SYNAPSE_WAREHOUSE"), ("fabric", "AZURE_TENANT_ID")],
)
def test_a_catalog_that_is_chosen_names_what_it_misses(kind: str, variable: str) -> None:
    name = "salesdb.dbo.customers"
    with pytest.raises(CatalogUnset, match=variable):
        resolve(name, {"LAKELOGIC_CATALOG": kind})


def test_a_message_of_a_library_loses_its_secrets() -> None:
    options = {"AZURE_STORAGE_SAS_TOKEN": "sig=1", "AZURE_CLIENT_SECRET": "sig=12", "aws_region": "eu-west-1"}
    resolved = Resolved("abfss://c@a.b/t", options, "unity")
    assert resolved.without_secrets("GET /t?sig=12 and sig=1 in eu-west-1") == "GET /t?*** and *** in eu-west-1"


def test_options_are_not_shown() -> None:
    assert "dapi-secret" not in repr(Resolved("s3://b/t", {"aws_secret_access_key": "dapi-secret"}, "unity"))
