"""`masking: none`: the value is stored as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp

from lakelogic.masks.base import Mask, MaskExample, masks
from lakelogic.masks.keys import Keys


@masks.add("none")
@dataclass(frozen=True)
class NoMask(Mask):
    """The value is stored as it is."""

    kind = "none"
    examples: ClassVar[tuple[MaskExample, ...]] = (MaskExample("jane@x.com", "jane@x.com"), MaskExample(None, None))

    @property
    def joinable(self) -> bool:
        return True

    def expression(self, text: exp.Expr) -> exp.Expr:
        return text

    def masked(self, text: str, keys: Keys) -> str:
        return text

    def output_type(self, data_type: exp.DataType) -> exp.DataType:
        return data_type

    def apply(self, value: exp.Expr, data_type: exp.DataType) -> exp.Expr:
        return value
