"""The original row of a quarantined one: sealed with a key of its own, so that a masked column's key can't open it.

Its id is made from what the row says, and keyed with it: nobody without the key can try guesses.
"""

from __future__ import annotations

from sqlglot import exp

from lakelogic.masks.keyed import hmac_expression, hmac_secrets
from lakelogic.masks.sealed import seal_expression, seal_secrets

RAW_SECRETS = (*seal_secrets("raw"), *hmac_secrets("row"))
_ID_LENGTH = 24


def raw_expression(json_text: exp.Expr) -> exp.Expr:
    """The row's JSON text, sealed in Spark SQL."""
    return seal_expression(json_text, "raw")


def row_id_expression(text: exp.Expr, *, keyed: bool) -> exp.Expr:
    """A short fingerprint of a text."""
    digest = hmac_expression(text, "row") if keyed else exp.SHA2(this=text, length=exp.Literal.number(256))
    return exp.Substring(this=digest, start=exp.Literal.number(1), length=exp.Literal.number(_ID_LENGTH))
