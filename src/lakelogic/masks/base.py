"""What a masking strategy is: a model, and a pure function from a value to an expression."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp

from lakelogic.registry import Registry
from lakelogic.sql.types import STRING

masks: Registry[type[Mask]] = Registry("mask", "lakelogic.masks")


@dataclass(frozen=True)
class Secret:
    """A piece of key material by name; the engine brings it in as a column of a one-row relation, never as a literal."""

    name: str

    def column(self) -> exp.Column:
        return exp.column(exp.to_identifier(f"_ll_key_{self.name}", quoted=True))


@dataclass(frozen=True)
class Mask(ABC):
    """A way to make a value unreadable. `options` are the field's `masking_format` and the like."""

    kind: ClassVar[str]
    reversible: ClassVar[bool] = False
    secrets: ClassVar[tuple[Secret, ...]] = ()

    format: str | None = None
    deterministic: bool = False

    @abstractmethod
    def expression(self, text: exp.Expression) -> exp.Expression:
        """The masked value in Spark SQL; `text` is the value cast to string, NULL stays NULL."""

    def output_type(self, data_type: exp.DataType) -> exp.DataType:
        """The stored type of a masked column."""
        return STRING

    @abstractmethod
    def python(self, text: str | None, keys: object) -> str | None:
        """The same mask in Python, for the light engines and as the test's oracle."""
