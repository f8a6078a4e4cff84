"""Tables by their name in a catalog, read without a cluster: the three snippets of the home page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from lakelogic import DataProcessor
from lakelogic.catalogs.base import CatalogError
from lakelogic.errors import LakeLogicError, SourceError
from tests.unit.catalogs.bucket import bucket
from tests.unit.catalogs.unity_server import UnityServer, unity_server

NAME = "main.default.customers"
CONTRACT = """
model:
  fields:
    - {name: id, type: string, required: true}
    - {name: email, type: string, required: true}
quality:
  row_rules:
    - sql: email LIKE '%@%.%'
materialization: {strategy: append, target_path: TARGET}
"""
CUSTOMERS = {"id": ["C1", "C2", "C3"], "email": ["jane@x.com", "no address", None]}
VARIABLES = ("LAKELOGIC_CATALOG", "UC_ENDPOINT", "UC_TOKEN", "DATABRICKS_HOST", "FABRIC_TENANT_ID", "SYNAPSE_WAREHOUSE")

light = pytest.mark.parametrize("engine", ["duckdb", "polars"])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose contract names no source, where no catalog is configured."""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "../silver/customers")
    return tmp_path


@pytest.fixture
def unity(monkeypatch: pytest.MonkeyPatch) -> Iterator[UnityServer]:
    """A server of Unity Catalog on this machine, and the variables that lead to it."""
    with unity_server() as server:
        server.token = "dapi-0123456789"
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield server


def written(folder: Path, target: str) -> None:
    (folder / "contracts").mkdir(exist_ok=True)
    (folder / "contracts/customers.yaml").write_text(CONTRACT.replace("TARGET", target))


def table(folder: Path, name: str = "storage/customers") -> str:
    path = folder / name
    write_deltalake(str(path), pa.table(CUSTOMERS))
    return path.as_uri()


@light
def test_a_table_of_unity_catalog_is_read_by_its_name(folder: Path, unity: UnityServer, engine: str) -> None:
    unity.add(NAME, table(folder))
    processor = DataProcessor(engine=engine, contract="contracts/customers.yaml")
    good_df, bad_df = processor.run_source(NAME)
    assert (len(good_df), len(bad_df)) == (1, 2)
    assert DeltaTable(str(folder / "silver/customers")).to_pyarrow_table()["id"].to_pylist() == ["C1"]


@light
def test_a_table_in_a_bucket_is_read_with_the_credentials_that_were_lent(
    folder: Path, unity: UnityServer, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(folder, "objects/tables/customers")
    unity.add(NAME, "s3://bucket/tables/customers")
    lent = {"access_key_id": "LENT", "secret_access_key": "secret", "session_token": "for-an-hour"}
    unity.credentials = {"aws_temp_credentials": lent}
    own = {
        "AWS_ACCESS_KEY_ID": "OWN",
        "AWS_SECRET_ACCESS_KEY": "own",
        "AWS_REGION": "eu-west-1",
        "AWS_ALLOW_HTTP": "true",
    }
    with bucket(folder / "objects") as storage:
        for name, value in {**own, "AWS_ENDPOINT_URL": storage.url}.items():
            monkeypatch.setenv(name, value)
        good_df, bad_df = DataProcessor(engine=engine, contract="contracts/customers.yaml").run_source(NAME)
        assert (len(good_df), len(bad_df)) == (1, 2)
    assert storage.seen == {"LENT for-an-hour"}


@light
def test_the_catalog_is_asked_before_the_warehouse(folder: Path, unity: UnityServer, engine: str) -> None:
    with pytest.raises(CatalogError, match="knows no table main.default.customers"):
        DataProcessor(engine=engine, contract="contracts/customers.yaml").run_source(NAME)


def test_a_target_of_unity_catalog_is_written_by_its_name(folder: Path, unity: UnityServer) -> None:
    unity.add(NAME, table(folder))
    for name in ("main.silver.customers", "main.quarantine.silver_customers"):
        unity.add(name, (folder / name).as_uri())
    written(folder, "main.silver.customers")
    processor = DataProcessor(engine="duckdb", contract="contracts/customers.yaml")
    for _ in range(2):
        processor.run_source(NAME)
    rows = DeltaTable(str(folder / "main.silver.customers")).to_pyarrow_table().to_pylist()
    assert [row["id"] for row in rows] == ["C1"]
    assert DeltaTable(str(folder / "main.quarantine.silver_customers")).count() == 2


@light
def test_without_configuration_one_line_names_the_variables(engine: str) -> None:
    with pytest.raises(LakeLogicError) as told:
        DataProcessor(engine=engine, contract="contracts/customers.yaml").run_source(NAME)
    assert "\n" not in str(told.value)
    assert "unity: DATABRICKS_HOST and DATABRICKS_TOKEN" in str(told.value)


@light
@pytest.mark.parametrize(
    ("name", "variables", "address"),
    [
        (
            "myworkspace.sales_lakehouse.customers",
            {"FABRIC_TENANT_ID": "t", "FABRIC_CLIENT_ID": "c", "FABRIC_CLIENT_SECRET": "hidden-secret"},
            "abfss://myworkspace@onelake.dfs.fabric.microsoft.com/sales_lakehouse.Lakehouse/Tables/customers",
        ),
        (
            "salesdb.dbo.customers",
            {"SYNAPSE_WAREHOUSE": "abfss://lake@acme.dfs.core.windows.net/w", "AZURE_STORAGE_TOKEN": "hidden-secret"},
            "abfss://lake@acme.dfs.core.windows.net/w/salesdb.db/customers",
        ),
    ],
)
def test_names_of_fabric_and_synapse_are_opened_at_their_address(
    monkeypatch: pytest.MonkeyPatch, engine: str, name: str, variables: dict[str, str], address: str
) -> None:
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    opened: list[str] = []

    class Unreachable:
        """Storage without a network to it; the library quotes what it was given."""

        def __call__(self, path: str, **options: object) -> DeltaTable:
            if "://" not in path:
                return DeltaTable(path)
            opened.append(path)
            raise OSError(f"can't connect with {options}")

        def is_deltatable(self, path: str, options: object) -> bool:
            return True

    monkeypatch.setattr("deltalake.DeltaTable", Unreachable())
    with pytest.raises(SourceError) as told:
        DataProcessor(engine=engine, contract="contracts/customers.yaml").run_source(name)
    assert opened == [address]
    assert "hidden-secret" not in str(told.value)
