"""`masking: hash`: a keyed fingerprint of the value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp

from lakelogic.masks.base import Mask, MaskExample, Secret, masks
from lakelogic.masks.keyed import hmac_expression, hmac_secrets, hmac_text
from lakelogic.masks.keys import Keys


@masks.add("hash")
@dataclass(frozen=True)
class Hash(Mask):
    """HMAC-SHA-256 of the value as hex: equal values stay equal, nobody without the key can try guesses."""

    kind = "hash"
    examples: ClassVar[tuple[MaskExample, ...]] = (
        MaskExample("jane@x.com", shape="[0-9a-f]{64}"),
        MaskExample(None, None),
    )

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return hmac_secrets("hash")

    @property
    def joinable(self) -> bool:
        return True

    def expression(self, text: exp.Expr) -> exp.Expr:
        return hmac_expression(text, "hash")

    def masked(self, text: str, keys: Keys) -> str:
        return hmac_text(text, keys, "hash")
