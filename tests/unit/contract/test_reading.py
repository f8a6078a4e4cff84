"""YAML is read safely: hostile input is refused with its place, and 1.2 is what it means."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from lakelogic.contract import load_contract
from lakelogic.contract.reading import MAX_BYTES, read_yaml
from lakelogic.errors import ContractInvalid, Place, UsageError


def read(text: str) -> dict[str, object]:
    return read_yaml(text, "orders.yaml")[0]


def refusal(text: str) -> str:
    with pytest.raises(ContractInvalid) as caught:
        read(text)
    return str(caught.value)


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, levels):
        aliases = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} [{aliases}]")
    return "\n".join(lines)


def test_alias_bomb_is_refused_at_once() -> None:
    start = time.perf_counter()
    assert "the aliases expand to too much data" in refusal(bomb(9))
    assert time.perf_counter() - start < 2


def test_merge_bomb_is_refused_at_once() -> None:
    lines = ["a0: &a0 {k: 1}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 9)]
    assert "the aliases expand to too much data" in refusal("\n".join(lines))


@pytest.mark.parametrize("value", ["!!python/object:os.system ls", "!!str 5", "!secret x", "!!map {a: 1}", "! x"])
def test_tags_are_refused(value: str) -> None:
    assert "is not allowed" in refusal(f"a: {value}")
    assert refusal(f"a: {value}").startswith("orders.yaml:1:4: tag '")


def test_duplicate_keys_are_refused_all_at_once() -> None:
    assert refusal("a: 1\nb:\n  c: 1\n  c: 2\na: 2\n").splitlines() == [
        "orders.yaml:4:3: key 'c' stands twice, first on line 3. Remove one.",
        "orders.yaml:5:1: key 'a' stands twice, first on line 1. Remove one.",
    ]


@pytest.mark.parametrize("opening", ["[", "{a: "])
def test_deep_nesting_is_refused(opening: str) -> None:
    assert "nested deeper than" in refusal(opening * 3000)


def test_deep_block_nesting_is_refused() -> None:
    text = "\n".join(f"{'  ' * depth}k:" for depth in range(200))
    assert "nested deeper than" in refusal(text)


def test_an_anchor_inside_itself_is_refused() -> None:
    assert refusal("a: &a [*a]") == "orders.yaml:1:8: alias '*a' names no anchor before it."


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\ufffe"])
def test_control_characters_are_refused_with_their_place(character: str) -> None:
    assert refusal(f"a: 1\nb: x{character}y\n") == (
        f"orders.yaml:2:5: character U+{ord(character):04X} is not allowed in YAML. Remove it."
    )


def test_more_values_than_a_contract_has_are_refused() -> None:
    assert "more than 50,000 values" in refusal("a: [" + "1," * 200_000 + "]")


def test_what_is_never_closed_is_told_where_it_was_opened() -> None:
    assert refusal('a: 1\nb: "x\nc: 3\n').startswith("orders.yaml:2:4: not YAML")


def test_syntax_errors_have_line_and_column() -> None:
    assert refusal("a: 1\nb: [1, 2\nc: 3\n").startswith("orders.yaml:3:")
    assert refusal("a:\n\t- x\n").startswith("orders.yaml:2:1: not YAML: found character '\\t'")
    assert refusal("a:\n\t- x\n").endswith("Indent with spaces, not with tabs.")


def test_two_documents_are_refused() -> None:
    assert refusal("a: 1\n---\nb: 2\n").startswith("orders.yaml:2:1: a file holds one contract.")


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "~\n"])
def test_an_empty_file_is_refused(text: str) -> None:
    assert refusal(text).startswith("orders.yaml: the file is empty.")


@pytest.mark.parametrize("text", ["- a\n- b\n", "just text\n", "5\n"])
def test_anything_but_a_mapping_is_refused(text: str) -> None:
    assert refusal(text).startswith("orders.yaml:1:1: a contract is a mapping")


def test_a_key_that_is_no_text_is_refused() -> None:
    assert refusal("a:\n  ? [b]\n  : 1\n").startswith("orders.yaml:2:5: a key must be text.")


def test_anchors_and_merge_keys_work_and_own_keys_win() -> None:
    text = "x-base: &base {a: 1, b: 2}\nx-more: &more {b: 3, c: 4}\nuse:\n  <<: [*base, *more]\n  a: 9\nsame: *base\n"
    data = read(text)
    assert data["use"] == {"a": 9, "b": 2, "c": 4}
    assert data["same"] == {"a": 1, "b": 2}


def test_a_merged_mapping_may_merge_another() -> None:
    assert read("x-a: &a {k: 1}\nx-b: &b {<<: *a, l: 2}\nc: {<<: *b}\n")["c"] == {"l": 2, "k": 1}


def test_places_of_merged_keys_are_where_they_were_written() -> None:
    _, places = read_yaml("x-a: &a\n  k: 1\nc:\n  <<: *a\n", "orders.yaml")
    assert places.of(("c", "k")) == Place("orders.yaml", 2, 3)


def test_places_fall_back_to_what_is_around() -> None:
    _, places = read_yaml("source:\n  path: a\n", "orders.yaml")
    assert places.of(("source", "path")) == Place("orders.yaml", 2, 3)
    assert places.of_value(("source", "path")) == Place("orders.yaml", 2, 9)
    assert places.of(("source", "format", "x")) == Place("orders.yaml", 1, 1)
    assert places.of(("nothing",)) == Place("orders.yaml")


def test_values_mean_what_yaml_1_2_says() -> None:
    data = read(
        "a: yes\nb: on\nc: true\nd: 2026-01-02\ne: 1.5\nf: 0o17\ng: 0x1F\nh: ~\ni: '1'\nj: .inf\nk: 1_000\nl: 12:30\nm: 1e999"
    )
    assert data == {
        "a": "yes",
        "b": "on",
        "c": True,
        "d": "2026-01-02",
        "e": 1.5,
        "f": 15,
        "g": 31,
        "h": None,
        "i": "1",
        "j": ".inf",
        "k": "1_000",
        "l": "12:30",
        "m": "1e999",
    }


def test_a_number_remembers_how_it_was_written() -> None:
    data = read("a: 1.10\nb: 007\n")
    assert (str(data["a"]), data["a"], str(data["b"]), data["b"]) == ("1.10", 1.1, "007", 7)


def test_bom_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_bytes("\ufeffdataset: ünï\r\nsource:\r\n  path: a.csv\r\n".encode())
    loaded = load_contract(file)
    assert loaded.name == "ünï"
    assert loaded.place("source", "path").line == 3


@pytest.mark.parametrize(("content", "line"), [(b"a: 1\nb: \xff\n", 2), ("a: 1".encode("utf-16"), 1)])
def test_text_that_is_not_utf_8_is_refused(tmp_path: Path, content: bytes, line: int) -> None:
    file = tmp_path / "c.yaml"
    file.write_bytes(content)
    with pytest.raises(ContractInvalid, match=f"c.yaml:{line}: the file is not UTF-8 text"):
        load_contract(file)


def test_a_large_file_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_bytes(b"a: 1\n" * (3_000_000 // 5))
    start = time.perf_counter()
    with pytest.raises(ContractInvalid, match=f"larger than {MAX_BYTES:,} bytes"):
        load_contract(file)
    assert time.perf_counter() - start < 1


def test_a_file_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        load_contract(tmp_path / "no.yaml")
    (tmp_path / "orders.yaml").touch()
    with pytest.raises(UsageError, match=r"'.*/oders.yaml' does not exist. Did you mean '.*/orders.yaml'\?"):
        load_contract(tmp_path / "oders.yaml")
    with pytest.raises(UsageError, match="is a folder"):
        load_contract(tmp_path)
