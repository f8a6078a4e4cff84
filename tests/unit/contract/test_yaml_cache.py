"""YAML that was parsed before is found again, and never in place of another text."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.contract import load_contract, yaml_cache
from lakelogic.contract.reading import read_yaml
from lakelogic.contract.yaml_cache import remembered
from lakelogic.errors import ContractInvalid

_TEXT = """
version: 1.10
source: {path: 'a.csv'}
model:
  fields: [{name: id, type: int, required: true}]
quality: {row_rules: [{sql: "id > 0"}]}
"""


@pytest.fixture
def no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parsing anew fails."""
    monkeypatch.setattr(yaml_cache, "NodeBuilder", None)


def test_a_text_that_is_known_is_the_same_with_the_same_places(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    file, cache = tmp_path / "contract.yaml", tmp_path / "cache" / "contracts.json"
    file.write_text(_TEXT)
    plain = load_contract(file)
    with remembered(cache):
        load_contract(file)
    request.getfixturevalue("no_parser")
    with remembered(cache):
        again = load_contract(file)
    assert (again.model, again.document, again.places) == (plain.model, plain.document, plain.places)
    assert again.model.version == "1.10"


def test_a_text_that_changed_is_parsed_again(tmp_path: Path) -> None:
    cache = tmp_path / "contracts.json"
    with remembered(cache):
        assert read_yaml("a: 1\n", "x")[0] == {"a": 1}
    with remembered(cache):
        assert read_yaml("a: 2\n", "x")[0] == {"a": 2}


def test_a_text_that_was_read_before_is_known_without_a_file(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    cache = tmp_path / "contracts.json"
    with remembered(cache, save=False) as before:
        read_yaml("a: 1\n", "x")
    request.getfixturevalue("no_parser")
    for _ in range(2):
        with remembered(cache, save=False, before=before) as before:
            assert read_yaml("a: 1\n", "x")[0] == {"a": 1}
    assert not cache.exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 99, "nodes": {}}', '{"format": 1, "nodes": []}'])
def test_a_cache_that_is_damaged_or_newer_is_thrown_away(tmp_path: Path, text: str) -> None:
    cache = tmp_path / "contracts.json"
    cache.write_text(text)
    with remembered(cache):
        assert read_yaml("a: 1\n", "x")[0] == {"a": 1}
    with remembered(cache, save=False):
        assert read_yaml("a: 1\n", "x")[0] == {"a": 1}


def test_a_text_with_anchors_is_not_kept(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    cache = tmp_path / "contracts.json"
    with remembered(cache):
        assert read_yaml("a: &x [1]\nb: *x\n", "x")[0] == {"a": [1], "b": [1]}
    request.getfixturevalue("no_parser")
    with pytest.raises(TypeError), remembered(cache):
        read_yaml("a: &x [1]\nb: *x\n", "x")


def test_what_is_wrong_is_told_each_time(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(ContractInvalid, match="stands twice"), remembered(tmp_path / "contracts.json"):
            read_yaml("a: 1\na: 2\n", "x")
