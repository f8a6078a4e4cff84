"""Numbers over the run log, read with the parser of Prometheus' own library, and the dashboard that asks for them."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from lakelogic.cli.main import main
from lakelogic.observe.log_metrics import registry_of
from lakelogic.observe.metrics import METRICS
from tests.unit.observe.conftest import NOON, Add

Series = dict[tuple[str, ...], float]


def read(page: str) -> Series:
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }


def told(folder: Path) -> Series:
    return read(generate_latest(registry_of(folder)).decode())


def test_rows_are_summed_and_the_last_run_tells_ratio_and_duration(tmp_path: Path, add: Add) -> None:
    add("r1", 1, counts_good=8, counts_quarantined=2, quarantine_ratio=0.2)
    add("r2", 2, counts_good=5, counts_quarantined=0, quarantine_ratio=0.0, duration_seconds=7.5)
    add("r3", 3, status="failed", duration_seconds=1.5)
    add("r4", 4, status="blocked", duration_seconds=0.0)
    found = told(tmp_path)
    assert found[("lakelogic_run_log_up",)] == 1
    assert found[("lakelogic_rows_total", "orders", "bronze", "good")] == 13
    assert found[("lakelogic_rows_total", "orders", "bronze", "quarantined")] == 2
    assert ("lakelogic_rows_total", "orders", "bronze", "filtered") not in found
    assert found[("lakelogic_contracts_total", "bronze", "succeeded")] == 2
    assert found[("lakelogic_contracts_total", "bronze", "failed")] == 1
    assert found[("lakelogic_quarantine_ratio", "orders", "bronze")] == 0.0
    assert found[("lakelogic_run_duration_seconds", "orders", "bronze")] == 1.5
    assert found[("lakelogic_last_success_timestamp_seconds", "orders", "bronze")] == NOON.timestamp() + 122


def test_a_run_whose_dataset_rules_failed_is_no_success(tmp_path: Path, add: Add) -> None:
    add("r1", 1, dataset_rules=[{"name": "u", "status": "failed", "severity": "error"}])
    add("r2", 2, "items", dataset_rules=[{"name": "u", "status": "failed", "severity": "warning"}])
    successes = [key for key in told(tmp_path) if key[0] == "lakelogic_last_success_timestamp_seconds"]
    assert successes == [("lakelogic_last_success_timestamp_seconds", "items", "bronze")]


def test_a_log_that_cant_be_read_is_a_number(tmp_path: Path, add: Add) -> None:
    add("r1", 1)
    next((tmp_path / "run_log" / "_delta_log").glob("*.json")).write_text("{")
    assert told(tmp_path) == {("lakelogic_run_log_up",): 0.0}


def test_a_project_without_runs_is_up_and_empty(tmp_path: Path) -> None:
    assert told(tmp_path) == {("lakelogic_run_log_up",): 1.0}


def test_a_port_that_is_taken_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert main(["metrics", "serve", "--port", port, "--project", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"metrics can't be served at 127.0.0.1:{port}: Address already in use.")
    assert "Choose another --port" in said


def test_the_page_is_served_until_it_is_stopped(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "lakelogic", "metrics", "serve", "--port", "0", "--project", str(tmp_path)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = re.search(r"http://\S+/metrics", server.stderr.readline())
        assert address is not None
        with urlopen(address[0], timeout=10) as answer:
            assert read(answer.read().decode()) == {("lakelogic_run_log_up",): 1.0}
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=20) == 0
        assert server.stderr.read() == ""


def test_the_dashboard_asks_only_for_metrics_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "dashboard"]) == 0
    text = capsys.readouterr().out
    board = json.loads(text)
    asked = set(re.findall(r"lakelogic_[a-z_]+", text))
    assert asked == {metric.name for metric in METRICS}
    labels = {name for metric in METRICS for name in metric.labels}
    selected = set(re.findall(r"([a-z_]+)\s*(?:=~|=)\s*\\?\"", json.dumps([p["targets"] for p in board["panels"]])))
    assert selected <= labels
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])


def test_names_of_metrics_follow_the_convention() -> None:
    for metric in METRICS:
        assert re.fullmatch(r"lakelogic_[a-z_]+", metric.name)
        assert metric.name.endswith("_total") == (metric.kind == "counter")
        assert "run_id" not in metric.labels
