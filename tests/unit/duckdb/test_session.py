"""A connection for one run."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
from lakelogic.engines.duckdb.session import Session
print(Session().connection.execute("SELECT current_setting('enable_progress_bar')").fetchone())
"""


def test_no_bar_is_drawn_where_python_is_interactive() -> None:
    # DuckDB takes a Python without a file for a notebook, and draws its own there.
    told = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert told.stdout == "(False,)\n"
