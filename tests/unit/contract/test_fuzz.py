"""Whatever the text, a contract is loaded or refused; nothing else ever comes out."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakelogic.contract import Contract, LoadedContract, load_text
from lakelogic.errors import ContractInvalid
from lakelogic.rules.base import dataset_rules, row_rules
from lakelogic.transforms.base import transforms

from .builders import HOME

QUIET = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))

WORDS = st.sampled_from(
    [
        *Contract.model_fields,
        *row_rules.names(),
        *dataset_rules.names(),
        *transforms.names(),
        *"name type path field fields sql columns on by from to mapping values min max pattern severity phase".split(),
        *"row_rules dataset_rules strategy primary_key target_path masking required options threshold".split(),
    ]
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    WORDS,
    st.sampled_from(["a > 0", "a AS b", "SELECT * FROM source", "24h", "${HOME}", "{x}", "merge", "csv", "5%"]),
)
DATA = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=8), inner, max_size=5),
    max_leaves=30,
)


def as_yaml(value: object) -> str:
    """Flow YAML with JSON's quoting, so that any data can be written."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_yaml(str(key))}: {as_yaml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(as_yaml(item) for item in value) + "]"
    if isinstance(value, str):
        return '"' + "".join(_escaped(character) for character in value) + '"'
    return str(value).lower() if isinstance(value, bool) else "null" if value is None else repr(value)


def _escaped(character: str) -> str:
    plain = re.fullmatch(r"[ -~]", character) and character not in '"\\'
    return character if plain else f"\\U{ord(character):08x}"


def loaded_or_refused(text: str) -> None:
    try:
        assert isinstance(load_text(text), LoadedContract)
    except ContractInvalid as error:
        assert error.problems
        assert all(problem.message and problem.place for problem in error.problems)


@QUIET
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    loaded_or_refused(text)


@QUIET
@given(st.text(alphabet="ab:-[]{}&*!|>#%@,?'\"\n \t\\0~<", max_size=120))
def test_any_text_of_yaml_punctuation(text: str) -> None:
    loaded_or_refused(text)


@QUIET
@given(st.dictionaries(st.sampled_from([*Contract.model_fields]), DATA, max_size=5))
def test_any_data_under_known_keys(data: dict[str, object]) -> None:
    loaded_or_refused(as_yaml(data))


@QUIET
@given(st.sampled_from(["row_rules", "dataset_rules"]), st.lists(st.dictionaries(WORDS, DATA, max_size=3), max_size=3))
def test_any_rules(key: str, items: list[object]) -> None:
    loaded_or_refused(as_yaml({"quality": {key: items}}))


@QUIET
@given(st.lists(st.dictionaries(st.sampled_from(transforms.names()), DATA, min_size=1, max_size=1), max_size=3))
def test_any_transformations(items: list[object]) -> None:
    loaded_or_refused(as_yaml({"transformations": items}))


@QUIET
@given(st.integers(0, len(HOME) - 1), st.integers(0, 8), st.text(max_size=6))
def test_any_small_change_of_a_good_contract(at: int, cut: int, put: str) -> None:
    loaded_or_refused(HOME[:at] + put + HOME[at + cut :])
