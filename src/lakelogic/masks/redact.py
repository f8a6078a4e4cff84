"""`masking: redact`: the same words in place of every value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp

from lakelogic.masks.base import Mask, MaskExample, masks
from lakelogic.masks.keys import Keys

REDACTED = "***REDACTED***"


@masks.add("redact")
@dataclass(frozen=True)
class Redact(Mask):
    """`***REDACTED***` in place of every value; NULL stays NULL."""

    kind = "redact"
    examples: ClassVar[tuple[MaskExample, ...]] = (MaskExample("jane@x.com", REDACTED), MaskExample(None, None))

    def expression(self, text: exp.Expr) -> exp.Expr:
        return exp.case().when(exp.not_(exp.Is(this=text.copy(), expression=exp.null())), exp.Literal.string(REDACTED))

    def masked(self, text: str, keys: Keys) -> str:
        return REDACTED
