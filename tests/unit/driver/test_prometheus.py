"""The page that Prometheus asks for, read with the parser of its own library."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import urlopen

import pytest

from lakelogic.observe.prometheus import Exporter
from tests.unit.driver.lake import Lake

parser: Any = pytest.importorskip("prometheus_client.parser")

Series = dict[tuple[str, ...], float]


@pytest.fixture
def pair(lake: Lake) -> Lake:
    """Silver needs bronze; a row of bronze is bad."""
    lake.contract("bronze_a", "quality: {row_rules: [{not_null: name}]}\n")
    lake.file("landing/bronze_a/bronze_a_2026-02-01.csv", "id,name\n1,a\n2,\n")
    lake.contract("silver_a", source="bronze_a")
    lake.registry({"a": {"bronze": "bronze_a.yaml", "silver": "silver_a.yaml"}})
    return lake


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is served when a contract begins, and just before the page is taken away."""
    found: list[str] = []
    began, close = Exporter.began, Exporter.close

    def scrape(exporter: Exporter) -> None:
        with urlopen(f"http://127.0.0.1:{exporter.port}/metrics", timeout=10) as answer:
            found.append(answer.read().decode())

    def beginning(exporter: Exporter, contract: str) -> None:
        began(exporter, contract)
        scrape(exporter)

    def closing(exporter: Exporter) -> None:
        scrape(exporter)
        close(exporter)

    monkeypatch.setattr(Exporter, "began", beginning)
    monkeypatch.setattr(Exporter, "close", closing)
    return found


def read(page: str) -> Series:
    """Every series of a page by its name and labels, without the times at which they were made."""
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in parser.text_string_to_metric_families(page)
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


@contextmanager
def taken() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield str(other.getsockname()[1])


def test_the_page_is_live_and_ends_with_all_numbers(pair: Lake, pages: list[str]) -> None:
    assert pair.command("--metrics-backend", "prometheus", "--metrics-port", "0") == 0
    first, second, last = (read(page) for page in pages)
    assert first[("lakelogic_contracts_running",)] == 1
    assert not [key for key in first if key[0] == "lakelogic_rows_total"]
    assert second[("lakelogic_rows_total", "bronze_a", "bronze", "quarantined")] == 1
    assert last[("lakelogic_rows_total", "bronze_a", "bronze", "source")] == 2
    assert last[("lakelogic_rows_total", "silver_a", "silver", "good")] == 1
    assert last[("lakelogic_contracts_total", "silver", "succeeded")] == 1
    assert last[("lakelogic_quarantine_ratio", "bronze_a", "bronze")] == 0.5
    assert last[("lakelogic_run_duration_seconds", "bronze_a", "bronze")] > 0
    assert last[("lakelogic_last_success_timestamp_seconds", "silver_a", "silver")] > 1.7e9
    assert ("lakelogic_pipeline_exit_code",) not in second
    assert last[("lakelogic_contracts_running",)] == last[("lakelogic_pipeline_exit_code",)] == 0


def test_a_failure_has_no_success_and_labels_are_few(pair: Lake, pages: list[str]) -> None:
    pair.file("landing/bronze_a/bronze_a_2026-02-01.csv", "")
    assert pair.command("--metrics-backend", "prometheus", "--metrics-port", "0") == 2
    last = read(pages[-1])
    assert last[("lakelogic_contracts_total", "bronze", "failed")] == 1
    assert last[("lakelogic_contracts_total", "silver", "blocked")] == 1
    assert last[("lakelogic_pipeline_exit_code",)] == 2
    assert not [key for key in last if key[0] == "lakelogic_last_success_timestamp_seconds"]
    labels = {name for family in parser.text_string_to_metric_families(pages[-1])
              for sample in family.samples for name in sample.labels}  # fmt: skip
    assert labels <= {"layer", "contract", "outcome", "status"}


def test_the_port_is_free_after_the_run(pair: Lake) -> None:
    with taken() as port:
        pass
    for _ in range(2):
        words = ("--metrics-backend", "prometheus", "--metrics-port", port, "--metrics-linger", "0.01")
        assert pair.command(*words, "--layers", "bronze") == 0


def test_a_port_that_is_taken_does_not_stop_the_run(pair: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    with taken() as port:
        words = ("--metrics-backend", "prometheus", "--metrics-port", port, "--layers", "bronze", "--json")
        assert pair.command(*words) == 1
    told = json.loads(capsys.readouterr().out)
    assert [run["status"] for run in told["runs"]] == ["succeeded"]
    (problem,) = told["not_recorded"]
    assert problem.startswith(f"metrics can't be served at 127.0.0.1:{port}: Address already in use.")
    assert len(pair.rows("bronze_a")) == 1
