"""A run as events of OpenLineage: what it reads, what it writes, from which columns, and what its rules found."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

from lakelogic import __version__
from lakelogic.engines.opening import engines
from lakelogic.plan.lineage import ColumnLineage, column_lineage
from lakelogic.plan.model import Plan, TablePlan

if TYPE_CHECKING:
    from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, RunEvent
    from openlineage.client.facet_v2 import DatasetFacet, JobFacet, RunFacet
    from openlineage.client.generated.column_lineage_dataset import Fields
    from openlineage.client.generated.data_quality_assertions_dataset import Assertion

PRODUCER = f"urn:lakelogic:{__version__}"
PIPELINE = "lakelogic-driver"

EventType = Literal["START", "COMPLETE", "FAIL", "ABORT"]
# What the specification calls the kinds of a column's way.
_KINDS = {
    "identity": ("DIRECT", "IDENTITY"),
    "transformation": ("DIRECT", "TRANSFORMATION"),
    "aggregation": ("DIRECT", "AGGREGATION"),
    "masked": ("DIRECT", "TRANSFORMATION"),
}
_SEVERITIES = {"warning": "warn"}


@dataclass(frozen=True)
class Asserted:
    """How a rule fared."""

    name: str
    passed: bool
    category: str
    severity: str
    column: str | None
    found: str | None


@dataclass(frozen=True)
class Ended:
    """What a run came to: rows by the table they are in, and its rules."""

    rows: Mapping[str, int | None] = field(default_factory=dict)
    source_rows: int | None = None
    rules: Sequence[Asserted] = ()
    error: str | None = None


@dataclass(frozen=True)
class Parent:
    """The run that another belongs to."""

    namespace: str
    job: str
    uuid: str

    @classmethod
    def of_process(cls) -> Parent | None:
        """The run that has started this process, as `OPENLINEAGE_PARENT_ID` names it: namespace/job/run."""
        words = os.environ.get("OPENLINEAGE_PARENT_ID", "").rsplit("/", 2)
        return cls(*words) if len(words) == 3 else None


@dataclass(frozen=True)
class Events:
    """Makes the events of one run, in a namespace."""

    namespace: str
    run_id: str
    parent: Parent | None = None

    def of_contract(self, kind: EventType, at: datetime, plan: Plan, ended: Ended | None = None) -> RunEvent:
        """An event of a contract's run; what it came to is known at its end."""
        came_to = ended or Ended()
        return self._event(
            kind,
            at,
            self._job(job_name(plan), "RUN"),
            came_to.error,
            [*self._inputs(plan, came_to)],
            [*self._outputs(plan, came_to)],
        )

    def of_pipeline(self, kind: EventType, at: datetime, error: str | None = None) -> RunEvent:
        """An event of a run of the driver."""
        return self._event(kind, at, self._job(PIPELINE, "DAG"), error, [], [])

    def _event(
        self,
        kind: EventType,
        at: datetime,
        job: Job,
        error: str | None,
        inputs: list[InputDataset],
        outputs: list[OutputDataset],
    ) -> RunEvent:
        from openlineage.client.event_v2 import Run, RunEvent, RunState

        run = Run(run_uuid(self.run_id), dict(self._about(error)))
        return RunEvent(
            eventTime=at.isoformat(),
            producer=PRODUCER,
            eventType=RunState[kind],
            run=run,
            job=job,
            inputs=inputs,
            outputs=outputs,
        )

    def _about(self, error: str | None) -> Iterator[tuple[str, RunFacet]]:
        from openlineage.client.facet_v2 import error_message_run, parent_run, processing_engine_run

        engine = processing_engine_run.ProcessingEngineRunFacet(__version__, "lakelogic", producer=PRODUCER)
        yield "processing_engine", engine
        if self.parent is not None:
            above = parent_run.Run(self.parent.uuid)
            job = parent_run.Job(self.parent.namespace, self.parent.job)
            yield "parent", parent_run.ParentRunFacet(above, job, producer=PRODUCER)
        if error is not None:
            yield "errorMessage", error_message_run.ErrorMessageRunFacet(error, "PYTHON", producer=PRODUCER)

    def _job(self, name: str, kind: str) -> Job:
        from openlineage.client.event_v2 import Job
        from openlineage.client.facet_v2 import job_type_job

        facet: JobFacet = job_type_job.JobTypeJobFacet("BATCH", "LAKELOGIC", kind, producer=PRODUCER)
        return Job(self.namespace, name, {"jobType": facet})

    def _inputs(self, plan: Plan, ended: Ended) -> Iterator[InputDataset]:
        from openlineage.client.event_v2 import InputDataset
        from openlineage.client.facet_v2 import data_quality_assertions_dataset as quality
        from openlineage.client.facet_v2 import input_statistics_input_dataset as statistics

        source = InputDataset(*self._named(plan.read.location), facets={"schema": _schema(plan.read.columns)})
        if ended.rules:
            found = [_assertion(rule) for rule in ended.rules]
            facet = quality.DataQualityAssertionsDatasetFacet(found, producer=PRODUCER)
            source.inputFacets = {"dataQualityAssertions": facet}
        if ended.source_rows is not None:
            rows = statistics.InputStatisticsInputDatasetFacet(rowCount=ended.source_rows, producer=PRODUCER)
            source.inputFacets = {**(source.inputFacets or {}), "inputStatistics": rows}
        yield source
        for location in dict.fromkeys(link.location for link in plan.links):
            yield InputDataset(*self._named(location))

    def _outputs(self, plan: Plan, ended: Ended) -> Iterator[OutputDataset]:
        tables = [plan.target, *plan.secondary]
        for table in tables:
            yield self._output(table, ended, column_lineage(plan, engines.get(plan.engine).dialect))
        if plan.quarantine is not None:
            yield self._output(plan.quarantine, ended, ())

    def _output(self, table: TablePlan, ended: Ended, columns: Iterable[ColumnLineage]) -> OutputDataset:
        from openlineage.client.event_v2 import OutputDataset
        from openlineage.client.facet_v2 import column_lineage_dataset, output_statistics_output_dataset

        output = OutputDataset(*self._named(table.location), facets={"schema": _schema(table.columns)})
        if fields := {each.column: self._made_of(each) for each in columns if each.inputs}:
            facet = column_lineage_dataset.ColumnLineageDatasetFacet(fields, producer=PRODUCER)
            output.facets = {**(output.facets or {}), "columnLineage": facet}
        if (rows := ended.rows.get(table.location)) is not None:
            told = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(rows, producer=PRODUCER)
            output.outputFacets = {"outputStatistics": told}
        return output

    def _made_of(self, lineage: ColumnLineage) -> Fields:
        from openlineage.client.facet_v2 import column_lineage_dataset as facets

        type_, subtype = _KINDS[lineage.kind]
        how = facets.Transformation(type_, subtype, masking=lineage.kind == "masked")
        return facets.Fields(
            [facets.InputField(*self._named(each.location), each.column, [how]) for each in lineage.inputs]
        )

    def _named(self, location: str) -> tuple[str, str]:
        """Namespace and name of a table or a path, by the rules of OpenLineage; a catalog's table is in our own."""
        address = urlsplit(location)
        if address.scheme and address.netloc:
            return f"{address.scheme}://{address.netloc.rpartition('@')[2]}", address.path.strip("/") or "/"
        if "/" in location:
            return "file", location.rstrip("/") or "/"
        return self.namespace, location


def job_name(plan: Plan) -> str:
    """A contract's name is one of its layer."""
    return f"{plan.layer}.{plan.contract}" if plan.layer else plan.contract


def run_uuid(run_id: str) -> str:
    """A run's id as the specification wants it: the same whenever it is asked for."""
    return str(uuid5(NAMESPACE_URL, f"urn:lakelogic:run:{run_id}"))


def _schema(columns: Iterable[tuple[str, str]]) -> DatasetFacet:
    from openlineage.client.facet_v2 import schema_dataset

    fields = [schema_dataset.SchemaDatasetFacetFields(name, type_) for name, type_ in columns]
    return schema_dataset.SchemaDatasetFacet(fields, producer=PRODUCER)


def _assertion(rule: Asserted) -> Assertion:
    from openlineage.client.facet_v2 import data_quality_assertions_dataset as quality

    return quality.Assertion(
        assertion=rule.category,
        success=rule.passed,
        column=rule.column,
        severity=_SEVERITIES.get(rule.severity, rule.severity),
        name=rule.name,
        actual=rule.found,
    )
