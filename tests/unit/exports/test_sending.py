"""Exports of any kind: what is due, what is refused, what a failure leaves, and what is told. S3 stands for all."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from lakelogic.contract import load_contract
from lakelogic.contract.exports import OWN_KINDS, Export, keys_of
from lakelogic.errors import ContractInvalid, SourceError, UsageError
from lakelogic.exports.base import Environment, ExportError, ExportPlan, ExportUnavailable, Rows, Sent, export_targets
from lakelogic.exports.reading import opened
from lakelogic.exports.s3 import S3
from lakelogic.exports.status import export_status
from lakelogic.project import find_project
from lakelogic.run.processor import DataProcessor
from lakelogic.state.locks import target_lock
from lakelogic.state.runlog import RunLog
from tests.unit.driver.lake import Lake, statuses
from tests.unit.exports.shop import NORTH, SOUTH, Shop

S3_VARIABLES = {"AWS_ACCESS_KEY_ID": "an-id", "AWS_SECRET_ACCESS_KEY": "a-secret", "S3_ARTIFACT_BUCKET": "lab"}
SNOWFLAKE = {"to": "snowflake", "table": "lab.gold.kpis"}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[ExportPlan]:
    """S3 is configured, and takes everything; the plans it was given."""
    plans: list[ExportPlan] = []

    def send(_: S3, plan: ExportPlan, rows: Rows) -> Sent:
        plans.append(plan)
        return Sent(sum(batch.num_rows for batch in rows.batches(1)), statements=("one",))

    monkeypatch.setattr(S3, "send", send)
    for name, value in S3_VARIABLES.items():
        monkeypatch.setenv(name, value)
    return plans


@pytest.fixture
def refusing(sent: list[ExportPlan], monkeypatch: pytest.MonkeyPatch) -> None:
    def send(*_: object) -> Sent:
        raise ExportError("it says no.")

    monkeypatch.setattr(S3, "send", send)


def test_the_contract_knows_every_kind_of_target() -> None:
    assert set(OWN_KINDS) == set(export_targets.names())


def test_a_system_of_another_package_can_be_named_in_a_contract(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere(S3):
        """A system that is always there."""

        @classmethod
        def missing(cls, environment: Environment) -> list[str]:
            return []

        def place(self, export: Export, default: str) -> str:
            return f"elsewhere/{export.prefix}"

        def send(self, plan: ExportPlan, rows: Rows) -> Sent:
            return Sent(sum(batch.num_rows for batch in rows.batches(1)))

    shop.lists([{"to": "elsewhere", "prefix": "copies"}])
    with pytest.raises(ContractInvalid, match="export target 'elsewhere' is unknown"):
        load_contract(shop.contract)
    listed = [EntryPoint("elsewhere", "acme", export_targets.group)]
    monkeypatch.setattr("lakelogic.registry._entry_points", lambda: listed)
    monkeypatch.setitem(export_targets._items, "elsewhere", Elsewhere)
    (receipt,) = shop.run(NORTH, SOUTH).exports
    assert (receipt.kind, receipt.status, receipt.sent.rows) == ("elsewhere", "succeeded", 2)


def test_a_run_exports_its_table_and_keeps_a_receipt(shop: Shop, sent: list[ExportPlan]) -> None:
    shop.lists([{"to": "s3"}])
    result = shop.run(NORTH, SOUTH)
    (receipt,) = result.exports
    assert (receipt.status, receipt.sent.rows, receipt.run_id, result.exit_code) == (
        "succeeded",
        2,
        result.run_id,
        0,
    )
    (kept,) = shop.log
    assert (kept["run_id"], kept["rows"], kept["table_version"], kept["statements"]) == (result.run_id, 2, 0, ["one"])


def test_the_same_version_is_not_sent_again_unless_forced(shop: Shop, sent: list[ExportPlan]) -> None:
    shop.lists([{"to": "s3"}])
    shop.table(NORTH)
    shop.export()
    (again,) = shop.export()
    assert (again.status, len(sent), len(shop.log)) == ("unchanged", 1, 1)
    assert again.reason.startswith("version 0 was sent ")
    (forced,) = shop.export(force=True)
    assert (forced.status, len(sent)) == ("succeeded", 2)


@pytest.mark.parametrize("format_", ["parquet", "iceberg"])
def test_a_table_of_any_format_is_sent(shop: Shop, sent: list[ExportPlan], format_: str) -> None:
    fields = [{"name": "region", "type": "string"}, {"name": "orders", "type": "bigint"}]
    target = {"strategy": "append", "target_path": "tables/kpis", "format": format_}
    shop.lists([{"to": "s3"}], model={"fields": fields}, materialization=target)
    row = {"region": "north", "orders": 1}
    first, second = shop.run(row), shop.run({**row, "region": "south"})
    assert [each.sent.rows for result in (first, second) for each in result.exports] == [1, 2]


def test_a_table_with_history_is_merged_by_its_surrogate_key(shop: Shop) -> None:
    history = {"strategy": "scd2", "target_path": "tables/kpis", "scd2": {"surrogate_key": "kpi_sk"}}
    shop.lists([SNOWFLAKE], materialization=history)
    loaded = load_contract(shop.contract)
    assert keys_of(loaded, loaded.model.exports[0]) == ("kpi_sk",)


def test_another_set_of_columns_is_sent_though_the_version_is_the_same(shop: Shop, sent: list[ExportPlan]) -> None:
    shop.lists([{"to": "s3"}])
    shop.table(NORTH)
    shop.export()
    shop.lists([{"to": "s3", "columns": ["region", "orders"]}])
    (receipt,) = shop.export()
    assert receipt.status == "succeeded"
    assert sent[-1].columns.names == ["region", "orders"]


def test_a_failed_export_fails_the_command_and_not_the_run(shop: Shop, refusing: None) -> None:
    shop.lists([{"to": "s3"}])
    result = shop.run(NORTH)
    assert (result.status, result.exit_code, result.blocks_downstream) == ("succeeded", 1, False)
    assert result.export_failures == ("the export to s3://lab/gold/kpis failed: it says no.",)
    assert [row["status"] for row in RunLog(shop.root / ".lakelogic").rows()] == ["succeeded"]
    assert [(row["status"], row["error"]) for row in shop.log] == [("failed", "it says no.")]


def test_a_run_without_new_data_sends_what_could_not_be_sent_before(
    shop: Shop, refusing: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.lists([{"to": "s3"}], source={"path": "landing", "pattern": "*.json", "load_mode": "incremental"})
    shop.run(NORTH)
    monkeypatch.setattr(S3, "send", lambda *_: Sent(1))
    result = DataProcessor(shop.contract, "duckdb").run()
    assert (result.status, [each.status for each in result.exports]) == ("no_new_data", ["succeeded"])


def test_a_failed_export_fails_the_pipeline_and_blocks_nothing(tmp_path: Path, refusing: None) -> None:
    lake = Lake(tmp_path)
    lake.contract("silver_orders", "exports: [{to: s3}]\n")
    lake.contract("gold_orders", source="silver_orders", upstream="silver_orders")
    lake.registry({"orders": {"silver": "silver_orders.yaml", "gold": "gold_orders.yaml"}})
    summary = lake.drive()
    assert summary.exit_code == 1
    assert statuses(summary) == {"silver_orders": "succeeded", "gold_orders": "succeeded"}
    assert "the export to s3://lab/silver/silver_orders failed" in summary.outcomes[0].reason


def test_what_does_not_answer_is_tried_again(
    shop: Shop, sent: list[ExportPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [ExportUnavailable("not now."), ExportUnavailable("not now."), None]

    def send(*_: object) -> Sent:
        if (error := answers.pop(0)) is not None:
            raise error
        return Sent(1)

    monkeypatch.setattr(S3, "send", send)
    monkeypatch.setattr("lakelogic.exports.sending._LONGEST_WAIT", 0.01)
    shop.lists([{"to": "s3"}])
    (receipt,) = shop.run(NORTH).exports
    assert (receipt.status, receipt.attempts) == ("succeeded", 3)


def test_a_target_that_is_not_configured_is_told_and_fails_nothing(shop: Shop) -> None:
    shop.lists([SNOWFLAKE])
    result = shop.run(NORTH)
    assert [(each.status, result.exit_code) for each in result.exports] == [("not_configured", 0)]
    assert result.exports[0].reason == "SNOWFLAKE_ACCOUNT, SNOWFLAKE_USER, SNOWFLAKE_PASSWORD not set"
    assert shop.log == []


def test_a_run_that_writes_elsewhere_exports_nothing(shop: Shop, sent: list[ExportPlan]) -> None:
    shop.lists([{"to": "s3"}])
    shop.rows(NORTH)
    DataProcessor(shop.contract, "duckdb").run_source(target=str(shop.root / "tables/other"))
    assert sent == []


def test_a_run_that_blocks_what_is_downstream_exports_nothing(shop: Shop, sent: list[ExportPlan]) -> None:
    rules = {"dataset_rules": [{"row_count_between": {"min": 2}}]}
    shop.lists([{"to": "s3"}], quality=rules)
    assert shop.run(NORTH).exit_code == 1
    assert sent == []


def test_private_columns_are_never_sent_in_clear(shop: Shop, sent: list[ExportPlan]) -> None:
    fields = [{"name": "region", "type": "string", "pii": True}, {"name": "orders", "type": "bigint"}]
    shop.lists([{"to": "s3"}], model={"fields": fields})
    with pytest.raises(ContractInvalid, match="the export to s3 would send region in clear"):
        load_contract(shop.contract)
    shop.lists([{"to": "s3", "columns": ["orders"]}], model={"fields": fields}, primary_key=[])
    load_contract(shop.contract)
    shop.lists([], model={"fields": fields})
    shop.project('[[exports]]\ncontract = "kpis"\nto = "s3"\n')
    (receipt,) = shop.run(NORTH).exports
    assert (receipt.status, sent) == ("failed", [])
    assert "region would be sent in clear" in receipt.reason


def test_keys_that_do_not_tell_rows_apart_are_refused_before_anything_is_sent(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = {"SNOWFLAKE_ACCOUNT": "a", "SNOWFLAKE_USER": "u", "SNOWFLAKE_PASSWORD": "a-password"}
    shop.lists([SNOWFLAKE])
    shop.table(NORTH, NORTH, SOUTH)
    (receipt,) = shop.export(environment=variables)
    assert "1 values of the key region are there more than once" in receipt.reason
    shop.lists([{**SNOWFLAKE, "keys": ["orders"]}])
    (receipt,) = shop.export(environment=variables)
    assert "1 rows have no value in the key orders" in receipt.reason
    assert shop.log == []


@pytest.mark.parametrize(
    ("export", "told"),
    [
        ({"to": "snowflake"}, "needs a table of three parts"),
        ({"to": "databricks", "table": "gold.kpis"}, "needs a table of three parts"),
        ({"to": "s3", "table": "a.b.c"}, "have no meaning for s3"),
        ({**SNOWFLAKE, "prefix": "x"}, "prefix has no meaning for snowflake"),
        ({**SNOWFLAKE, "mode": "replace", "delete_missing": True}, "no meaning with mode replace"),
        ({"to": "bigquery"}, "bigquery"),
    ],
)
def test_an_export_that_makes_no_sense_is_refused_with_its_line(
    shop: Shop, export: dict[str, object], told: str
) -> None:
    shop.lists([export])
    with pytest.raises(ContractInvalid, match=told) as raised:
        load_contract(shop.contract)
    assert raised.value.problems[0].place is not None


def test_the_project_lists_exports_in_sections_or_in_a_file(shop: Shop, sent: list[ExportPlan]) -> None:
    shop.lists([])
    shop.project('exports = "data/targets.json"\n')
    (shop.root / "data").mkdir()
    entry = {"contract": "kpis", "to": "s3", "prefix": "from/file"}
    (shop.root / "data/targets.json").write_text(json.dumps({"exports": [entry]}))
    assert [each.target for each in shop.run(NORTH).exports] == ["s3://lab/from/file"]
    (shop.root / "data/targets.json").write_text(json.dumps({"exports": [{**entry, "too": 1}]}))
    with pytest.raises(UsageError, match=r"targets.json: exports.0.too"):
        shop.export()


def test_status_tells_what_is_set_and_the_last_receipt_and_no_secret(shop: Shop, sent: list[ExportPlan]) -> None:
    shop.lists([{"to": "s3"}])
    project = find_project(shop.root)
    assert export_status(project, {}) == {
        "databricks": {"configured": False, "host": "(not set)"},
        "s3": {"configured": False, "bucket": "(not set)"},
        "snowflake": {"configured": False, "account": "(not set)"},
    }
    result = shop.run(NORTH)
    told = export_status(project)
    assert (told["s3"]["configured"], told["s3"]["bucket"]) == (True, "lab")
    last = told["s3"]["last_export"]
    assert isinstance(last, dict)
    assert (last["status"], last["rows"], last["run_id"]) == ("succeeded", 1, result.run_id)
    assert "a-secret" not in json.dumps(told)
    assert "an-id" not in json.dumps(told)


def test_the_command_exports_a_project_and_says_so(
    shop: Shop, sent: list[ExportPlan], capsys: pytest.CaptureFixture[str]
) -> None:
    shop.lists([{"to": "s3"}, SNOWFLAKE])
    shop.table(NORTH)
    assert shop.command(str(shop.root), "--json", "--force") == 0
    told = json.loads(capsys.readouterr().out)["exports"]
    assert [(each["to"], each["status"], each["rows"]) for each in told] == [
        ("s3", "succeeded", 1),
        ("snowflake", "not_configured", None),
    ]
    assert shop.command(str(shop.contract), "--to", "s3") == 0
    assert "unchanged: version 0 was sent" in capsys.readouterr().out


def test_the_command_plans_without_sending(
    shop: Shop, sent: list[ExportPlan], capsys: pytest.CaptureFixture[str]
) -> None:
    shop.lists([])
    shop.table(NORTH, SOUTH)
    shop.lists([{"to": "s3"}])
    assert shop.command(str(shop.contract), "--dry-run") == 0
    assert "would send 2 rows" in capsys.readouterr().out
    assert (sent, shop.log) == ([], [])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--to", "snowflake"], "snowflake is not configured. Set SNOWFLAKE_ACCOUNT"),
        (["--to", "databricks"], "no export to databricks is listed"),
        (["--to", "snow"], "Did you mean 'snowflake'?"),
    ],
)
def test_the_command_refuses_what_it_can_not_do(
    shop: Shop, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.lists([SNOWFLAKE])
    shop.table(NORTH)
    assert shop.command(str(shop.contract), *words) == 2
    assert told in capsys.readouterr().err.replace("\n", " ")


def test_the_command_fails_where_an_export_failed(
    shop: Shop, refusing: None, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.lists([{"to": "s3"}])
    shop.table(NORTH)
    assert shop.command(str(shop.contract)) == 1
    assert "failed: it says no." in capsys.readouterr().out


def test_a_table_that_was_never_written_is_told(
    shop: Shop, sent: list[ExportPlan], capsys: pytest.CaptureFixture[str]
) -> None:
    shop.lists([{"to": "s3"}])
    assert shop.command(str(shop.contract)) == 1
    assert "Run the contract first" in capsys.readouterr().err


def test_a_file_that_vanishes_while_it_is_read_fails_the_export(shop: Shop, sent: list[ExportPlan]) -> None:
    shop.lists([{"to": "s3"}])
    shop.table(NORTH)
    with opened(load_contract(shop.contract)) as stored:
        for file in (shop.root / "tables/kpis").glob("*.parquet"):
            file.unlink()
        with pytest.raises(SourceError, match="can't read the rows"):
            list(stored.rows(stored.columns, None).batches(10))


def test_a_disk_that_is_full_fails_the_export_and_not_the_run(
    shop: Shop, sent: list[ExportPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    def send(*_: object) -> Sent:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(S3, "send", send)
    shop.lists([{"to": "s3"}])
    (receipt,) = shop.run(NORTH).exports
    assert (receipt.status, receipt.reason) == (
        "failed",
        "a file can't be read or written: No space left on device.",
    )


def test_a_missing_library_is_told_with_what_to_install(
    shop: Shop, sent: list[ExportPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(S3, "library", "boto4")
    shop.lists([{"to": "s3"}])
    (receipt,) = shop.run(NORTH).exports
    assert "pip install 'lakelogic[s3]'" in receipt.reason


def test_a_place_that_another_export_is_writing_to_is_left_alone(shop: Shop, sent: list[ExportPlan]) -> None:
    shop.lists([{"to": "s3"}])
    with target_lock(shop.root / ".lakelogic", "export s3://lab/gold/kpis", "another"):
        (receipt,) = shop.run(NORTH).exports
    assert receipt.status == "failed"
    assert sent == []
