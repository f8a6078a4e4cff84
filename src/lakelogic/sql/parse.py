"""Spark SQL from a contract, parsed once; errors underline what was written."""

from __future__ import annotations

import re

from sqlglot import exp, parse
from sqlglot.errors import ParseError, TokenError

from lakelogic.errors import SqlError
from lakelogic.sql.guard import check_functions, check_nodes
from lakelogic.sql.plain import too_deep
from lakelogic.sql.regular_expressions import refuse_broken_patterns
from lakelogic.sql.shape import refuse_beyond_row

DIALECT = "spark"
# Each level takes a few calls of Python within each other, of which there may be a thousand.
_DEEPEST = 200
# The parser names its own classes here, which tell a user nothing.
_INNER = re.compile(r"Required keyword: '\w+' missing for .*")


def parse_condition(text: str) -> exp.Expr:
    """An expression over one row, such as a rule: `email LIKE '%@%.%'`.

    Raises:
        SqlError: malformed, not one expression, over several rows, or not allowed.
    """
    tree = parse_expression(text)
    refuse_beyond_row(tree, "each row is judged by itself", "Write a dataset rule, or derive a column first.")
    return tree


def parse_expression(text: str) -> exp.Expr:
    """A bare expression, which may look at other rows through a window.

    Raises:
        SqlError: malformed, not one expression, or not allowed.
    """
    tree = _parse_one(text)
    if isinstance(tree, exp.Query):
        raise SqlError(f"an expression is expected, not a SELECT: {text}", cure="Write the condition alone.")
    if isinstance(tree, exp.Alias):
        raise SqlError(f"the expression has a name of its own: {text}", cure=f"Drop 'AS {tree.alias}'.")
    check_nodes(tree, text)
    return tree


def parse_projection(text: str) -> tuple[str, exp.Expr] | exp.Query:
    """A `sql:` transformation: `expr AS name`, or a whole `SELECT … FROM source`.

    Raises:
        SqlError: malformed, unnamed, or not allowed.
    """
    tree = _parse_one(text)
    check_nodes(tree, text)
    if isinstance(tree, exp.Query):
        return tree
    if isinstance(tree, exp.Alias):
        return tree.alias, tree.this
    if isinstance(tree, exp.Column):
        return tree.name, tree
    raise SqlError(
        f"the expression has no name: {text}", cure="Write 'expression AS column', or 'SELECT … FROM source'."
    )


def parse_scalar(text: str) -> exp.Expr:
    """A dataset rule's SQL: one aggregate expression, or a SELECT that yields one value."""
    tree = _parse_one(text)
    check_nodes(tree, text)
    return tree.this if isinstance(tree, exp.Alias) else tree


def _parse_one(text: str) -> exp.Expr:
    if not text.strip():
        raise SqlError("the SQL is empty.")
    try:
        check_functions(text)
        trees = [tree for tree in parse(text, read=DIALECT) if tree is not None]
    except RecursionError:
        raise too_deep(text) from None
    except TokenError:
        raise SqlError(f"SQL syntax error: a quote or a comment is not closed\n  {text}") from None
    except ParseError as error:
        raise SqlError(_underlined(text, error)) from None
    if len(trees) != 1:
        raise SqlError(f"the SQL holds {len(trees)} statements, not one.", cure="Remove everything after ';'.")
    if _depth(trees[0]) > _DEEPEST:
        raise too_deep(text)
    refuse_broken_patterns(trees[0])
    return trees[0]


def _depth(tree: exp.Expr) -> int:
    deepest, left = 0, [(tree, 1)]
    while left:
        node, depth = left.pop()
        deepest = max(deepest, depth)
        left += [(child, depth + 1) for child in node.iter_expressions()]
    return deepest


def _underlined(text: str, error: ParseError) -> str:
    detail = error.errors[0] if error.errors else {}
    line, column = detail.get("line"), detail.get("col")
    reason = _INNER.sub("something is missing", detail.get("description") or "can't be parsed").rstrip(".")
    if not line or not column:
        return f"SQL syntax error: {reason}: {text}"
    source = text.splitlines()[line - 1]
    width = max(len(detail.get("highlight") or ""), 1)
    start = max(column - width, 0)
    return f"SQL syntax error: {reason}\n  {source}\n  {' ' * start}{'^' * width}"
