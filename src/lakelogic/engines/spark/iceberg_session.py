"""Iceberg on a session: whether it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakelogic.engines.spark.quiet import quiet_errors
from lakelogic.errors import EngineUnavailable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CATALOG = "org.apache.iceberg.spark.SparkCatalog"
_PROBE = "lakelogic_probe"


def require_iceberg(session: SparkSession) -> None:
    """Make sure that a session can read and write Iceberg tables.

    Raises:
        EngineUnavailable: Iceberg's jar is not on the session.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    settings = {"": CATALOG, ".type": "hadoop", ".warehouse": "/lakelogic/probe"}
    for key, value in settings.items():
        session.conf.set(f"spark.sql.catalog.{_PROBE}{key}", value)
    try:
        # Asks Iceberg itself: platforms that build it in show nothing in their settings.
        with quiet_errors():
            session.catalog.tableExists(f"{_PROBE}.nothing")
    except (PySparkException, Py4JJavaError) as error:
        raise EngineUnavailable(
            "The Spark session that is active has no Iceberg.",
            cure="Start it with Iceberg's runtime jar. A Spark that LakeLogic starts has it once the jar was fetched:"
            " run this contract in a process of its own.",
        ) from error
