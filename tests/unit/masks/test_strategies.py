"""What each masking strategy stores, in Python; the conformance tests hold Spark to the same."""

from __future__ import annotations

import hashlib
import hmac
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from lakelogic.errors import ContractError, SecretMissing, UsageError
from lakelogic.masks.base import MaskExample, as_text, mask_for, masks
from lakelogic.masks.keys import VARIABLE, Keys, load_keys, secret_names
from lakelogic.sql.types import parse_type

# A busy machine is no failure.
CALM = settings(deadline=None)
KEYS = load_keys({VARIABLE: "8f14e45fceea167a5a36dedd4bea2543c9f0f895fb98ab9159f51fd0297e236d"})
OTHER = load_keys({VARIABLE: "45c48cce2e2d7fbdea1afc51c7c6ad26d3d9446802a44259755d38e6d163e820"})
VALUE = exp.column("value")
EXAMPLES = [(kind, example) for kind, mask in masks for example in mask.examples]


@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_the_examples_of_a_mask_are_true(kind: str, example: MaskExample) -> None:
    stored = mask_for(kind, example.format).python(example.value, KEYS)
    if example.shape:
        assert stored is not None
        assert re.fullmatch(example.shape, stored)
    else:
        assert stored == example.stored


def test_every_mask_has_an_example_of_a_value_and_of_null() -> None:
    for kind, mask in masks:
        assert mask.kind == kind
        assert {example.value is None for example in mask.examples} == {True, False}


def test_the_masks_are_those_that_a_contract_may_name() -> None:
    assert masks.names() == ["encrypt", "hash", "none", "nullify", "partial", "redact", "tokenize"]


def test_an_unknown_mask_names_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="Did you mean 'encrypt'"):
        mask_for("encript")


@pytest.mark.parametrize("kind", ["hash", "encrypt", "redact", "nullify", "tokenize", "none"])
def test_a_format_is_refused_where_it_has_no_meaning(kind: str) -> None:
    with pytest.raises(ContractError, match=f"no meaning for masking '{kind}'"):
        mask_for(kind, format="{first1}")


@pytest.mark.parametrize("format", ["{first0}", "{first10}", "{middle2}", "{domain", "}x{", "{{first1}}"])
def test_an_unknown_placeholder_is_refused_with_the_known_ones(format: str) -> None:
    with pytest.raises(ContractError, match="first1"):
        mask_for("partial", format=format)


def test_hash_is_the_hmac_of_the_value() -> None:
    expected = hmac.new(KEYS.secret("hash"), "zoë".encode(), hashlib.sha256).hexdigest()
    assert mask_for("hash").python("zoë", KEYS) == expected


@pytest.mark.parametrize("kind", ["hash", "tokenize"])
@CALM
@given(first=st.text(), second=st.text())
def test_keyed_masks_keep_equality_and_depend_on_the_key(kind: str, first: str, second: str) -> None:
    mask = mask_for(kind)
    assert (mask.python(first, KEYS) == mask.python(second, KEYS)) == (first == second)
    assert mask.python(first, KEYS) != mask.python(first, OTHER)


@CALM
@given(st.text(min_size=1))
def test_partial_never_shows_the_whole_value(value: str) -> None:
    for pattern in (None, "{first9}{last9}", "{first1}", "{last3}", "{first2}{domain}{last1}"):
        shown = mask_for("partial", pattern).python(value, KEYS)
        assert shown != value or "***" in value


@CALM
@given(st.text(alphabet="ab@.", max_size=12), st.integers(1, 9), st.integers(1, 9))
def test_a_format_shows_at_most_what_it_names(value: str, first: int, last: int) -> None:
    shown = mask_for("partial", format=f"{{first{first}}}|{{last{last}}}").python(value, KEYS)
    if len(value) <= first + last:
        assert shown == "***|***"
    else:
        assert shown == f"{value[:first]}|{value[-last:]}"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("jo@x.com", "j***@x.com"),
        ("@x.com", "***"),
        ("jane@", "***"),
        ("jane@x@y.com", "***.com"),
        ("12345678", "***5678"),
        ("日本語テキスト八", "***キスト八"),
        ("😀😀😀😀😀😀😀😀", "***😀😀😀😀"),
    ],
)
def test_partial_at_the_edges(value: str, shown: str) -> None:
    assert mask_for("partial").python(value, KEYS) == shown


def test_first_and_last_are_taken_before_the_at_sign_when_the_domain_is_shown() -> None:
    mask = mask_for("partial", format="{first1}***@{domain}")
    assert mask.python("jane@x.com", KEYS) == "j***@x.com"
    assert mask.python("j@x.com", KEYS) == "******@x.com"
    assert mask.python("not an e-mail", KEYS) == "n***@***"


def test_masks_ask_only_for_key_material_that_exists() -> None:
    for kind, _ in masks:
        for deterministic in (False, True):
            mask = mask_for(kind, deterministic=deterministic)
            names = [secret.name for secret in mask.secrets]
            assert set(names) <= set(secret_names())
            read = {column.name for column in mask.apply(VALUE, parse_type("string")).find_all(exp.Column)}
            assert read <= {"value"} | {secret.column_name for secret in mask.secrets}
            assert {secret.column_name for secret in mask.secrets} <= read


@pytest.mark.parametrize("kind", ["hash", "tokenize", "encrypt"])
def test_a_keyed_mask_without_a_key_says_so(kind: str) -> None:
    with pytest.raises(SecretMissing, match=VARIABLE):
        mask_for(kind).python("x", Keys())


@pytest.mark.parametrize("kind", ["none", "nullify", "partial", "redact"])
def test_the_other_masks_need_no_key(kind: str) -> None:
    mask = mask_for(kind)
    assert mask.secrets == ()
    assert mask.python(None, Keys()) is None


def test_only_masks_that_keep_equality_are_joinable() -> None:
    joinable = {kind for kind, _ in masks if mask_for(kind).joinable}
    assert joinable == {"none", "hash", "tokenize"}
    assert mask_for("encrypt", deterministic=True).joinable


@pytest.mark.parametrize("kind", ["none", "nullify"])
def test_a_column_that_is_kept_or_emptied_keeps_its_type(kind: str) -> None:
    for name in ("int", "date", "struct<a:int>"):
        assert mask_for(kind).output_type(parse_type(name)) == parse_type(name)


@pytest.mark.parametrize("kind", ["hash", "encrypt", "redact", "partial", "tokenize"])
def test_other_masked_columns_are_text(kind: str) -> None:
    assert mask_for(kind).output_type(parse_type("int")) == parse_type("string")


@pytest.mark.parametrize(
    ("type_name", "text"),
    [
        ("string", "value"),
        ("int", "CAST(value AS STRING)"),
        ("timestamp", "CAST(value AS STRING)"),
        ("struct<a:int>", "TO_JSON(value)"),
        ("array<string>", "TO_JSON(value)"),
        ("binary", r"REPLACE(BASE64(value), '\r\n', '')"),
    ],
)
def test_a_value_of_any_type_has_a_text_to_mask(type_name: str, text: str) -> None:
    assert as_text(VALUE, parse_type(type_name)).sql("spark") == text
