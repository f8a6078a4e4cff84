"""Names of tables as a local Spark understands them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from lakelogic.engines.spark.tables import Tables
from lakelogic.errors import UsageError
from lakelogic.plan.locations import Location

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = Location("main.default.customers", is_name=True)


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    """Tables of a local session; no session is asked for a name of three parts."""
    return Tables(cast("SparkSession", None), tmp_path)


def test_a_name_of_a_configured_catalog_is_refused(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKELOGIC_CATALOG", "unity")
    with pytest.raises(UsageError, match="is a table of unity, which a local Spark does not know"):
        tables.find(NAME)


def test_without_a_catalog_it_is_a_folder_of_the_warehouse(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKELOGIC_CATALOG", "local")
    assert str(tables.find(NAME).path).endswith("/main/default/customers")
