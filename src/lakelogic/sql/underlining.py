"""An expression for people, with a part of it underlined."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.build import readable

_WIDTH = 100


def underlined(node: exp.Expr) -> str:
    """Two lines: the expression around a node, as far as it fits, and marks below the node."""
    part = _shown(node)
    around = part
    above = node.parent
    while above is not None and not isinstance(above, exp.Select):
        wider = _shown(above)
        if len(wider) > _WIDTH:
            break
        around, above = wider, above.parent
    start = max(around.find(part), 0)
    return f"  {around[:_WIDTH]}\n  {' ' * start}{'^' * min(len(part), _WIDTH)}"


def _shown(node: exp.Expr) -> str:
    return readable(node).replace("TRY_CAST", "CAST").replace("\n", " ")
