"""The project file is found upwards, refuses what it does not know, and is asked last."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.errors import NotSupportedYet, UsageError
from lakelogic.project import find_project


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LAKELOGIC_STATE", "LAKELOGIC_ENGINE", "LAKELOGIC_ENV"):
        monkeypatch.delenv(name, raising=False)


def project_file(folder: Path, text: str) -> None:
    (folder / "lakelogic.toml").write_text(text)


def test_without_a_file_the_contracts_folder_is_the_root(tmp_path: Path) -> None:
    project = find_project(tmp_path)
    assert (project.root, project.file, project.state_dir) == (tmp_path, None, tmp_path / ".lakelogic")
    assert (project.engine_name(), project.environment_name(), project.unmasked_pii) == (None, None, "warn")


def test_the_nearest_file_upwards_is_the_project(tmp_path: Path) -> None:
    below = tmp_path / "contracts" / "sales"
    below.mkdir(parents=True)
    project_file(tmp_path, 'root = "lake"\nengine = "spark"\nenvironment = "dev"\n')
    project = find_project(below)
    assert project.root == tmp_path / "lake"
    assert project.state_dir == tmp_path / "lake" / ".lakelogic"
    assert (project.engine, project.environment) == ("spark", "dev")
    project_file(below, "")
    assert find_project(below).root == below


def test_what_is_asked_for_comes_before_the_variable_and_that_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project_file(tmp_path, 'engine = "a"\nenvironment = "a"\nstate = "state"\n')
    project = find_project(tmp_path)
    assert (project.engine_name(), project.environment_name()) == ("a", "a")
    assert project.state_dir == tmp_path / "state"
    monkeypatch.setenv("LAKELOGIC_ENGINE", "b")
    monkeypatch.setenv("LAKELOGIC_ENV", "b")
    monkeypatch.setenv("LAKELOGIC_STATE", str(tmp_path / "other"))
    assert (project.engine_name(), project.environment_name()) == ("b", "b")
    assert (project.engine_name("c"), project.environment_name("c")) == ("c", "c")
    assert project.state_dir == tmp_path / "other"


def test_spark_settings_are_read_in_every_spelling(tmp_path: Path) -> None:
    project_file(
        tmp_path,
        '[spark]\nmaster = "local[2]"\nsql.shuffle.partitions = 8\n"spark.executor.memory" = "4g"\nui.enabled = false\n',
    )
    assert find_project(tmp_path).spark == {
        "spark.master": "local[2]",
        "spark.sql.shuffle.partitions": "8",
        "spark.executor.memory": "4g",
        "spark.ui.enabled": "false",
    }


def test_state_at_an_address_is_not_built_yet(tmp_path: Path) -> None:
    project_file(tmp_path, 'state = "s3://lake/state"\n')
    with pytest.raises(NotSupportedYet, match="state at 's3://lake/state'"):
        _ = find_project(tmp_path).state_dir


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('engin = "spark"', "lakelogic.toml:1: key 'engin' is unknown. Did you mean 'engine'?"),
        ("\n[sparc]\nx = 1", "lakelogic.toml:2: key 'sparc' is unknown. Did you mean 'spark'?"),
        ('[privacy]\nunmasked = "warn"', "lakelogic.toml:2: key 'unmasked' is unknown. Did you mean 'unmasked_pii'?"),
        (
            '[privacy]\nunmasked_pii = "refus"',
            "lakelogic.toml:2: unmasked_pii 'refus' is unknown. Did you mean 'refuse'?",
        ),
        ("engine = duckdb", "lakelogic.toml:1:10: not TOML: Invalid value. Put text in quotes."),
        ("engine = 5", "lakelogic.toml:1: engine must be text in quotes."),
        ("spark = 5", "lakelogic.toml:1: 'spark' must be a section. Write [spark]."),
        ("engine = \nx", "lakelogic.toml:1:10: not TOML: "),
    ],
)
def test_what_is_wrong_in_the_file_is_told_with_its_line(tmp_path: Path, text: str, sentence: str) -> None:
    project_file(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        find_project(tmp_path)
    assert sentence in str(caught.value)


def test_a_file_that_is_not_utf_8_is_told(tmp_path: Path) -> None:
    (tmp_path / "lakelogic.toml").write_bytes(b'engine = "\xff"')
    with pytest.raises(UsageError, match="not UTF-8"):
        find_project(tmp_path)
