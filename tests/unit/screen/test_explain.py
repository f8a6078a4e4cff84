"""The view of a plan, and the commands that print it without starting an engine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from lakelogic import DataProcessor
from lakelogic.cli.main import main
from lakelogic.cli.screen.explain import brief_view, preview_view, sql_text
from tests.unit.screen.builders import plain_console, printed, terminal

CONTRACT = """
dataset: orders
info: {target_layer: silver}
source: {path: "data/*.csv", load_mode: incremental}
links: [{name: countries, path: countries.csv, broadcast: true}]
model:
  fields:
    - {name: id, type: bigint, required: true}
    - {name: buyer, type: string, pii: true, masking: redact}
    - {name: amount, type: double}
transformations:
  - {filter: {sql: "amount <> 7"}, phase: pre}
quality:
  row_rules:
    - {name: positive, sql: "amount > 0"}
    - {name: small, sql: "amount < 100", severity: warning}
  dataset_rules: [{row_count_between: {min: 1, max: 9}}]
lineage: {enabled: true}
materialization: {strategy: append, target_path: lake/orders, partition_by: [id]}
"""


# Ends with 99 if an engine was imported on the way.
PROGRAM = """
import sys
from lakelogic.cli.main import main
code = main(sys.argv[1:])
sys.exit(99 if "pyspark" in sys.modules else code)
"""


def run_watched(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=False)


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    for number in range(5):
        (tmp_path / "data" / f"{number}.csv").write_text("id,buyer,amount\n1,Jane,10\n")
    (tmp_path / "countries.csv").write_text("code,name\nnl,Nederland\n")
    path = tmp_path / "orders.yaml"
    path.write_text(CONTRACT)
    return path


def test_the_view_tells_what_is_read_and_why(contract: Path) -> None:
    console = plain_console()
    text = printed(console, preview_view(DataProcessor(contract).preview(), "orders.yaml", console))
    assert "incremental: no earlier run is in the log, so all files are new" in text
    assert "csv · 5 files · 130 B" in text
    assert "and 2 more" in text
    sections = "Read Columns Links Steps SQL Rules Passes Masked Lineage Writes Next".split()
    positions = [text.index(f"\n{title}") for title in sections]
    assert positions == sorted(positions)


def test_the_view_tells_rules_passes_writes_and_masks(contract: Path) -> None:
    console = plain_console()
    preview = DataProcessor(contract).preview()
    lines = [line.split() for line in printed(console, preview_view(preview, "orders.yaml", console)).splitlines()]
    assert ["positive", "correctness", "pre", "`amount`", ">", "0"] in lines
    assert ["small", "correctness", "pre,", "warning", "`amount`", "<", "100"] in lines
    assert ["row_count_between", "error", "COUNT(*)", ">=", "1,", "<=", "9"] in lines
    assert ["buyer", "redact"] in lines
    assert any(line[:2] == ["good", str(contract.parent / "lake/orders")] for line in lines)
    assert any(line[:4] == ["append,", "partitioned", "by", "id"] and "transactions" in line for line in lines)
    assert "id string, buyer string, amount string".split() in lines


def test_a_short_view_says_that_nothing_was_written(contract: Path) -> None:
    console = plain_console()
    text = printed(console, brief_view(DataProcessor(contract).preview(), "orders.yaml", console))
    assert "Nothing was written." in text
    assert "SELECT" not in text
    assert text.rstrip().endswith("lakelogic run orders.yaml  does it")


@pytest.mark.parametrize("width", [80, 120])
def test_the_view_fits_the_terminal(contract: Path, width: int) -> None:
    console = terminal(width)
    console._color_system = None
    text = printed(console, preview_view(DataProcessor(contract).preview(), "orders.yaml", console))
    assert max(cell_len(line) for line in text.splitlines()) <= width


def test_sql_has_colours_on_a_terminal_only(contract: Path) -> None:
    plan = DataProcessor(contract).plan()
    plain, coloured = plain_console(), terminal()
    assert "\x1b" not in printed(plain, sql_text(plan, plain))
    assert "\x1b" in printed(coloured, sql_text(plan, coloured))


def test_explain_and_a_dry_run_print_json_with_the_plan(contract: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(contract), "--json"]) == 0
    explained = json.loads(capsys.readouterr().out)
    assert main(["run", str(contract), "--dry-run", "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert explained["format"] == planned["format"] == 1
    assert planned["status"] == "planned"
    assert explained["fingerprint"] == planned["fingerprint"]
    assert explained["input"]["files"] == 5
    assert [step["name"] for step in explained["plan"]["pre"]["steps"]][1] == "1. filter"


def test_explain_prints_only_sql_when_asked(contract: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "-c", str(contract), "--sql"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("-- link countries\n")
    assert "Rules" not in out


def test_a_plan_of_files_with_headers_needs_no_engine(contract: Path) -> None:
    """And so it is told at once, also where no engine is installed."""
    done = run_watched("explain", str(contract))
    assert done.returncode == 0, done.stderr
    assert "Passes over the data" in done.stdout


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("amount > 0", "amuont > 0"), "column 'amuont' is unknown. Did you mean 'amount'?"),
        (("lake/orders", "lake/orders, strtegy: merge"), "key 'strtegy' is unknown."),
        (("amount > 0", "reflect('java.lang.System', 'exit')"), "reflect"),
    ],
)
def test_a_mistake_in_a_contract_is_told_before_an_engine_is_imported(
    contract: Path, change: tuple[str, str], told: str
) -> None:
    contract.write_text(CONTRACT.replace(*change))
    done = run_watched("run", str(contract))
    assert done.returncode == 2, done.stderr
    assert told in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
