"""Getting a Spark session: the one that is there, a remote one, or a local one of our own."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from lakelogic.engines.spark.jars import were_fetched
from lakelogic.engines.spark.launch import launch, launch_settings
from lakelogic.engines.spark.quiet import quiet_errors
from lakelogic.errors import EngineUnavailable, UsageError, first_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What a run relies on, whatever the session it was given says.
_RUN_SETTINGS: Mapping[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    # Rendered SQL has try_ forms where a value may be bad: one bad row must never abort a job.
    "spark.sql.ansi.enabled": "false",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.caseSensitive": "false",
    # Text such as '${env:HOME}' means itself: a contract must not read the environment through SQL.
    "spark.sql.variable.substitute": "false",
    # A folder named code=007 is text until the contract says otherwise.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # Spark's default, INT96, overflows other readers beyond the year 2262, and a history ends in 9999.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Files come in any encoding that Java knows.
    "spark.sql.legacy.javaCharsets": "true",
    # The JIT gives up on a method past 8000 bytes of bytecode; Spark's default lets many rules become one.
    "spark.sql.codegen.hugeMethodLimit": "8000",
}

# Transactions and versions belong to the writes of the session that set them.
_NOT_INHERITED = ("spark.databricks.delta.write.txn", "spark.databricks.delta.lastCommitVersionInSession")

# Applications that were asked already: every run of theirs would ask again.
_with_delta: set[str] = set()

# What Spark answers to a Delta command when Delta's extension or its catalog is not configured.
_NO_DELTA = (
    "TABLE_OR_VIEW_NOT_FOUND",
    "PARSE_SYNTAX_ERROR",
    "DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG",
)


def open_session(
    settings: Mapping[str, str], *, master: str | None, warehouse: Path, verbose: bool, iceberg: bool = False
) -> SparkSession:
    """The active session as it is, else one on SPARK_REMOTE, else a new one on `master` (`local[*]` if none is given).

    Raises:
        EngineUnavailable: Java, a jar or Delta is missing, or Spark did not start.
        UsageError: both SPARK_REMOTE and a master are given.
    """
    if session := active_session():
        require_delta(session)
        return session
    remote = os.environ.get("SPARK_REMOTE")
    if remote and master:
        raise UsageError(f"SPARK_REMOTE is set, and the master {master} is asked for.", cure="Give only one of them.")
    if remote and not remote.startswith("local"):
        return _connect(remote, settings)
    # A later contract of this process may need it, and a class path is of the start: what was fetched once is on it.
    iceberg = iceberg or were_fetched("iceberg")
    conf = launch_settings(
        settings, master=remote or master or "local[*]", warehouse=warehouse, verbose=verbose, iceberg=iceberg
    )
    return launch(conf, verbose=verbose)


def active_session() -> SparkSession | None:
    """The session that this process has already, active in this thread or the default of all threads."""
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    try:
        return SparkSession.active()
    except PySparkRuntimeError:
        return None


def run_session(base: SparkSession) -> SparkSession:
    """A session of its own for one run: it starts with what the base has, and what it sets is seen by nobody else."""
    session = _clone(base) if hasattr(base, "cloneSession") else _sibling(base)
    for key, value in _RUN_SETTINGS.items():
        session.conf.set(key, value)
    return session


def take_turns(session: SparkSession) -> None:
    """Let the jobs of this thread get their turns among those of other threads; a client of Connect has no say in it."""
    if hasattr(session, "cloneSession"):
        return
    # A pool for each thread, not for each run: Spark never forgets one.
    session.sparkContext.setLocalProperty("spark.scheduler.pool", threading.current_thread().name)


def require_delta(session: SparkSession) -> None:
    """Make sure that a session can read and write Delta tables.

    Raises:
        EngineUnavailable: Delta's jar, its extension or its catalog is not on the session.
    """
    from pyspark.errors import AnalysisException

    # A client of Connect does not know its application.
    application = None if hasattr(session, "cloneSession") else session.sparkContext.applicationId
    if application in _with_delta:
        return
    try:
        # Asks Delta itself, since platforms that build it in show nothing in their settings.
        with quiet_errors():
            session.sql("DESCRIBE DETAIL delta.`/lakelogic/probe`")
    except AnalysisException as error:
        if error.getCondition() in _NO_DELTA:
            raise EngineUnavailable(
                "The Spark session that is active has no Delta Lake.",
                cure="Start it with Delta's jar, spark.sql.extensions and spark.sql.catalog.spark_catalog,"
                " or stop it and let LakeLogic start its own.",
            ) from error
    if application is not None:
        _with_delta.add(application)


def _connect(remote: str, settings: Mapping[str, str]) -> SparkSession:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    try:
        session = SparkSession.builder.remote(remote).config(map=dict(settings)).getOrCreate()
    except (PySparkException, ImportError) as error:
        raise EngineUnavailable(
            f"Spark Connect at SPARK_REMOTE does not answer: {first_line(error)}",
            cure="Start the server, correct SPARK_REMOTE, or unset it to run locally.",
        ) from error
    require_delta(session)
    return session


def _clone(base: SparkSession) -> SparkSession:
    """A copy on the Connect server; only sessions of Connect can be cloned."""
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    session = cast(ConnectSession, base).cloneSession()
    # Else the client asks the server for minutes when the process ends and the server is gone already.
    atexit.register(session.client.close)
    return cast("SparkSession", session)


def _sibling(base: SparkSession) -> SparkSession:
    """A new session with the settings, catalog and schema that the base has now; newSession() starts from defaults."""
    session = base.newSession()
    known = session.conf.getAll
    for key, value in base.conf.getAll.items():
        if known.get(key) != value and not key.startswith(_NOT_INHERITED):
            session.conf.set(key, value)
    session.catalog.setCurrentCatalog(base.catalog.currentCatalog())
    session.catalog.setCurrentDatabase(base.catalog.currentDatabase())
    return session
