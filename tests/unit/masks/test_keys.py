"""Keys: what is accepted, what is refused, and that they are never shown."""

from __future__ import annotations

import base64
import copy
import hashlib
import pickle
import secrets

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakelogic.errors import SecretMissing
from lakelogic.masks.keys import VARIABLE, Keys, load_keys, secret_names

# A busy machine is no failure.
CALM = settings(deadline=None)
MASTER = bytes.fromhex("8f14e45fceea167a5a36dedd4bea2543c9f0f895fb98ab9159f51fd0297e236d")


def keys(*texts: str) -> Keys:
    return load_keys({VARIABLE: ",".join(texts)})


@pytest.mark.parametrize(
    "text",
    [
        MASTER.hex(),
        MASTER.hex().upper(),
        base64.b64encode(MASTER).decode(),
        base64.urlsafe_b64encode(MASTER).decode(),
        base64.urlsafe_b64encode(MASTER).decode().rstrip("="),
        f"  {MASTER.hex()}\n",
    ],
)
def test_every_spelling_of_a_key_gives_the_same_material(text: str) -> None:
    names = secret_names()
    assert keys(text).secret_values(names) == keys(MASTER.hex()).secret_values(names)


@CALM
@given(st.binary())
def test_random_keys_are_accepted_in_every_spelling(seed: bytes) -> None:
    master = hashlib.sha256(seed).digest()
    spellings = [master.hex(), base64.b64encode(master).decode(), base64.urlsafe_b64encode(master).decode()]
    assert len({keys(text).ids for text in spellings}) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("00" * 32, "repeats itself"),
        ("deadbeef" * 8, "repeats itself"),
        ("0123456789abcdef" * 4, "repeats itself"),
        (MASTER[:16].hex() * 2, "repeats itself"),
        (bytes(range(32)).hex(), "counts up or down"),
        (bytes(range(200, 168, -1)).hex(), "counts up or down"),
        (bytes(range(0, 96, 3)).hex(), "counts up or down"),
        (b"correct horse battery staple 123".hex(), "readable text"),
        (base64.b64encode(b"correct horse battery staple 123").decode(), "readable text"),
        ("correct/horse/battery/staple/and/one/word/x", "looks like a phrase"),
    ],
)
def test_a_weak_key_is_refused_with_the_cure(text: str, reason: str) -> None:
    with pytest.raises(SecretMissing, match=reason) as refused:
        keys(text)
    assert "token_hex(32)" in str(refused.value)
    assert VARIABLE in str(refused.value)


@pytest.mark.parametrize(
    "text",
    ["hunter2", "a passphrase of thirty-two chars", MASTER.hex()[:-2], MASTER.hex() + "00", MASTER.hex()[:-1] + "g"],
)
def test_what_is_not_32_bytes_is_refused(text: str) -> None:
    with pytest.raises(SecretMissing, match="is not 32 bytes as hex or base64"):
        keys(text)


@pytest.mark.parametrize("environ", [{}, {VARIABLE: ""}, {VARIABLE: " , "}])
def test_a_missing_key_is_one_line_that_names_the_variable(environ: dict[str, str]) -> None:
    with pytest.raises(SecretMissing) as missing:
        load_keys(environ)
    assert str(missing.value).startswith(VARIABLE)
    assert "\n" not in str(missing.value)


@pytest.mark.parametrize("bad", ["", "hunter2", "00" * 32])
def test_the_message_says_which_of_several_keys_is_wrong(bad: str) -> None:
    with pytest.raises(SecretMissing, match=f"key 2 of {VARIABLE}"):
        keys(MASTER.hex(), bad)


@pytest.mark.parametrize("bad", ["hunter2-hunter2", b"correct horse battery staple 123".hex(), "deadbeef" * 8])
def test_a_refusal_never_shows_the_key(bad: str) -> None:
    with pytest.raises(SecretMissing) as refused:
        keys(bad)
    assert bad not in str(refused.value)
    assert bad not in repr(refused.value)
    assert refused.value.__cause__ is None


def test_no_two_pieces_of_key_material_are_equal_or_the_master() -> None:
    names = secret_names()
    material = [*keys(MASTER.hex()).secret_values(names).values(), MASTER]
    assert len(set(material)) == len(names) + 1


def test_keys_show_their_ids_only() -> None:
    held = keys(MASTER.hex())
    shown = f"{held} {held!r} {held:}"
    assert held.ids[0] in shown
    for name in secret_names():
        value = held.secret(name)
        assert name.endswith("_id") or value.hex() not in shown
        assert repr(value) not in shown


@pytest.mark.parametrize("leak", [pickle.dumps, copy.copy, copy.deepcopy])
def test_keys_can_not_be_pickled_or_copied(leak: object) -> None:
    assert callable(leak)
    with pytest.raises(TypeError, match="can't be copied"):
        leak(keys(MASTER.hex()))


def test_without_a_key_asking_for_material_names_the_variable() -> None:
    with pytest.raises(SecretMissing, match=VARIABLE):
        Keys().secret("encrypt")


def test_the_first_key_gives_the_material() -> None:
    other = secrets.token_bytes(32)
    names = secret_names()
    assert keys(other.hex(), MASTER.hex()).secret_values(names) == keys(other.hex()).secret_values(names)


def test_the_derivation_stays_what_it_is_or_stored_data_is_lost() -> None:
    held = keys(MASTER.hex())
    assert held.secret("encrypt").hex() == "bd5789ced8a873bf4825a93f695127d0f9dfdeef704ddced5093d01be808656a"
    assert held.secret("raw").hex() == "6d0b5dc9f1b165699644793ddfa685bb2c50c7282f8363c8b29a711947af98eb"
    assert held.secret("hash").hex() == "d55b5df85d6018a2836265f6b7cf60f397df71341f9f31d3d013e2874d232600"
    assert held.secret("tokenize").hex() == "8cde6611ea5967f0d87436dc7957c6d4d2b45dc9d706822ffc09a80fa9db6576"
    assert held.secret("nonce").hex() == "409ef02f7595f93b1eaa60332160745020a3436ab28cff647783349ad3756a4e"
    assert (held.secret("encrypt_id").hex(), held.secret("raw_id").hex()) == ("d16b8ba8", "b5eae307")
