"""Ctrl-C in the middle of a run, and the run after it, as processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

_CONTRACT = """
source: {path: "data/*.csv"}
quality: {row_rules: [{sql: "amount > 0"}]}
materialization: {strategy: append, target_path: out}
"""


def lakelogic(*arguments: str, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lakelogic", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, text=True, start_new_session=True, stdout=pipe, stderr=pipe)


def group_is_gone(group: int, within: float) -> bool:
    """Whether no process of a group is left, the JVM included."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        listed = subprocess.run(["ps", "-o", "stat=", "-g", str(group)], capture_output=True, text=True, check=False)
        if not any(state.strip() not in {"", "Z"} for state in listed.stdout.splitlines()):
            return True
        time.sleep(0.2)
    return False


def test_ctrl_c_is_one_line_and_130_and_the_next_run_writes_every_row_once(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("id,amount\n" + "".join(f"{n},{n - 1}\n" for n in range(100)))
    (tmp_path / "c.yaml").write_text(_CONTRACT)
    with lakelogic("run", "c.yaml", "--master", "local[2]", folder=tmp_path) as first:
        deadline = time.monotonic() + 120
        while not list(tmp_path.glob(".lakelogic/runs/*/*.claim.json")) and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(first.pid, signal.SIGINT)
        out, err = first.communicate(timeout=120)
    assert (first.returncode, out) == (130, "")
    assert len(err.splitlines()) == 1
    assert err.startswith("Interrupted while ")
    assert group_is_gone(first.pid, within=60)

    with lakelogic("run", "c.yaml", "--master", "local[2]", "--json", folder=tmp_path) as second:
        out, err = second.communicate(timeout=300)
    assert second.returncode == 0, err
    assert json.loads(out)["counts"]["source"] == 100
    # Spark, its launcher and its JVM say nothing of their own.
    assert all(line.startswith(("[", "LakeLogic Alert")) for line in err.splitlines())
    from deltalake import DeltaTable

    ids = DeltaTable(str(tmp_path / "out")).to_pyarrow_table().column("id").to_pylist()
    assert sorted(map(int, ids)) == list(range(2, 100))
