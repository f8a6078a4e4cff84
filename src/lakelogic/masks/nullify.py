"""`masking: nullify`: the column stays, its values go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp

from lakelogic.masks.base import Mask, MaskExample, masks
from lakelogic.masks.keys import Keys


@masks.add("nullify")
@dataclass(frozen=True)
class Nullify(Mask):
    """NULL in place of every value; the column keeps its type."""

    kind = "nullify"
    examples: ClassVar[tuple[MaskExample, ...]] = (MaskExample("jane@x.com", None), MaskExample(None, None))

    def expression(self, text: exp.Expr) -> exp.Expr:
        return exp.null()

    def masked(self, text: str, keys: Keys) -> None:
        return None

    def output_type(self, data_type: exp.DataType) -> exp.DataType:
        return data_type

    def apply(self, value: exp.Expr, data_type: exp.DataType) -> exp.Expr:
        # IF keeps the value's own type, also where the plan does not know it.
        return exp.If(this=exp.false(), true=value.copy(), false=exp.null())
