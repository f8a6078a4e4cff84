"""The original row of a quarantined one: sealed with a key of its own, so that a masked column's key can't open it."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.masks.keys import Keys
from lakelogic.masks.sealed import seal, seal_expression, seal_secrets

RAW_SECRETS = seal_secrets("raw")


def raw_expression(json_text: exp.Expr) -> exp.Expr:
    """The row's JSON text, sealed in Spark SQL."""
    return seal_expression(json_text, "raw")


def seal_raw(json_text: str, keys: Keys) -> str:
    """The row's JSON text, sealed in Python."""
    return seal(json_text, keys, "raw")
