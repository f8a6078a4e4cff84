"""LIKE without a regular expression, where Spark would make one."""

from __future__ import annotations

from sqlglot import exp

# Wildcards that stand for one character, and escapes, keep their regular expression.
_OTHER = "_\\"
_MOST_PARTS = 4


def found_in_turn(node: exp.Expr) -> exp.Expr:
    """`x LIKE '%@%.%'` as positions of its parts, each after the one before; any other node as it is.

    Spark compares texts itself for a pattern with one part. For more it makes a regular expression, which costs about
    two and a half times as much as looking for the parts.
    """
    if not isinstance(node, exp.Like) or not isinstance(pattern := node.expression, exp.Literal):
        return node
    pieces = pattern.this.split("%")
    parts = [piece for piece in pieces if piece]
    if pieces[0] or pieces[-1] or not 2 <= len(parts) <= _MOST_PARTS or any(sign in pattern.this for sign in _OTHER):
        return node
    places: list[exp.Expr] = []
    for number, part in enumerate(parts):
        begin = [_after(places[-1], parts[number - 1])] if places else []
        places.append(exp.Anonymous(this="LOCATE", expressions=[exp.Literal.string(part), node.this.copy(), *begin]))
    return exp.paren(exp.and_(*(exp.GT(this=place, expression=_number(0)) for place in places)))


def _after(place: exp.Expr, part: str) -> exp.Expr:
    """Where to go on. Of a NULL, LOCATE from the beginning gives NULL, but from NULL it gives 0."""
    return exp.Coalesce(this=exp.Add(this=place.copy(), expression=_number(len(part))), expressions=[_number(1)])


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)
