"""Spark sessions as users meet them: ours, theirs, remote, broken and interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lakelogic.engines.spark.session import open_session, require_delta, run_session
from lakelogic.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


PROGRAMS = Path(__file__).with_name("programs")


def outcome(program: str, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """What a program said, run in a Python of its own, since a process has only one Spark."""
    return subprocess.run(
        [sys.executable, str(PROGRAMS / program), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, **environ},
    )


def is_alive(process: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False)
    return state.stdout.strip() not in {"", "Z"}


def test_an_active_session_is_used_as_it_is(spark: SparkSession, tmp_path: Path) -> None:
    # Makes this session the active one again: other tests have had theirs.
    spark.createDataFrame([], "id int")
    # Making a frame makes a session the active one, and Delta's catalog sets two settings when it is first asked.
    spark.createDataFrame([], "n int")
    spark.catalog.currentCatalog()
    before = spark.conf.getAll
    found = open_session({"spark.sql.shuffle.partitions": "77"}, master="local[1]", warehouse=tmp_path, verbose=False)
    assert found is spark
    assert found.conf.getAll == before


def test_a_run_has_what_it_relies_on_whatever_the_session_says(spark: SparkSession) -> None:
    theirs = spark.newSession()
    theirs.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    theirs.conf.set("spark.sql.ansi.enabled", "true")
    ours = run_session(theirs)
    assert ours.conf.get("spark.sql.session.timeZone") == "UTC"
    assert ours.conf.get("spark.sql.ansi.enabled") == "false"
    assert ours.sql("SELECT CAST('x' AS INT)").first() == (None,)
    assert theirs.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert theirs.conf.get("spark.sql.ansi.enabled") == "true"


def test_a_run_inherits_settings_and_schema_but_no_transaction(spark: SparkSession) -> None:
    theirs = spark.newSession()
    theirs.sql("CREATE SCHEMA IF NOT EXISTS inherited")
    theirs.sql("USE inherited")
    theirs.conf.set("fs.azure.account.key.example", "known only to the session")
    theirs.conf.set("spark.sql.shuffle.partitions", "3")
    theirs.conf.set("spark.databricks.delta.write.txnAppId", "theirs")
    ours = run_session(theirs)
    assert ours.catalog.currentDatabase() == "inherited"
    assert ours.conf.get("fs.azure.account.key.example") == "known only to the session"
    assert ours.conf.get("spark.sql.shuffle.partitions") == "3"
    assert ours.conf.get("spark.databricks.delta.write.txnAppId", None) is None


def test_a_partition_folder_is_text(spark: SparkSession, tmp_path: Path) -> None:
    session = run_session(spark)
    session.sql("SELECT 1 AS id, '007' AS code").write.partitionBy("code").parquet(str(tmp_path / "rows"))
    assert session.read.parquet(str(tmp_path / "rows")).select("code").first() == ("007",)


def test_our_session_has_delta(spark: SparkSession) -> None:
    require_delta(spark)


def test_spark_prints_nothing_on_our_stdout(
    spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table"
    spark.range(3).write.format("delta").save(str(table))
    spark.sql(f"VACUUM delta.`{table}`")
    assert capfd.readouterr() == ("", "")


def test_a_master_beside_spark_remote_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakelogic.engines.spark.session.active_session", lambda: None)
    monkeypatch.setenv("SPARK_REMOTE", "sc://nowhere")
    with pytest.raises(UsageError, match="Give only one of them"):
        open_session({}, master="local[2]", warehouse=tmp_path, verbose=False)


def test_a_session_without_delta_is_refused_with_the_cure() -> None:
    said = outcome("without_delta.py").stdout
    assert said.startswith("The Spark session that is active has no Delta Lake. Start it with Delta's jar")


def test_a_spark_that_does_not_start_tells_why() -> None:
    answer = outcome("bad_setting.py")
    assert answer.stdout.startswith("Spark did not start: ")
    assert "lots" in answer.stdout
    assert answer.stderr == ""


def test_ctrl_c_ends_with_130_and_leaves_no_jvm(tmp_path: Path) -> None:
    command = [sys.executable, str(PROGRAMS / "busy.py"), "busy", str(tmp_path)]
    with subprocess.Popen(
        command, text=True, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        jvm, secret, arguments = (program.stdout.readline().strip() for _ in range(3))
        time.sleep(2)
        # A terminal sends the signal to the whole group, so to the JVM too.
        os.killpg(program.pid, signal.SIGINT)
        _, told = program.communicate(timeout=60)
    deadline = time.monotonic() + 60
    while is_alive(int(jvm)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert (program.returncode, told) == (130, "interrupted\n")
    assert not is_alive(int(jvm))
    assert secret == "swordfish"
    assert "spark.driver.bindAddress" in arguments
    assert "swordfish" not in arguments


@pytest.mark.connect
def test_a_run_on_spark_connect_has_a_session_of_its_own(tmp_path: Path) -> None:
    answer = outcome("remote.py", str(tmp_path), SPARK_REMOTE="local[2]")
    assert answer.stdout.splitlines() == ["pyspark.sql.connect.session", "UTC Asia/Tokyo", "3", "3"], answer.stderr


@pytest.mark.slow
@pytest.mark.connect
def test_a_contract_runs_on_spark_connect_as_anywhere(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "contract.yaml").write_text(
        "source: {path: in/*.csv, load_mode: incremental}\n"
        "model: {fields: [{name: id, type: string, required: true}, {name: amount, type: double}]}\n"
        "transformations: [{filter: {sql: 'id <> 4 OR amount > 8'}, phase: pre}]\n"
        "quality: {row_rules: [{sql: amount > 0}]}\n"
        "materialization: {strategy: merge, primary_key: [id], target_path: out}\n",
        encoding="utf-8",
    )
    answer = outcome("remote_run.py", str(tmp_path), SPARK_REMOTE="local[2]")
    told = ["succeeded 4 1 2 1 None None", "succeeded 3 3 0 0 2 0", "pyspark.sql.connect.session"]
    assert answer.stdout.splitlines() == told, answer.stderr


@pytest.mark.slow
def test_a_spark_that_is_ended_leaves_no_jvm_and_can_be_started_again(tmp_path: Path) -> None:
    command = [sys.executable, str(PROGRAMS / "ended.py"), str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        *jvms, told = (program.stdout.readline().strip() for _ in range(3))
        assert told == "ended"
        assert len(set(jvms)) == 2
        assert not any(is_alive(int(jvm)) for jvm in jvms)
        program.communicate("\n", timeout=60)
        assert program.returncode == 0
