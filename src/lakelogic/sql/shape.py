"""What kind of expression it is: of one row, of many rows, a condition."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.errors import SqlError

# Aggregates that the parser knows no class for.
_AGGREGATES = frozenset({"every", "mean", "some", "std", "try_avg", "try_sum"})
_GENERATORS = (exp.UDTF, exp.Explode, exp.Posexplode, exp.Inline)
_CONDITIONS = (exp.Predicate, exp.Connector, exp.Not, exp.LogicalAnd, exp.LogicalOr, exp.StartsWith, exp.EndsWith)


def refuse_beyond_row(tree: exp.Expr, because: str, cure: str, *, windows: bool = False) -> None:
    """Refuses what can't be told from one row alone, but for windows where they are allowed.

    Raises:
        SqlError: an aggregate, a window or a function that yields rows.
    """
    found = bare_aggregate(tree) or generator(tree) or (None if windows else tree.find(exp.Window))
    if found is not None:
        raise SqlError(f"{because}, so {found.sql('spark')} is not allowed: {tree.sql('spark')}", cure=cure)


def aggregate(tree: exp.Expr) -> exp.Expr | None:
    """The first aggregate in it."""
    return next((node for node in tree.walk() if _is_aggregate(node)), None)


def bare_aggregate(tree: exp.Expr) -> exp.Expr | None:
    """The first aggregate in it that is not over a window."""
    bare = (node for node in tree.walk() if _is_aggregate(node) and not node.find_ancestor(exp.Window))
    return next(bare, None)


def generator(tree: exp.Expr) -> exp.Expr | None:
    """The first function in it that yields rows, such as EXPLODE."""
    return tree.find(*_GENERATORS)


def is_condition(tree: exp.Expr) -> bool:
    """Whether it is true or false rather than a number or text."""
    return isinstance(tree.unnest(), _CONDITIONS)


def unaggregated(tree: exp.Expr) -> str | None:
    """A column that stands outside every aggregate."""
    for column in tree.find_all(exp.Column):
        if not any(_is_aggregate(node) for node in _ancestors(column)):
            return column.sql("spark")
    return None


def _is_aggregate(node: exp.Expr) -> bool:
    by_name = isinstance(node, exp.Anonymous) and node.name.lower() in _AGGREGATES
    return by_name or isinstance(node, (exp.AggFunc, exp.Any))


def _ancestors(node: exp.Expr) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    while (parent := node.parent) is not None:
        found.append(parent)
        node = parent
    return found
