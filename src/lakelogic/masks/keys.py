"""The keys that mask and decrypt: read from the environment, refused when weak, never shown."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from lakelogic.errors import SecretMissing

VARIABLE = "LAKELOGIC_PII_KEY"
KEY_BYTES = 32
ID_BYTES = 4

# One master key never serves two algorithms: each purpose has a key of its own, derived from it.
SEALING = ("encrypt", "raw")
HMACS = ("hash", "tokenize", "nonce", "row")

_CURE = 'Make a key and keep it: export LAKELOGIC_PII_KEY=$(python -c "import secrets; print(secrets.token_hex(32))")'
_HMAC_BLOCK = 64
_HEX = re.compile(r"[0-9a-fA-F]*")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{43}")
# 32 random bytes have fewer different ones than this less than once in 10^16 keys.
_FEWEST_DIFFERENT_BYTES = 16


@dataclass(frozen=True, repr=False, eq=False)
class Keys:
    """The keys at hand: the first one masks, all of them decrypt. Shown as ids, never as key material."""

    _rings: tuple[Mapping[str, bytes], ...] = ()

    def __repr__(self) -> str:
        return f"Keys({', '.join(self.ids)})"

    def __reduce__(self) -> str:
        raise TypeError("keys can't be copied or pickled, so that they reach no file.")

    @property
    def ids(self) -> tuple[str, ...]:
        """The public name of each key, as it stands in front of what it has encrypted."""
        return tuple(ring["encrypt_id"].hex() for ring in self._rings)

    def secret_values(self, names: Iterable[str]) -> dict[str, bytes]:
        """Key material of the first key by the names that masks ask for.

        Raises:
            SecretMissing: there is no key.
        """
        if not self._rings:
            raise _missing()
        return {name: self._rings[0][name] for name in names}

    def secret(self, name: str) -> bytes:
        """One piece of key material of the first key.

        Raises:
            SecretMissing: there is no key.
        """
        return self.secret_values([name])[name]

    def openers(self, key_id: bytes) -> list[bytes]:
        """The keys that may open what carries this id; two keys that share one are both tried."""
        return [ring[purpose] for ring in self._rings for purpose in SEALING if ring[f"{purpose}_id"] == key_id]


def secret_names() -> list[str]:
    """Every name that `Keys.secret_values` knows."""
    sealing = [f"{purpose}{part}" for purpose in SEALING for part in ("", "_id")]
    return sealing + [f"{purpose}{part}" for purpose in HMACS for part in ("", "_inner", "_outer")]


def load_keys(environ: Mapping[str, str]) -> Keys:
    """The keys in `LAKELOGIC_PII_KEY`: 32 bytes as hex or base64; several, separated by commas, for rotation.

    Raises:
        SecretMissing: not set, not 32 bytes, or weak.
    """
    texts = [text.strip() for text in environ.get(VARIABLE, "").split(",")]
    if not any(texts):
        raise _missing()
    masters = [_master(text, _place(number, len(texts))) for number, text in enumerate(texts, start=1)]
    return Keys(tuple(_derived(master) for master in dict.fromkeys(masters)))


def _missing() -> SecretMissing:
    return SecretMissing(f"{VARIABLE} is not set.", cure=_CURE)


def _place(number: int, count: int) -> str:
    return f"key {number} of {VARIABLE}" if count > 1 else VARIABLE


def _master(text: str, place: str) -> bytes:
    master = _decoded(text)
    if master is None:
        raise SecretMissing(f"{place} is not {KEY_BYTES} bytes as hex or base64.", cure=_CURE)
    if reason := _weakness(text, master):
        raise SecretMissing(f"{place} is too weak: {reason}.", cure=_CURE)
    return master


def _decoded(text: str) -> bytes | None:
    if len(text) == 2 * KEY_BYTES and _HEX.fullmatch(text):
        return bytes.fromhex(text)
    standard = text.translate(str.maketrans("-_", "+/")).removesuffix("=")
    return b64decode(standard + "=") if _BASE64.fullmatch(standard) else None


def _weakness(text: str, master: bytes) -> str | None:
    half = KEY_BYTES // 2
    if len(set(master)) < _FEWEST_DIFFERENT_BYTES or master[:half] == master[half:]:
        return "it repeats itself"
    steps = {(after - before) % 256 for before, after in pairwise(master)}
    if len(steps) == 1:
        return "it counts up or down"
    if all(32 <= byte < 127 for byte in master):
        return "it is readable text, and a key is random bytes"
    if not _HEX.fullmatch(text) and (text.islower() or text.isupper()):
        return "it looks like a phrase, and a key is random bytes"
    return None


def _derived(master: bytes) -> dict[str, bytes]:
    material: dict[str, bytes] = {}
    for purpose in SEALING:
        material[purpose] = _subkey(master, purpose)
        material[f"{purpose}_id"] = _subkey(master, f"{purpose}-id")[:ID_BYTES]
    for purpose in HMACS:
        key = _subkey(master, purpose)
        padded = key.ljust(_HMAC_BLOCK, b"\0")
        material[purpose] = key
        # The two padded keys of RFC 2104, for engines that have SHA-256 but no HMAC.
        material[f"{purpose}_inner"] = bytes(byte ^ 0x36 for byte in padded)
        material[f"{purpose}_outer"] = bytes(byte ^ 0x5C for byte in padded)
    return material


def _subkey(master: bytes, purpose: str) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), KEY_BYTES, salt=None, info=f"lakelogic/1/{purpose}".encode()).derive(master)
