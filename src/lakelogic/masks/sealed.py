"""Sealed text: `enc:` + base64 of key id, nonce, ciphertext and tag (AES-256-GCM), the same on every engine."""

from __future__ import annotations

import os
from base64 import b64decode, b64encode

from sqlglot import exp

from lakelogic.errors import LakeLogicError
from lakelogic.masks.base import Secret, base64_text
from lakelogic.masks.keys import ID_BYTES, VARIABLE, Keys
from lakelogic.sql.types import BINARY

PREFIX = "enc:"
NONCE_BYTES = 12
_TAG_BYTES = 16


class CannotDecrypt(LakeLogicError):
    """Sealed text is damaged, or none of the keys at hand opens it."""

    code = "decrypt"


def seal_secrets(purpose: str) -> tuple[Secret, ...]:
    """The key and its id that `seal_expression` reads."""
    return Secret(purpose), Secret(f"{purpose}_id")


def seal_expression(text: exp.Expr, purpose: str, nonce: exp.Expr | None = None) -> exp.Expr:
    """A text, sealed in Spark SQL; without a nonce Spark draws a random one for each row."""
    key, key_id = (secret.column() for secret in seal_secrets(purpose))
    arguments = [exp.cast(text, BINARY), key, exp.Literal.string("GCM"), exp.Literal.string("DEFAULT")]
    sealed = exp.Anonymous(this="AES_ENCRYPT", expressions=arguments if nonce is None else [*arguments, nonce])
    body = base64_text(exp.Concat(expressions=[key_id, sealed]))
    return exp.Concat(expressions=[exp.Literal.string(PREFIX), body])


def seal(text: str, keys: Keys, purpose: str, nonce: bytes | None = None) -> str:
    """A text, sealed with the first key; without a nonce a random one is drawn."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(NONCE_BYTES) if nonce is None else nonce
    sealed = AESGCM(keys.secret(purpose)).encrypt(nonce, text.encode(), None)
    return PREFIX + b64encode(keys.secret(f"{purpose}_id") + nonce + sealed).decode()


def unseal(stored: str, keys: Keys) -> str:
    """The text that was sealed, with whichever key it names.

    Raises:
        CannotDecrypt: not sealed text, damaged, or sealed with a key that is not at hand.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    key_id, nonce, sealed = _parts(stored)
    openers = keys.openers(key_id)
    if not openers:
        raise CannotDecrypt(
            f"encrypted with another key (id {key_id.hex()}).", cure=f"Add that key to {VARIABLE}, after a comma."
        )
    for key in openers:
        try:
            return AESGCM(key).decrypt(nonce, sealed, None).decode()
        except InvalidTag:
            continue
    raise CannotDecrypt(
        f"the key has the right id ({key_id.hex()}), but the text was changed after encryption.",
        cure="Take the stored value as it is, whole.",
    )


def _parts(stored: str) -> tuple[bytes, bytes, bytes]:
    text = "".join(stored.split())
    if not text.startswith(PREFIX):
        raise CannotDecrypt("not encrypted text.", cure=f"It begins with '{PREFIX}'.")
    try:
        body = b64decode(text.removeprefix(PREFIX), validate=True)
    except ValueError:
        body = b""
    if len(body) < ID_BYTES + NONCE_BYTES + _TAG_BYTES:
        raise CannotDecrypt("the encrypted text is damaged or cut off.", cure="Take the stored value as it is, whole.")
    return (body[:ID_BYTES], body[ID_BYTES : ID_BYTES + NONCE_BYTES], body[ID_BYTES + NONCE_BYTES :])
