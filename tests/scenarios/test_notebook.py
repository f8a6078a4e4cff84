"""The notebook of the quickstart, run from its first cell to its last."""

from __future__ import annotations

import ast
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebooks" / "quickstart.ipynb"


def test_the_quickstart_notebook_runs_and_tells_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKELOGIC_ENGINE", "duckdb")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    assert not any(cell.get("outputs") for cell in notebook.cells), "clear the outputs: they grow old"

    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()

    shown = {
        cell.id: output["data"]["text/plain"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output.output_type == "execute_result"
    }
    assert "source=4" in shown["run"]
    assert "good=2, quarantined=2" in shown["run"]
    assert "Rule failed: email LIKE '%@%.%'" in shown["reasons"]
    assert ast.literal_eval(shown["again"]) == (
        "0 of 1 files are new since the last run",
        "1 of 2 files are new since the last run",
        1,
    )
