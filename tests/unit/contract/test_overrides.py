"""Environments and `--set` replace what the file says, and are judged like it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from lakelogic.contract import LoadedContract, load_contract
from lakelogic.errors import ContractInvalid

TEXT = """\
source: {path: base.csv, pattern: "*.csv"}
environments:
  dev: {path: dev.json, format: json}
  prod: {path: s3://lake/a.csv}
links:
  - {name: countries, path: c.csv}
quality:
  row_rules:
    - sql: a > 0
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "orders.yaml"
    path.write_text(TEXT)
    return path


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAKELOGIC_ENV", raising=False)


def refusal(file: Path, overrides: Mapping[str, object]) -> str:
    with pytest.raises(ContractInvalid) as caught:
        load_contract(file, overrides=overrides)
    return str(caught.value)


def source_path(loaded: LoadedContract) -> str | None:
    assert loaded.source is not None
    return loaded.source.path


def test_the_environment_is_asked_for_then_of_the_variable_then_of_the_project(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert source_path(load_contract(file)) == "base.csv"
    (file.parent / "lakelogic.toml").write_text('environment = "prod"\n')
    assert source_path(load_contract(file)) == "s3://lake/a.csv"
    monkeypatch.setenv("LAKELOGIC_ENV", "dev")
    loaded = load_contract(file)
    assert (source_path(loaded), loaded.source_format, loaded.environment) == ("dev.json", "json", "dev")
    assert source_path(load_contract(file, environment="prod")) == "s3://lake/a.csv"


def test_an_environment_that_the_contract_does_not_list_is_refused(file: Path) -> None:
    with pytest.raises(ContractInvalid, match=r"orders.yaml:2:1: environment 'prd' is unknown. Did you mean 'prod'\?"):
        load_contract(file, environment="prd")


def test_a_contract_without_environments_runs_in_any(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("source: {path: a.csv}\n")
    assert source_path(load_contract(file, environment="prod")) == "a.csv"


def test_an_environment_applies_to_the_older_spelling_too(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("server: {type: s3, path: a.csv}\nenvironments: {dev: {path: b.csv}}\n")
    assert source_path(load_contract(file, environment="dev")) == "b.csv"


def test_overrides_reach_into_blocks_and_lists_and_make_what_is_not_there(file: Path) -> None:
    loaded = load_contract(
        file,
        overrides={
            "source.pattern": "claims_*.csv",
            "quality.row_rules.0.severity": "warning",
            "materialization.target_path": "silver.orders",
            "primary_key": '["a", "b"]',
            "quarantine.max_ratio": "0.1",
        },
    )
    assert loaded.model.source is not None
    assert loaded.model.source.pattern == "claims_*.csv"
    assert loaded.model.quality.row_rules[0].severity == "warning"
    assert loaded.target == "silver.orders"
    assert loaded.primary_key == ("a", "b")
    assert loaded.model.quarantine.max_ratio == 0.1


def test_an_override_wins_over_the_environment(file: Path) -> None:
    loaded = load_contract(file, overrides={"source.path": "s3://x/y.csv"}, environment="dev")
    assert source_path(loaded) == "s3://x/y.csv"


def test_relative_paths_of_overrides_start_at_the_working_directory(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "plain.csv").touch()
    monkeypatch.chdir(here)
    assert source_path(load_contract(file, overrides={"source.path": "data/a.csv"})) == str(here / "data/a.csv")
    assert source_path(load_contract(file, overrides={"source.path": "plain.csv"})) == str(here / "plain.csv")
    assert load_contract(file, overrides={"materialization.target_path": "out/x"}).target == str(here / "out/x")
    assert load_contract(file, overrides={"materialization.target_path": "a.b.c"}).target == "a.b.c"


@pytest.mark.parametrize(
    ("dotted", "sentence"),
    [
        ("source.pth", "--set source.pth: key 'pth' is unknown. Did you mean 'path'?"),
        ("links.7.path", "--set links.7.path: '7' is no position in a list of 1; the first is 0."),
        ("source.path.deeper", "--set source.path.deeper: 'deeper' can't stand here."),
        ("source..path", "'' can't stand here."),
        ("", "--set : '' can't stand here."),
        ("source.load_mode", "--set source.load_mode: load_mode can't be 'x'."),
    ],
)
def test_wrong_overrides_are_told_by_their_key(file: Path, dotted: str, sentence: str) -> None:
    assert sentence in refusal(file, {dotted: "x"})
