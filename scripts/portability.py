"""Writes the tables of docs/portability.md from the differential suite: `python -m scripts.portability`."""

from __future__ import annotations

import re
from pathlib import Path

from lakelogic.errors import SqlError
from lakelogic.sql.duckdb.render import to_duckdb
from scripts.pages.markdown import table
from tests.conformance.differential.cases import FAMILIES, Case, cases
from tests.conformance.differential.rows import FRAME

PAGE = Path(__file__).parents[1] / "docs" / "portability.md"
START, END = "<!-- Written by `python -m scripts.portability`. -->", "<!-- End of what is written. -->"
_CALL = re.compile(r"\b([a-z][a-z0-9_]*)\(", re.IGNORECASE)
_KEYWORDS = {"array<", "in", "over", "exists", "and", "or", "not", "as", "from", "when", "then", "else"}
_TITLES = {"text": "Text", "time": "Dates and times", "nested": "Lists, maps, structs", "documents": "JSON"}


def written() -> str:
    """The generated part of the page."""
    counted = [[_title(family), *_counts(family)] for family in FAMILIES]
    parts = [table(["family", "expressions that agree", "refused"], counted)]
    for family in FAMILIES:
        parts += [f"### {_title(family)}", _functions(family), _refusals(family)]
    return "\n\n".join(part for part in parts if part)


def page(text: str) -> str:
    """The page with its generated part written anew."""
    before, after = text.partition(START)[0], text.partition(END)[2]
    return f"{before}{START}\n\n{written()}\n\n{END}{after}"


def _title(family: str) -> str:
    return _TITLES.get(family, family.capitalize())


def _counts(family: str) -> tuple[str, str]:
    refused = sum(case.refused for case in cases(family))
    return str(len(cases(family)) - refused), str(refused)


def _functions(family: str) -> str:
    names = {name.lower() for case in cases(family) if not case.refused for name in _CALL.findall(case.sql)}
    listed = ", ".join(_code(name) for name in sorted(names - _KEYWORDS))
    return f"Portable: {listed}." if listed else ""


def _refusals(family: str) -> str:
    rows = [[_code(case.sql), _reason(case)] for case in cases(family) if case.refused]
    return table(["refused", "because"], rows) if rows else ""


def _code(sql: str) -> str:
    return f"`{sql}`"


def _reason(case: Case) -> str:
    columns = FRAME.columns
    try:
        to_duckdb(case.tree(columns), columns)
    except SqlError as error:
        return error.message.splitlines()[0].partition("same meaning: ")[2].rstrip(".")
    return "?"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
