"""Traces: what OpenTelemetry is told of runs, in memory and over HTTP."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from lakelogic.observe import traces
from lakelogic.observe.traces import exporting, span
from lakelogic.run.processor import DataProcessor
from tests.answering import Asked, Reply, answering
from tests.unit.driver.lake import Lake


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(tmp_path)
    lake.file("lakelogic.toml", 'engine = "duckdb"\n')
    lake.contract("bronze_a", "quality: {row_rules: [{not_null: name}]}\n")
    lake.file("landing/bronze_a/bronze_a_2026-02-01.csv", "id,name\n1,a\n2,\n")
    lake.contract("silver_a", source="bronze_a")
    lake.registry({"a": {"bronze": "bronze_a.yaml", "silver": "silver_a.yaml"}})
    return lake


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """Spans as they end."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(traces._Sending, "provider", provider)
    return exporter


def by_name(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {each.name: each for each in exporter.get_finished_spans()}


def attributes(found: ReadableSpan) -> dict[str, object]:
    return dict(found.attributes or {})


def test_a_pipeline_holds_its_contracts_and_they_their_steps(lake: Lake, kept: InMemorySpanExporter) -> None:
    assert lake.drive().exit_code == 0
    spans = by_name(kept)
    pipeline, bronze = spans["pipeline"], spans["run bronze_a"]
    assert pipeline.parent is None
    assert bronze.parent is not None and pipeline.context is not None
    assert bronze.parent.span_id == pipeline.context.span_id
    steps = [each.name for each in kept.get_finished_spans()
             if each.parent and bronze.context and each.parent.span_id == bronze.context.span_id]  # fmt: skip
    assert steps == [
        "opening the engine", "planning", "auditing", "writing quarantine", "writing target", "accounting",
    ]  # fmt: skip
    told = attributes(bronze)
    assert (told["lakelogic.rows.source"], told["lakelogic.rows.good"], told["lakelogic.rows.quarantined"]) == (2, 1, 1)
    assert (told["lakelogic.contract"], told["lakelogic.layer"], told["lakelogic.engine"]) == (
        "bronze_a", "bronze", "duckdb",
    )  # fmt: skip
    assert attributes(pipeline)["lakelogic.contracts.succeeded"] == 2
    assert bronze.status.is_unset


def test_a_failure_is_told_without_values_of_the_data(
    lake: Lake, kept: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("4111 1111")

    monkeypatch.setattr("lakelogic.run.execute.Execution.run", fail)
    with pytest.raises(ZeroDivisionError):
        DataProcessor(lake.root / "contracts/bronze_a.yaml").run()
    found = by_name(kept)["run bronze_a"]
    assert (found.status.is_ok, found.status.description) == (False, "ZeroDivisionError")
    assert not found.events


def test_a_pipeline_that_fails_says_which_contract(lake: Lake, kept: InMemorySpanExporter) -> None:
    lake.file("landing/bronze_a/bronze_a_2026-02-01.csv", "")
    assert lake.drive().exit_code == 2
    status = by_name(kept)["pipeline"].status
    assert (status.description or "").startswith("'bronze_a': ")


@dataclass
class Collector:
    """Takes spans, and keeps where they were sent and as what."""

    url: str = ""
    taken: list[tuple[str, bytes]] = field(default_factory=list)

    def take(self, asked: Asked) -> Reply:
        self.taken.append((asked.path, asked.content))
        return Reply(body=b"")


@pytest.fixture
def collector() -> Iterator[Collector]:
    found = Collector()
    with answering(found.take) as found.url:
        yield found


def test_spans_are_sent_to_a_collector_under_the_trace_that_was_given(
    lake: Lake, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    assert lake.command() == 0
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    paths = {path for path, _ in collector.taken}
    requests = [ExportTraceServiceRequest.FromString(body) for _, body in collector.taken]
    resources = [each for request in requests for each in request.resource_spans]
    sent = [each for resource in resources for scope in resource.scope_spans for each in scope.spans]
    assert paths == {"/v1/traces"}
    assert {each.trace_id.hex() for each in sent} == {"0af7651916cd43dd8448eb211c80319c"}
    assert {"pipeline", "run bronze_a", "run silver_a", "writing target"} <= {each.name for each in sent}
    service = {each.key: each.value.string_value for each in resources[0].resource.attributes}
    assert service["service.name"] == "lakelogic"


def test_a_collector_that_is_down_is_told_once_and_the_run_goes_on(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://app:s3cret@127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.2")
    assert lake.command() == 0
    said = capsys.readouterr().err
    assert said.count("Traces could not be sent to 127.0.0.1:9. The run goes on without.") == 1
    assert "s3cret" not in said


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_TRACES_EXPORTER": "none"},
    ],
)
def test_nothing_is_traced_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with exporting(), span("a piece of work") as told:
        told.note(rows=1)
        assert traces._Sending.provider is None


def test_neither_lineage_nor_traces_are_loaded_for_help() -> None:
    asked = "import sys; from lakelogic.cli.main import main; main(['run', '--help'])"
    look = "print(*[m for m in sys.modules if m.startswith(('opentelemetry', 'openlineage', 'prometheus'))], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", f"{asked}\n{look}"], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""
