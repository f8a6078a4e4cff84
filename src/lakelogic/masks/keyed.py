"""HMAC-SHA-256 with a key of its own for each purpose, in Spark SQL and in Python."""

from __future__ import annotations

import hashlib
import hmac

from sqlglot import exp

from lakelogic.masks.base import Secret
from lakelogic.masks.keys import Keys
from lakelogic.sql.types import BINARY


def hmac_secrets(purpose: str) -> tuple[Secret, ...]:
    """The padded keys that `hmac_expression` reads."""
    return Secret(f"{purpose}_inner"), Secret(f"{purpose}_outer")


def hmac_expression(text: exp.Expr, purpose: str) -> exp.Expr:
    """The HMAC of a text as hex; written out as RFC 2104 does, because Spark has SHA-256 but no HMAC."""
    inner, outer = (secret.column() for secret in hmac_secrets(purpose))
    digest = exp.Unhex(this=_sha256(exp.Concat(expressions=[inner, exp.cast(text, BINARY)])))
    return _sha256(exp.Concat(expressions=[outer, digest]))


def hmac_text(text: str, keys: Keys, purpose: str) -> str:
    """The HMAC of a text as hex."""
    return hmac.new(keys.secret(purpose), text.encode(), hashlib.sha256).hexdigest()


def _sha256(data: exp.Expr) -> exp.Expr:
    return exp.SHA2(this=data, length=exp.Literal.number(256))
