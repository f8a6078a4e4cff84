"""Ctrl-C and SIGTERM, as a process of its own gets them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from tests.unit.driver.lake import Lake

_LINEAGE = '[openlineage.transport]\ntype = "file"\nappend = true\nlog_file_path = "lineage.jsonl"\n'
_DRIVER = "import sys; from lakelogic.cli.driver import main; sys.exit(main())"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_with_the_summary_and_the_next_run_does_the_rest(lake: Lake, number: signal.Signals) -> None:
    lake.file("lakelogic.toml", f'engine = "duckdb"\n{_LINEAGE}')
    slow = "external_logic: {type: python, path: slow.py}\n"
    working = lake.root / "working"
    code = f"import pathlib, time\ndef run(df, links, engine):\n    pathlib.Path({str(working)!r}).touch()\n"
    lake.file("contracts/slow.py", code + "    time.sleep(1)\n    return df\n")
    lake.contract("bronze_a", slow)
    lake.contract("silver_a", source="bronze_a")
    lake.registry({"a": {"bronze": "bronze_a.yaml", "silver": "silver_a.yaml"}})
    command = [sys.executable, "-c", _DRIVER, "contracts", "--json", "--metrics-path", "metrics.json"]
    with subprocess.Popen(command, cwd=lake.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not working.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "interrupted"
    runs = {run["contract"]: run["status"] for run in json.loads(out)["runs"]}
    assert runs == {"bronze_a": "interrupted", "silver_a": "interrupted"}
    kept = json.loads((lake.root / "metrics.json").read_text())
    assert (kept["pipeline"]["status"], kept["pipeline"]["exit_code"]) == ("interrupted", 130)
    assert {row["contract"]: row["status"] for row in kept["contracts"]} == runs
    told = [json.loads(line) for line in (lake.root / "lineage.jsonl").read_text().splitlines()]
    assert (told[0]["eventType"], told[-1]["eventType"]) == ("START", "ABORT")
    assert told[0]["run"]["runId"] == told[-1]["run"]["runId"]
    assert not (lake.root / "tables").exists()
    assert lake.drive().exit_code == 0
    assert len(lake.rows("silver_a")) == 2
