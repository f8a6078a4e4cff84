"""A connection for one run."""

from __future__ import annotations

import subprocess
import sys

from lakelogic.engines.duckdb.session import Session

_PROGRAM = """
from lakelogic.engines.duckdb.session import Session
print(Session().connection.execute("SELECT current_setting('enable_progress_bar')").fetchone())
"""


def test_no_bar_is_drawn_where_python_is_interactive() -> None:
    # DuckDB takes a Python without a file for a notebook, and draws its own there.
    told = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert told.stdout == "(False,)\n"


def test_a_query_of_thousands_of_columns_does_without_what_takes_hours_for_it() -> None:
    session = Session()
    setting = "SELECT current_setting('disabled_optimizers')"
    session.hold(session.select("SELECT 1 AS n"))
    assert session.connection.execute(setting).fetchall() == [("in_clause",)]
    columns = ", ".join(f"{number} AS a_column_with_the_number_{number}" for number in range(6_000))
    session.hold(session.select(f"SELECT {columns}"))
    assert session.connection.execute(setting).fetchall() == [("in_clause,projection_placement",)]
