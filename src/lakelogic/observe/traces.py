"""Traces: a span for a pipeline, for each contract and each of its steps, where OpenTelemetry listens."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loguru import logger

from lakelogic import __version__
from lakelogic.errors import LakeLogicError

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span as OpenSpan

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_TIMEOUTS = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")
# What a command waits at its end for somebody to take its spans, unless one of these says otherwise.
_PATIENCE_SECONDS = 3.0

Value = str | int | float | bool | None


class Span:
    """A piece of work under way."""

    def __init__(self, span: OpenSpan | None = None) -> None:
        self._span = span

    def note(self, **values: Value) -> None:
        """Add what is known of it; what is None is left out."""
        if self._span is not None:
            known = {f"lakelogic.{name}": value for name, value in values.items() if value is not None}
            self._span.set_attributes(known)

    def failed(self, why: str) -> None:
        """It came to nothing."""
        if self._span is not None:
            from opentelemetry.trace import StatusCode

            self._span.set_status(StatusCode.ERROR, why)


class _Sending:
    """The provider of this process, while a command has one of its own."""

    provider: TracerProvider | None = None


@contextmanager
def span(name: str, **values: Value) -> Iterator[Span]:
    """Around a piece of work: nothing, unless a command exports traces or the host program uses OpenTelemetry."""
    # A host that traces has loaded it; nobody else is to wait for the import.
    if "opentelemetry.trace" not in sys.modules:
        yield Span()
        return
    from opentelemetry import trace

    tracer = trace.get_tracer("lakelogic", __version__, _Sending.provider)
    # The text of a foreign error may hold values of the data, so that it is not recorded as it is.
    with tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as opened:
        told = Span(opened)
        told.note(**values)
        try:
            yield told
        except BaseException as error:
            told.failed(str(error) if isinstance(error, LakeLogicError) else type(error).__name__)
            raise


@contextmanager
def exporting() -> Iterator[None]:
    """Inside, spans are sent as the OTEL_* variables say; nothing happens unless one of them names where to."""
    if not _is_asked_for():
        yield
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError:
        logger.warning("Traces are asked for and need a package: pip install 'lakelogic[opentelemetry]'.")
        yield
        return
    timeout = None if any(os.environ.get(name) for name in _TIMEOUTS) else _PATIENCE_SECONDS
    with _provided(OTLPSpanExporter(timeout=timeout)):
        yield


def _is_asked_for() -> bool:
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    exporter = os.environ.get("OTEL_TRACES_EXPORTER")
    return exporter == "otlp" or (exporter is None and any(os.environ.get(name) for name in _ENDPOINTS))


@contextmanager
def _provided(exporter: SpanExporter) -> Iterator[None]:
    """A provider for this process alone; what it holds is sent at the end, however that comes."""
    from opentelemetry import context
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    about = {"service.version": __version__} | ({} if named else {"service.name": "lakelogic"})
    provider = TracerProvider(resource=Resource.create(about), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(_telling(exporter)))
    _Sending.provider = provider
    token = context.attach(_outer())
    try:
        yield
    finally:
        context.detach(token)
        _Sending.provider = None
        provider.shutdown()


def _outer() -> Context:
    """The span of whoever started this process, if it has told."""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    given = {name: value for name in ("traceparent", "tracestate") if (value := os.environ.get(name.upper()))}
    return TraceContextTextMapPropagator().extract(given)


def _telling(exporter: SpanExporter) -> SpanExporter:
    """The same exporter; if nobody takes its spans, that is said once, and the others are not offered."""
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class Telling(SpanExporter):
        refused = False

        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            if self.refused:
                return SpanExportResult.FAILURE
            result = exporter.export(spans)
            if result is SpanExportResult.FAILURE:
                self.refused = True
                where = next((url for name in _ENDPOINTS if (url := os.environ.get(name))), "localhost:4318")
                logger.warning("Traces could not be sent to {}. The run goes on without.", where.rpartition("@")[2])
            return result

        def shutdown(self) -> None:
            exporter.shutdown()

    return Telling()
