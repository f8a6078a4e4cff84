"""The error for SQL that DuckDB can't run with Spark's meaning."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.errors import SqlError
from lakelogic.sql.underlining import underlined


def refusal(node: exp.Expr, reason: str, cure: str | None = None) -> SqlError:
    """An error that shows the expression with the part that is refused underlined."""
    advice = f"{cure} Or run" if cure else "Run"
    return SqlError(
        f"duckdb can't run this with the same meaning: {reason}.\n{underlined(node)}\n ",
        cure=f"{advice} this contract with --engine spark.",
    )
