"""The relations that a query names, as the views that a session has of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lakelogic.sql.build import quoted

# What may hold any text, then the places where a query names a relation: columns are always quoted there, so that a
# name without quotes is never one. A variable of a lambda may follow a comma too.
_TEXT = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`"""
_RELATION = r"(?P<before>\bFROM\s+|\bJOIN\s+|,\s*)(?P<name>[A-Za-z_]\w*)(?P<after>\s+AS\b)?(?!\s*(?:->|\(|\.))\b"
_PIECES = re.compile(f"{_TEXT}|{_RELATION}", re.IGNORECASE)
_BARE = re.compile(r"[A-Za-z_]\w*")


def named(sql: str, views: Mapping[str, str]) -> str:
    """The query over views in place of the relations' own names.

    Not by a WITH clause where it can be helped: Spark loses sight of one in queries over rows that are kept.
    """
    bare = {name.lower(): view for name, view in views.items() if _BARE.fullmatch(name)}

    def replaced(found: re.Match[str]) -> str:
        name = found["name"]
        if name is None or (view := bare.get(name.lower())) is None:
            return found[0]
        return f"{found['before']}{view}{found['after'] or f' AS {name}'}"

    text = _PIECES.sub(replaced, sql)
    others = [f"{quoted(name)} AS (SELECT * FROM {view})" for name, view in views.items() if quoted(name) in sql]
    return f"WITH {', '.join(others)} SELECT * FROM ({text})" if others else text
