"""Which engine runs: as asked, else by size, else what this machine can run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lakelogic.engines import opening
from lakelogic.engines.opening import CROSSOVER_BYTES, Choice, EngineSettings, choice, engines, open_engine
from lakelogic.errors import EngineUnavailable
from lakelogic.run.processor import DataProcessor


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> object:
    """Take an engine away from this machine."""

    def take(name: str, lacking: str) -> None:
        kind = replace(engines.get(name), missing=lambda: lacking)
        monkeypatch.setitem(engines._items, name, kind)

    return take


def test_what_is_asked_for_needs_no_reason() -> None:
    assert [choice(EngineSettings(name)) for name in ("duckdb", "polars", "spark")] == [
        Choice("duckdb"),
        Choice("polars"),
        Choice("spark"),
    ]


def test_the_default_is_spark_where_it_can_run_and_else_says_why_not(without) -> None:  # type: ignore[no-untyped-def]
    without("spark", "Java is not found")
    assert choice(EngineSettings()) == Choice("duckdb", "the default where Java is not found")
    assert choice(EngineSettings(session=object())) == Choice("spark")
    without("duckdb", "duckdb is not installed")
    assert choice(EngineSettings()) == Choice("spark")


@pytest.mark.parametrize(("size", "name"), [(0, "duckdb"), (CROSSOVER_BYTES, "duckdb"), (CROSSOVER_BYTES + 1, "spark")])
def test_auto_goes_by_the_size_of_the_input(monkeypatch: pytest.MonkeyPatch, size: int, name: str) -> None:
    monkeypatch.setitem(engines._items, "spark", replace(engines.get("spark"), missing=lambda: None))
    found = choice(EngineSettings("auto", input_bytes=size))
    assert found.name == name
    assert found.reason is not None and "2048 MB" in found.reason


def test_auto_takes_the_default_for_an_input_without_a_size(without) -> None:  # type: ignore[no-untyped-def]
    without("spark", "Java is not found")
    assert choice(EngineSettings("auto")) == Choice("duckdb", "the size of the input is not known before it is read")


def test_an_unknown_engine_is_told_with_the_nearest() -> None:
    with pytest.raises(EngineUnavailable, match=r"engine 'duckbd' is unknown. Did you mean 'duckdb'\?"):
        choice(EngineSettings("duckbd"))


def test_an_unknown_engine_is_told_with_the_place_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LAKELOGIC_ENGINE", raising=False)
    text = "source: {path: a.csv}\nmaterialization: {strategy: overwrite, target_path: out}\n"
    (tmp_path / "a.csv").write_text("id\n1\n")
    (tmp_path / "lakelogic.toml").write_text('# ours\nengine = "duckbd"\n')

    def told(contract: str, engine: str | None = None) -> str:
        (tmp_path / "c.yaml").write_text(contract)
        with pytest.raises(EngineUnavailable) as caught:
            DataProcessor(tmp_path / "c.yaml", engine).run()
        return str(caught.value).removeprefix(f"{tmp_path}/")

    said = "engine 'duckbd' is unknown. Did you mean 'duckdb'?"
    assert told(text) == f"lakelogic.toml:2: {said}"
    assert told(text + "metadata: {engine: duckbd}\n") == f"c.yaml:3:12: {said}"
    assert told(text, "duckbd") == said
    monkeypatch.setenv("LAKELOGIC_ENGINE", "duckbd")
    assert told(text) == f"LAKELOGIC_ENGINE: {said}"


def test_an_engine_that_is_not_installed_names_the_extra(without) -> None:  # type: ignore[no-untyped-def]
    without("polars", opening.packages("no_such_package")() or "")
    with pytest.raises(EngineUnavailable) as caught:
        open_engine(EngineSettings("polars"), lambda _: None)
    assert str(caught.value) == (
        "engine 'polars' can't run here: no_such_package is not installed. Install it: pip install 'lakelogic[polars]'"
    )
