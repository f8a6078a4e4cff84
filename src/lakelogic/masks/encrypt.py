"""`masking: encrypt`: AES-256-GCM, which those who hold the key can undo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp

from lakelogic.masks.base import Mask, MaskExample, Secret, masks
from lakelogic.masks.keyed import hmac_expression, hmac_secrets, hmac_text
from lakelogic.masks.keys import Keys
from lakelogic.masks.sealed import NONCE_BYTES, seal, seal_expression, seal_secrets


@masks.add("encrypt")
@dataclass(frozen=True)
class Encrypt(Mask):
    """`enc:` and base64 of the encrypted value, new for each row; in deterministic mode equal values stay equal."""

    kind = "encrypt"
    reversible = True
    examples: ClassVar[tuple[MaskExample, ...]] = (
        MaskExample("jane@x.com", shape="enc:[A-Za-z0-9+/]{56}"),
        MaskExample(None, None),
    )

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return seal_secrets("encrypt") + (hmac_secrets("nonce") if self.deterministic else ())

    @property
    def joinable(self) -> bool:
        return self.deterministic

    def expression(self, text: exp.Expr) -> exp.Expr:
        return seal_expression(text, "encrypt", _nonce_expression(text) if self.deterministic else None)

    def masked(self, text: str, keys: Keys) -> str:
        return seal(text, keys, "encrypt", _nonce(text, keys) if self.deterministic else None)


def _nonce_expression(text: exp.Expr) -> exp.Expr:
    digits = exp.Left(this=hmac_expression(text, "nonce"), expression=exp.Literal.number(2 * NONCE_BYTES))
    return exp.Unhex(this=digits)


def _nonce(text: str, keys: Keys) -> bytes:
    return bytes.fromhex(hmac_text(text, keys, "nonce"))[:NONCE_BYTES]
