"""The type that a schema in DDL text describes, as FROM_JSON takes it."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from lakelogic.errors import ContractError
from lakelogic.sql.types import UNKNOWN, parse_type
from lakelogic.sql.typing.lattice import normal


def parsed_type(schema: str) -> exp.DataType:
    """A type, or a list of members such as `a INT, b STRING`; unknown where it can't be parsed."""
    for text in (schema, f"struct<{schema}>"):
        try:
            return normal(parse_type(text))
        except (ContractError, ParseError, TokenError):
            continue
    return UNKNOWN
