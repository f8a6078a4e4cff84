"""The error for SQL that DuckDB can't run with Spark's meaning."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.errors import SqlError
from lakelogic.sql.build import readable

_WIDTH = 100


def refusal(node: exp.Expr, reason: str, cure: str | None = None) -> SqlError:
    """An error that shows the expression with the part that is refused underlined."""
    part = _shown(node)
    around = part
    above = node.parent
    while above is not None and not isinstance(above, exp.Select):
        wider = _shown(above)
        if len(wider) > _WIDTH:
            break
        around, above = wider, above.parent
    start = max(around.find(part), 0)
    underline = " " * start + "^" * min(len(part), _WIDTH)
    advice = f"{cure} Or run" if cure else "Run"
    return SqlError(
        f"duckdb can't run this with the same meaning: {reason}.\n  {around[:_WIDTH]}\n  {underline}\n ",
        cure=f"{advice} this contract with --engine spark.",
    )


def _shown(node: exp.Expr) -> str:
    return readable(node).replace("TRY_CAST", "CAST").replace("\n", " ")
