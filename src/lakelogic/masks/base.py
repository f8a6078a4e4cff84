"""What a masking strategy is: a model, and a pure function from a value to an expression."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.masks.keys import Keys
from lakelogic.registry import Registry
from lakelogic.sql.types import STRING, is_nested

masks: Registry[type[Mask]] = Registry("mask", "lakelogic.masks")


@dataclass(frozen=True)
class Secret:
    """A piece of key material by name; an engine brings it in as a column of a one-row relation, never as a literal."""

    name: str

    @property
    def column_name(self) -> str:
        return f"_ll_key_{self.name}"

    def column(self) -> exp.Column:
        return exp.column(exp.to_identifier(self.column_name, quoted=True))


@dataclass(frozen=True)
class MaskExample:
    """A value and what is stored for it; `shape` is a regular expression, where that depends on the key."""

    value: str | None
    stored: str | None = None
    shape: str | None = None
    format: str | None = None


@dataclass(frozen=True)
class Mask(ABC):
    """A way to make a value unreadable. `format` is the field's `masking_format`."""

    kind: ClassVar[str]
    reversible: ClassVar[bool] = False
    takes_format: ClassVar[bool] = False
    examples: ClassVar[tuple[MaskExample, ...]] = ()

    format: str | None = None
    deterministic: bool = False

    def __post_init__(self) -> None:
        if self.format is not None and not self.takes_format:
            raise ContractError(
                f"masking_format has no meaning for masking '{self.kind}'.",
                cure="Use 'masking: partial', or drop masking_format.",
            )

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """The key material that the expression reads."""
        return ()

    @property
    def joinable(self) -> bool:
        """Whether equal values, and only those, are stored as equal text: what a key or a tracked column needs."""
        return False

    @abstractmethod
    def expression(self, text: exp.Expr) -> exp.Expr:
        """The masked value in Spark SQL; `text` is the value as text, NULL stays NULL."""

    @abstractmethod
    def masked(self, text: str, keys: Keys) -> str | None:
        """The same mask in Python, bit for bit."""

    def python(self, text: str | None, keys: Keys) -> str | None:
        """The mask in Python, which decides what every engine must store; NULL stays NULL."""
        return None if text is None else self.masked(text, keys)

    def output_type(self, data_type: exp.DataType) -> exp.DataType:
        """The stored type of a masked column."""
        return STRING

    def apply(self, value: exp.Expr, data_type: exp.DataType) -> exp.Expr:
        """The masked value of a column of any type, in its stored type."""
        stored = self.output_type(data_type)
        expression = self.expression(as_text(value, data_type))
        return expression if stored == STRING else exp.cast(expression, stored)


def mask_for(kind: str, format: str | None = None, deterministic: bool = False) -> Mask:
    """The mask that a field asks for with `masking` and `masking_format`.

    Raises:
        UsageError: no such masking.
        ContractError: the format is wrong, or this masking takes none.
    """
    return masks.get(kind)(format=format, deterministic=deterministic)


def as_text(value: exp.Expr, data_type: exp.DataType) -> exp.Expr:
    """A value of any type as the text that is masked: JSON for nested ones, base64 for bytes."""
    if data_type.this in exp.DataType.TEXT_TYPES:
        return value
    if is_nested(data_type):
        return exp.JSONFormat(this=value.copy())
    if data_type.this in (exp.DataType.Type.BINARY, exp.DataType.Type.VARBINARY):
        return base64_text(value)
    return exp.cast(value, STRING)


def base64_text(data: exp.Expr) -> exp.Expr:
    """Bytes as base64 in one line."""
    # Spark breaks base64 into lines of 76 characters, unless a setting says otherwise.
    lines = exp.ToBase64(this=data.copy())
    return exp.Replace(this=lines, expression=exp.Literal.string("\r\n"), replacement=exp.Literal.string(""))
