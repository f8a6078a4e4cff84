"""What is wrong is told with the cure and a code other than 0: never a green run that did nothing."""

from __future__ import annotations

import pytest

from tests.unit.driver.lake import Lake


@pytest.fixture
def two(lake: Lake) -> Lake:
    """Two entities."""
    lake.contract("bronze_a")
    lake.contract("bronze_b")
    lake.registry({"a": {"bronze": "bronze_a.yaml"}, "b": {"bronze": "bronze_b.yaml"}})
    return lake


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--entities", "nosuch"), "--entities nosuch: no entity of that name is listed. Known: a, b."),
        (("--layers", "glod"), "--layers glod: no contract of that layer is listed. Did you mean 'gold'?"),
        (("--layers", "gold"), "--layers gold: no contract of that layer is listed. Known: bronze."),
        (("--window", "bogus"), "--window bogus is unknown."),
        (("--resume",), "Add --state-path FILE."),
        (("--layers", ","), "--layers is empty."),
        (("--timeout", "soon"), "--timeout must be a number with a unit"),
        (("--set", "source.pattern=other.csv"), "no contract that is asked for reads a file named 'other.csv'."),
        (("--bogus",), "`lakelogic-driver --help` shows what it accepts."),
    ],
)
def test_a_wrong_word_is_told(two: Lake, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str) -> None:
    assert two.command(*words) == 2
    assert told in capsys.readouterr().err
    assert two.log() == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("entries: []\n", "the registry lists no contract."),
        ("entries:\n- {entity: a, enabled: false, contracts: {bronze: bronze_a.yaml}}\n", "are disabled."),
        ("entries:\n- entity: a\n  contracts: {bronze: gone.yaml}\n", "_registry.yaml:3:"),
        (
            "entries:\n- entity: a\n  contracts: {glod: bronze_a.yaml}\n",
            "layer 'glod' is unknown. Did you mean 'gold'?",
        ),
        ("entries:\n- entity: a\n  contract: x\n", "_registry.yaml:3:3: key 'contract' is unknown."),
        ("entries:\n- entity: a\n", "needs either contracts or contract_path."),
        ("entries:\n- {entity: a, contracts: {silver: bronze_a.yaml}}\n", "is listed as silver, and its contract says"),
        ("cloud: {enabled: true}\nentries: [{entity: a, contracts: {bronze: bronze_a.yaml}}]\n", "not supported yet"),
        ("", "the file is empty"),
    ],
)
def test_a_wrong_registry_is_told(two: Lake, capsys: pytest.CaptureFixture[str], text: str, told: str) -> None:
    two.file("contracts/_registry.yaml", text)
    assert two.command() == 2
    assert told in capsys.readouterr().err
    assert two.log() == []


def test_two_contracts_with_one_name_are_refused(two: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    two.file("contracts/bronze_b.yaml", "dataset: bronze_a\nsource: {path: x.csv}\n")
    assert two.command() == 2
    assert "has the dataset name 'bronze_a' of" in capsys.readouterr().err


def test_two_contracts_with_one_target_are_refused(two: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    text = "dataset: bronze_b\nsource: {path: x.csv}\nmaterialization: {target_path: ../tables/bronze_a}\n"
    two.file("contracts/bronze_b.yaml", text)
    assert two.command() == 2
    assert "has the target" in capsys.readouterr().err


def test_an_invalid_contract_stops_everything_unless_the_others_go_on(
    two: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    two.file("contracts/bronze_b.yaml", "dataset: bronze_b\nsorce: {path: x.csv}\n")
    assert two.command() == 2
    assert "bronze_b.yaml:2:1: key 'sorce' is unknown. Did you mean 'source'?" in capsys.readouterr().err
    assert two.log() == []
    assert two.command("--continue-on-error") == 2
    assert [row["contract"] for row in two.log()] == ["bronze_a"]


def test_nothing_given_shows_help(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    from lakelogic.cli.driver import main

    assert main([]) == 0
    assert "Usage: lakelogic-driver" in capsys.readouterr().out
    assert main(["--layers", "bronze"]) == 2
    assert "no registry is given" in capsys.readouterr().err


def test_a_problem_that_contracts_share_is_told_once(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("bronze_a", "bronze_b"):
        lake.contract(name)
    lake.registry({name: {"bronze": f"{name}.yaml"} for name in ("bronze_a", "bronze_b")})
    assert lake.command("--set", "quarantine.max_ratio=5") == 2
    assert capsys.readouterr().err.count("max_ratio must be a share") == 1
