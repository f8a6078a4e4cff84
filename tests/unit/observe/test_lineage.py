"""Events of OpenLineage: held against the published schema, sent to a file or a server, never at the cost of a run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from lakelogic.driver.nodes import Selection
from lakelogic.errors import RunStopped, WriteError
from lakelogic.observe.lineage.sending import sender_of
from lakelogic.project import Project
from lakelogic.run.processor import DataProcessor
from tests.answering import Asked, Reply, answering
from tests.unit.driver.lake import Lake

PUBLISHED = Path(__file__).parents[2] / "published" / "openlineage"
SCHEMAS = [json.loads(path.read_text()) for path in PUBLISHED.glob("*.json")]
REGISTRY: Registry[Any] = Registry().with_resources((each["$id"], Resource.from_contents(each)) for each in SCHEMAS)
FILE = '[openlineage]\nnamespace = "sales"\n[openlineage.transport]\ntype = "file"\nappend = true\nlog_file_path = "logs/ol.jsonl"\n'

Event = dict[str, Any]


def a_lake(root: Path) -> Lake:
    """Silver needs bronze, and masks; a row of bronze is bad."""
    lake = Lake(root)
    lake.file("lakelogic.toml", f'engine = "duckdb"\n{FILE}')
    lake.contract("bronze_a", "quality: {row_rules: [{not_null: name}], dataset_rules: [{unique: id}]}\n")
    lake.file("landing/bronze_a/bronze_a_2026-02-01.csv", "id,name\n1,a\n2,\n")
    lake.contract(
        "silver_a",
        "transformations: [{sql: 'upper(name) AS shout'}]\nmodel: {fields: [{name: id, masking: nullify}, {name: name}]}\n",
        source="bronze_a",
    )
    lake.registry({"a": {"bronze": "bronze_a.yaml", "silver": "silver_a.yaml"}})
    return lake


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return a_lake(tmp_path)


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """One whose contracts have run."""
    lake = a_lake(tmp_path_factory.mktemp("driven"))
    assert [outcome.reason for outcome in lake.drive().outcomes if outcome.exit_code] == []
    return lake


def events(lake: Lake) -> list[Event]:
    return [json.loads(line) for line in (lake.root / "logs/ol.jsonl").read_text().splitlines()]


def told(found: list[Event]) -> list[tuple[str, str]]:
    return [(event["eventType"], event["job"]["name"]) for event in found]


def facets(event: Event) -> Iterator[dict[str, Any]]:
    yield from event["run"]["facets"].values()
    yield from event["job"]["facets"].values()
    for dataset in (*event["inputs"], *event["outputs"]):
        for kind in ("facets", "inputFacets", "outputFacets"):
            yield from (dataset.get(kind) or {}).values()


def validate(event: Event) -> None:
    """Against the schema of the event, and that of each of its facets."""
    for part in (event, *facets(event)):
        url = part.get("schemaURL") or part["_schemaURL"]
        Draft202012Validator({"$ref": url}, registry=REGISTRY).validate(part)


def test_every_event_and_facet_is_valid_by_the_published_schema(driven: Lake) -> None:
    found = events(driven)
    for event in found:
        validate(event)
    names = {facet["_schemaURL"].rpartition("/")[2] for event in found for facet in facets(event)}
    assert {"SchemaDatasetFacet", "ColumnLineageDatasetFacet", "DataQualityAssertionsDatasetFacet"} <= names


def test_a_pipeline_and_its_contracts_begin_and_complete(driven: Lake) -> None:
    found = events(driven)
    assert told(found) == [
        ("START", "lakelogic-driver"),
        ("START", "bronze.bronze_a"),
        ("COMPLETE", "bronze.bronze_a"),
        ("START", "silver.silver_a"),
        ("COMPLETE", "silver.silver_a"),
        ("COMPLETE", "lakelogic-driver"),
    ]
    pipeline = found[0]["run"]["runId"]
    assert all(event["run"]["facets"]["parent"]["run"]["runId"] == pipeline for event in found[1:5])
    assert len({event["run"]["runId"] for event in found}) == 3
    assert {event["job"]["namespace"] for event in found} == {"sales"}


def test_datasets_tell_rows_rules_columns_and_where_they_come_from(driven: Lake) -> None:
    bronze, silver = events(driven)[2], events(driven)[4]
    (source,) = bronze["inputs"]
    assert source["inputFacets"]["inputStatistics"]["rowCount"] == 2
    rules = {each["name"]: each for each in source["inputFacets"]["dataQualityAssertions"]["assertions"]}
    assert (rules["name_not_null"]["success"], rules["name_not_null"]["actual"]) == (False, "1")
    assert rules["name_not_null"]["column"] == "name"
    assert rules["id_unique"]["success"] is True
    target, quarantine = bronze["outputs"]
    assert (target["namespace"], target["name"]) == ("file", str(driven.root / "tables/bronze_a"))
    assert target["outputFacets"]["outputStatistics"]["rowCount"] == 1
    assert quarantine["outputFacets"]["outputStatistics"]["rowCount"] == 1
    assert (silver["inputs"][0]["namespace"], silver["inputs"][0]["name"]) == ("file", target["name"])
    lineage = silver["outputs"][0]["facets"]["columnLineage"]["fields"]
    (origin,) = lineage["shout"]["inputFields"]
    assert (origin["name"], origin["field"]) == (target["name"], "name")
    assert origin["transformations"][0]["subtype"] == "TRANSFORMATION"
    assert lineage["id"]["inputFields"][0]["transformations"][0]["masking"] is True
    schema = {each["name"]: each["type"] for each in silver["outputs"][0]["facets"]["schema"]["fields"]}
    assert schema["shout"] == "string"


def test_a_run_that_fails_says_why(lake: Lake) -> None:
    contract = "quality: {dataset_rules: [{row_count_between: {min: 9}}], fail_pipeline_on_dataset_error: true}\n"
    lake.contract("bronze_a", contract)
    assert lake.drive().exit_code == 1
    found = events(lake)
    assert told(found)[:3] == [
        ("START", "lakelogic-driver"),
        ("START", "bronze.bronze_a"),
        ("FAIL", "bronze.bronze_a"),
    ]
    assert found[-1]["eventType"] == "FAIL"
    assert "dataset rules failed" in found[2]["run"]["facets"]["errorMessage"]["message"]
    for event in found:
        validate(event)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RunStopped("stopped")])
def test_a_run_that_is_stopped_is_aborted(lake: Lake, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def stop(*_: object) -> None:
        raise error

    monkeypatch.setattr("lakelogic.run.execute.Execution.run", stop)
    with pytest.raises(type(error)):
        DataProcessor(lake.root / "contracts/bronze_a.yaml").run()
    assert told(events(lake)) == [("START", "bronze.bronze_a"), ("ABORT", "bronze.bronze_a")]


def test_a_run_whose_engine_was_interrupted_is_aborted(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    processor = DataProcessor(lake.root / "contracts/bronze_a.yaml")

    def stop(*_: object) -> None:
        processor.stop()
        raise WriteError("INTERRUPT")

    monkeypatch.setattr("lakelogic.run.execute.Execution.run", stop)
    with pytest.raises(WriteError):
        processor.run()
    assert told(events(lake))[-1] == ("ABORT", "bronze.bronze_a")


def test_the_text_of_a_foreign_error_is_not_sent(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("4111 1111")

    monkeypatch.setattr("lakelogic.run.execute.Execution.run", fail)
    with pytest.raises(ZeroDivisionError):
        DataProcessor(lake.root / "contracts/bronze_a.yaml").run()
    assert events(lake)[-1]["run"]["facets"]["errorMessage"]["message"] == "ZeroDivisionError"


def test_a_run_by_itself_has_the_parent_that_the_process_was_given(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = "018f3c5e-7d2c-7a3b-9c4d-2f1e0a9b8c7d"
    monkeypatch.setenv("OPENLINEAGE_PARENT_ID", f"airflow/dag.task/{parent}")
    DataProcessor(lake.root / "contracts/bronze_a.yaml").run()
    found = events(lake)[0]["run"]["facets"]["parent"]
    assert (found["job"]["namespace"], found["job"]["name"]) == ("airflow", "dag.task")
    assert found["run"]["runId"] == parent


def test_nothing_is_sent_unless_it_is_asked_for(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    assert lake.drive().exit_code == 0
    assert not (lake.root / "logs").exists()
    assert sender_of(Project(lake.root)) is None


def test_a_dry_run_sends_nothing(lake: Lake) -> None:
    lake.drive(dry_run=True)
    assert not (lake.root / "logs").exists()


@dataclass
class Server:
    """Takes events, and answers with a status."""

    status: int
    address: str = ""
    taken: list[tuple[str | None, Event]] = field(default_factory=list)

    def take(self, asked: Asked) -> Reply:
        self.taken.append((asked.headers.get("authorization"), json.loads(asked.content)))
        return Reply(self.status, b"")


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    found = Server(getattr(request, "param", 201))
    with answering(found.take) as found.address:
        yield found


def test_variables_send_events_to_a_server(lake: Lake, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_URL", server.address)
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "k3y")
    monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "elsewhere")
    DataProcessor(lake.root / "contracts/bronze_a.yaml").run()
    assert [key for key, _ in server.taken] == ["Bearer k3y"] * 2
    assert told([event for _, event in server.taken]) == [
        ("START", "bronze.bronze_a"),
        ("COMPLETE", "bronze.bronze_a"),
    ]
    assert server.taken[0][1]["job"]["namespace"] == "elsewhere"
    for _, event in server.taken:
        validate(event)


@pytest.mark.parametrize("server", [403], indirect=True)
def test_a_server_that_refuses_is_told_once_and_the_run_goes_on(
    lake: Lake, server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENLINEAGE_URL", server.address)
    assert lake.command() == 0
    said = capsys.readouterr().err
    assert said.count("OpenLineage events can't be sent") == 1
    assert f"to {server.address}: the server answers 403. The run goes on without." in said
    assert len(server.taken) == 1
    assert len(lake.rows("silver_a")) == 1


def test_a_server_that_is_down_is_told_once_and_the_run_goes_on(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with answering(lambda _: Reply()) as address:
        pass
    monkeypatch.setenv("OPENLINEAGE_URL", address.replace("http://", "http://app:s3cret@"))
    assert lake.command() == 0
    said = capsys.readouterr().err
    assert said.count("OpenLineage events can't be sent") == 1
    assert f"to {address}: nobody answers. The run goes on without." in said
    assert "s3cret" not in said
    assert len(lake.rows("silver_a")) == 1


def test_a_file_that_cant_be_written_is_told(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    lake.file("logs", "a file")
    assert lake.command() == 0
    assert "OpenLineage events can't be sent to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("transport", "said"),
    [
        ('type = "htp"', "htp"),
        ('type = "http"', "`url` key not passed"),
        ('type = "file"', "`log_file_path` key not passed"),
    ],
)
def test_a_transport_that_makes_no_sense_is_told(
    lake: Lake, capsys: pytest.CaptureFixture[str], transport: str, said: str
) -> None:
    lake.file("lakelogic.toml", f'engine = "duckdb"\n[openlineage.transport]\n{transport}\n')
    assert lake.command("--layers", "bronze") == 0
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "OpenLineage" in line]
    assert said in line
    assert line.endswith("The run goes on without.")


def test_a_library_that_is_missing_is_named(
    lake: Lake, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("openlineage.client", "openlineage.client.event_v2"):
        monkeypatch.setitem(sys.modules, name, None)
    lake.file("lakelogic.toml", f'engine = "duckdb"\n{FILE.replace("ol.jsonl", "missing.jsonl")}')
    assert lake.command("--layers", "bronze") == 0
    assert "a package is missing, pip install 'lakelogic[openlineage]'" in capsys.readouterr().err


def test_an_unknown_key_of_the_section_is_refused(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    lake.file("lakelogic.toml", 'engine = "duckdb"\n[openlineage]\nnamespase = "x"\n')
    assert lake.command() == 2
    assert "key 'namespase' is unknown.\nDid you mean 'namespace'?" in capsys.readouterr().err


def test_selection_of_one_contract_has_its_pipeline(lake: Lake) -> None:
    lake.drive(Selection(paths=(lake.root / "contracts/bronze_a.yaml",)))
    assert told(events(lake))[0] == ("START", "lakelogic-driver")
