"""`masking: tokenize`: a short stand-in that can be joined on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp

from lakelogic.masks.base import Mask, MaskExample, Secret, masks
from lakelogic.masks.keyed import hmac_expression, hmac_secrets, hmac_text
from lakelogic.masks.keys import Keys

PREFIX = "tok_"
_DIGITS = 32


@masks.add("tokenize")
@dataclass(frozen=True)
class Tokenize(Mask):
    """`tok_` and 32 hex digits: the same token for the same value, with no way back."""

    kind = "tokenize"
    examples: ClassVar[tuple[MaskExample, ...]] = (
        MaskExample("jane@x.com", shape="tok_[0-9a-f]{32}"),
        MaskExample(None, None),
    )

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return hmac_secrets("tokenize")

    @property
    def joinable(self) -> bool:
        return True

    def expression(self, text: exp.Expr) -> exp.Expr:
        digits = exp.Left(this=hmac_expression(text, "tokenize"), expression=exp.Literal.number(_DIGITS))
        return exp.Concat(expressions=[exp.Literal.string(PREFIX), digits])

    def masked(self, text: str, keys: Keys) -> str:
        return PREFIX + hmac_text(text, keys, "tokenize")[:_DIGITS]
