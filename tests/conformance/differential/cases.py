"""The expressions of the differential suite, a file for each family; a line that begins with `!` must be refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from lakelogic.sql.parse import parse_expression, parse_projection, parse_scalar
from lakelogic.sql.resolve import resolve_expression, resolve_select
from lakelogic.sql.types import Columns

_FOLDER = Path(__file__).parent / "cases"
ROW_WISE = ("logic", "numbers", "text", "time", "casts", "nested", "documents", "windows")
FAMILIES = (*ROW_WISE, "aggregates", "queries")


@dataclass(frozen=True)
class Case:
    """An expression, or a whole query in the family `queries`."""

    family: str
    sql: str
    refused: bool = False

    def tree(self, columns: Columns) -> exp.Expr:
        """The tree as a contract's planner would hand it to an engine."""
        if self.family == "queries":
            parsed = parse_projection(self.sql)
            assert isinstance(parsed, exp.Query)
            return resolve_select(parsed, columns, {}).select
        parse = parse_scalar if self.family == "aggregates" else parse_expression
        return resolve_expression(parse(self.sql), columns)


def cases(*families: str) -> list[Case]:
    """The cases of some families, or of all."""
    return [case for family in families or FAMILIES for case in _read(family)]


def _read(family: str) -> list[Case]:
    lines = (_FOLDER / f"{family}.sql").read_text("utf-8").splitlines()
    return [Case(family, line.removeprefix("! "), line.startswith("! ")) for line in lines if line.strip()]


# Java and C round the last digit of these differently; docs/portability.md says so.
_TRANSCENDENTAL = re.compile(
    r"\b(exp|ln|log|log10|log2|pow|power|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|cbrt|degrees|radians)\("
)
# The order in which doubles are added is nobody's promise, nor the sign of a zero among equals.
_ADDED = re.compile(r"\b(sum|avg|mean|std|stddev\w*|var_\w+|variance|median|percentile|array_min|array_max|min|max)\(")


def tolerance(sql: str) -> float:
    """How far doubles may differ, relatively: not at all, but for a few functions."""
    if _TRANSCENDENTAL.search(sql):
        return 1e-14
    return 1e-12 if _ADDED.search(sql) else 0.0
