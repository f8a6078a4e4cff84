"""Which types hold every value of which others."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.types import type_name
from lakelogic.sql.typing.lattice import digits_of, is_decimal

_WIDER = {
    "tinyint": ("smallint", "int", "bigint"),
    "smallint": ("int", "bigint"),
    "int": ("bigint",),
    "float": ("double",),
}


def fits(narrow: exp.DataType, wide: exp.DataType) -> bool:
    """Whether every value of a type can be stored in another as it is."""
    has, gets = type_name(wide), type_name(narrow)
    return has == gets or has in _WIDER.get(gets, ()) or _more_digits(wide, narrow)


def _more_digits(wide: exp.DataType, narrow: exp.DataType) -> bool:
    if not (is_decimal(wide) and is_decimal(narrow)):
        return False
    (digits, scale), (more, scale_there) = digits_of(narrow), digits_of(wide)
    return scale == scale_there and more >= digits
