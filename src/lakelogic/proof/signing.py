"""Ed25519 signatures over canonical JSON."""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lakelogic.errors import SecretMissing, UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

VARIABLE = "LAKELOGIC_SIGNING_KEY"
_BYTES = 32


def new_key() -> tuple[str, str]:
    """A new key and its public half, both as base64."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    return b64encode(key.private_bytes_raw()).decode(), _public(key)


def sign(document: Mapping[str, object]) -> dict[str, str] | None:
    """The signature of a document with the key in LAKELOGIC_SIGNING_KEY; None where there is no key.

    Raises:
        SecretMissing: the key is not 32 bytes as hex or base64.
    """
    if (key := _own_key()) is None:
        return None
    signed = b64encode(key.sign(canonical(document))).decode()
    return {"algorithm": "Ed25519", "public_key": _public(key), "value": signed}


def is_signed_by(document: Mapping[str, object], signature: Mapping[str, str], public_key: str) -> bool:
    """Whether a document is as it was when the holder of a key signed it."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        known = Ed25519PublicKey.from_public_bytes(_decoded(public_key))
        known.verify(b64decode(signature["value"]), canonical(document))
    except (InvalidSignature, NotBase64, ValueError):
        return False
    return True


def trusted_key(given: str | None) -> str | None:
    """The public key that a signature is compared with: as given, else that of our own key; None where neither is there.

    Raises:
        UsageError: what was given is no key.
    """
    if given is None:
        key = _own_key()
        return _public(key) if key else None
    try:
        return b64encode(_decoded(given)).decode()
    except ValueError:
        raise UsageError("--public-key is not 32 bytes as hex or base64.", cure="`--new-key` prints one.") from None


def canonical(document: Mapping[str, object]) -> bytes:
    """One text for one document."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _own_key() -> Ed25519PrivateKey | None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return None
    try:
        return Ed25519PrivateKey.from_private_bytes(_decoded(text))
    except ValueError:
        raise SecretMissing(
            f"{VARIABLE} is not {_BYTES} bytes as hex or base64.", cure="Make one: lakelogic prove --new-key"
        ) from None


def _public(key: Ed25519PrivateKey) -> str:
    return b64encode(key.public_key().public_bytes_raw()).decode()


def _decoded(text: str) -> bytes:
    text = text.strip()
    found = bytes.fromhex(text) if len(text) == 2 * _BYTES else b64decode(text, validate=True)
    if len(found) != _BYTES:
        raise ValueError(f"{len(found)} bytes")
    return found
