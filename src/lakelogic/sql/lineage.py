"""Which columns a query makes from which."""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp


def derived_from(query: exp.Query, names: Collection[str]) -> set[str]:
    """Output names, lowered, whose values may come from one of these columns.

    Tables are not told apart and every part of an expression counts, so that it names too many rather than too few.
    """
    touched = {name.lower() for name in names}
    if not touched:
        return set()
    # An inner query may give a name that the outer one reads, and comes after it in the tree.
    while True:
        found = {
            output.output_name.lower()
            for select in query.find_all(exp.Select)
            for output in select.selects
            if output.output_name and _reads(output, touched)
        }
        if found <= touched:
            outer = {name.lower() for name in query.named_selects}
            return {name for name in touched if name in outer or "*" in outer}
        touched |= found


def _reads(output: exp.Expr, touched: set[str]) -> bool:
    return any(column.name.lower() in touched for column in output.find_all(exp.Column))
