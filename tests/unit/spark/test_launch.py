"""What a Spark of our own is started with."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakelogic.engines.spark import launch
from lakelogic.engines.spark.interrupts import interruptible, uninterrupted
from lakelogic.engines.spark.launch import launch_settings

JARS = (Path("/cache/delta.jar"), Path("/cache/storage.jar"))


@pytest.fixture(autouse=True)
def jars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "jar_paths", lambda *_: JARS)


def settings(master: str = "local[2]", verbose: bool = False, **given: str) -> dict[str, str]:
    dotted = {key.replace("_", "."): value for key, value in given.items()}
    return launch_settings(dotted, master=master, warehouse=Path("/lake"), verbose=verbose)


def test_a_local_spark_has_deltas_jars_on_its_class_path() -> None:
    conf = settings()
    assert conf["spark.driver.extraClassPath"] == "/cache/delta.jar:/cache/storage.jar"
    assert "spark.jars" not in conf


def test_a_cluster_is_sent_deltas_jars_and_keeps_its_own_defaults() -> None:
    conf = settings("spark://host:7077")
    assert conf["spark.jars"] == "/cache/delta.jar,/cache/storage.jar"
    assert "spark.driver.extraClassPath" not in conf
    assert "spark.sql.shuffle.partitions" not in conf


def test_what_the_user_sets_wins_over_what_we_would_choose() -> None:
    conf = settings(spark_driver_memory="9g", spark_ui_enabled="true")
    assert conf["spark.driver.memory"] == "9g"
    assert conf["spark.ui.enabled"] == "true"


def test_what_the_user_adds_stands_beside_what_delta_needs() -> None:
    conf = settings(
        spark_sql_extensions="org.example.More",
        spark_driver_extraClassPath="/own.jar",
        spark_driver_extraJavaOptions="-Dmine=1",
    )
    assert conf["spark.sql.extensions"] == "io.delta.sql.DeltaSparkSessionExtension,org.example.More"
    assert conf["spark.driver.extraClassPath"].endswith(":/own.jar")
    assert conf["spark.driver.extraJavaOptions"].endswith(" -Dmine=1")


@pytest.mark.parametrize(
    ("master", "partitions"), [("local", "2"), ("local[1]", "2"), ("local[6]", "6"), ("local[64]", "16")]
)
def test_shuffles_follow_the_cores(master: str, partitions: str) -> None:
    assert settings(master)["spark.sql.shuffle.partitions"] == partitions


@pytest.mark.parametrize(("verbose", "level"), [(True, "warn"), (False, "error")])
def test_spark_logs_more_when_asked(verbose: bool, level: str) -> None:
    assert f"-Dlakelogic.level={level}" in settings(verbose=verbose)["spark.driver.extraJavaOptions"]


def test_the_log_configuration_is_part_of_the_package() -> None:
    options = settings()["spark.driver.extraJavaOptions"].split()
    assert Path(launch.__file__).with_name("log4j2.properties").as_uri() in options[0]
    assert Path(launch.__file__).with_name("log4j2.properties").is_file()


def test_the_driver_takes_no_more_than_4_gb() -> None:
    memory = settings()["spark.driver.memory"]
    assert memory.endswith("m")
    assert 1024 <= int(memory[:-1]) <= 4096


@pytest.fixture
def handler() -> Iterator[None]:
    """Puts the handler of Ctrl-C back after a test."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_waits_until_the_jvm_has_started(handler: None) -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        signal.raise_signal(signal.SIGINT)
        done.append("started")
    assert done == ["started"]


def test_a_handler_of_ctrl_c_that_the_program_had_set_is_put_back(handler: None) -> None:
    own = signal.Handlers.SIG_IGN
    signal.signal(signal.SIGINT, own)
    with interruptible():
        signal.signal(signal.SIGINT, lambda *_: None)
    assert signal.getsignal(signal.SIGINT) is own


def test_after_the_start_ctrl_c_raises_even_without_a_spark(handler: None) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with interruptible():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
