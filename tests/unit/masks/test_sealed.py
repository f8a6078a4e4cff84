"""Sealed text: it opens with its key, and with nothing else."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakelogic.masks.base import mask_for
from lakelogic.masks.keys import VARIABLE, Keys, load_keys
from lakelogic.masks.sealed import CannotDecrypt, seal, unseal

# A busy machine is no failure.
CALM = settings(deadline=None)
OLD = "8f14e45fceea167a5a36dedd4bea2543c9f0f895fb98ab9159f51fd0297e236d"
NEW = "45c48cce2e2d7fbdea1afc51c7c6ad26d3d9446802a44259755d38e6d163e820"


def keys(*texts: str) -> Keys:
    return load_keys({VARIABLE: ",".join(texts)})


def encrypted(text: str, held: Keys, *, deterministic: bool = False) -> str:
    stored = mask_for("encrypt", deterministic=deterministic).python(text, held)
    assert stored is not None
    return stored


@CALM
@given(st.text(), st.booleans())
def test_encrypted_text_comes_back(text: str, deterministic: bool) -> None:
    held = keys(OLD)
    assert unseal(encrypted(text, held, deterministic=deterministic), held) == text


def test_equal_values_are_stored_differently_unless_asked_for() -> None:
    held = keys(OLD)
    assert len({encrypted("jane", held) for _ in range(50)}) == 50
    assert len({encrypted("jane", held, deterministic=True) for _ in range(50)}) == 1
    assert encrypted("jane", held, deterministic=True) != encrypted("janet", held, deterministic=True)


def test_the_stored_form_is_key_id_nonce_ciphertext_and_tag() -> None:
    held = keys(OLD)
    body = base64.b64decode(encrypted("jane", held).removeprefix("enc:"), validate=True)
    assert body[:4].hex() == held.ids[0]
    assert len(body) == 4 + 12 + len("jane") + 16


def test_a_value_stored_by_an_earlier_version_still_opens() -> None:
    stored = "enc:0WuLqPVyjF9kqD930DJ7LnDPlkGm++E21s8UVJk5v8ZI4/dD1XSomnl+"
    assert unseal(stored, keys(OLD)) == "jane@x.com"
    assert encrypted("jane@x.com", keys(OLD), deterministic=True) == stored


def test_after_rotation_new_values_use_the_new_key_and_old_ones_still_open() -> None:
    before = encrypted("jane", keys(OLD))
    after = encrypted("bob", keys(NEW, OLD))
    assert unseal(before, keys(NEW, OLD)) == "jane"
    assert unseal(after, keys(NEW)) == "bob"
    with pytest.raises(CannotDecrypt, match="another key"):
        unseal(after, keys(OLD))


def test_another_key_is_named_by_its_id_with_the_cure() -> None:
    with pytest.raises(CannotDecrypt) as refused:
        unseal(encrypted("jane", keys(OLD)), keys(NEW))
    assert keys(OLD).ids[0] in str(refused.value)
    assert VARIABLE in str(refused.value)


@CALM
@given(st.text(max_size=20), st.data())
def test_one_changed_bit_anywhere_is_refused(text: str, data: st.DataObject) -> None:
    held = keys(OLD)
    body = bytearray(base64.b64decode(encrypted(text, held).removeprefix("enc:")))
    bit = data.draw(st.integers(0, len(body) * 8 - 1))
    body[bit // 8] ^= 1 << bit % 8
    with pytest.raises(CannotDecrypt):
        unseal("enc:" + base64.b64encode(body).decode(), held)


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        ("jane@x.com", "not encrypted text"),
        ("", "not encrypted text"),
        ("enc:", "damaged or cut off"),
        ("enc:not base64!", "damaged or cut off"),
        ("enc:AAAA", "damaged or cut off"),
        ("enc:äöü", "damaged or cut off"),
    ],
)
def test_what_is_not_sealed_text_is_refused(stored: str, reason: str) -> None:
    with pytest.raises(CannotDecrypt, match=reason):
        unseal(stored, keys(OLD))


def test_white_space_around_and_inside_does_no_harm() -> None:
    stored = encrypted("jane", keys(OLD))
    assert unseal(f" {stored[:20]}\r\n{stored[20:]}\n", keys(OLD)) == "jane"


def test_a_raw_row_has_a_key_of_its_own_and_opens_the_same_way() -> None:
    held = keys(OLD)
    stored = seal('{"email":"jane@x.com"}', held, "raw")
    assert unseal(stored, held) == '{"email":"jane@x.com"}'
    assert base64.b64decode(stored.removeprefix("enc:"))[:4] == held.secret("raw_id")
    assert held.secret("raw") != held.secret("encrypt")
    assert held.secret("raw_id") != held.secret("encrypt_id")
