"""From nothing but files to runs: `lakelogic bootstrap` and `lakelogic infer`, as a user starts them."""

from __future__ import annotations

import csv
import json
import os
import shlex
import subprocess
import sys
from datetime import UTC, date, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakelogic import DataProcessor, load_contract
from lakelogic.cli.driver import main as driver_main
from lakelogic.cli.main import main
from lakelogic.contract.lint.base import lint
from tests.scenarios.test_driver_seed import placed

PRINTED = """bootstrap \
--landing examples/insurance_elt/data/bronze \
--output-dir examples/insurance_elt/bootstrap_contracts \
--registry examples/insurance_elt/bootstrap_contracts/_registry.yaml \
--format csv \
--pattern "*.csv" """
FOLDER = Path("examples/insurance_elt/bootstrap_contracts")
REGISTRY = f"--registry {FOLDER}/_registry.yaml"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(placed(tmp_path))
    return tmp_path


def _driven(capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[str, int, int]]:
    capsys.readouterr()
    code = driver_main([*shlex.split(REGISTRY), "--engine", "duckdb", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert code == 0, told
    return {run["contract"]: (run["status"], run["counts_good"], run["counts_quarantined"]) for run in told["runs"]}


def test_the_printed_command_writes_a_registry_that_the_driver_runs(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(shlex.split(PRINTED)) == 0
    assert _driven(capsys) == {
        "bronze_insurance_elt_claims_cdc": ("succeeded", 131, 0),
        "bronze_insurance_elt_customers": ("succeeded", 53, 0),
        "bronze_insurance_elt_policies": ("succeeded", 150, 0),
    }
    customers = DeltaTable(FOLDER / "output/bronze/customers").to_pyarrow_table().to_pylist()
    assert {row["birth_date"] for row in customers} == {None}
    assert all(row["full_name"].endswith("***") and "***" in row["email"] for row in customers)
    found = [finding.code for file in FOLDER.glob("bronze/*.yaml") for finding in lint(load_contract(file))]
    assert set(found) == {"no-owner"}


def test_silver_suggestions_keep_one_row_for_each_key(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*shlex.split(PRINTED), "--silver", "--owner", "data@example.com"]) == 0
    runs = _driven(capsys)
    assert {status for status, _, _ in runs.values()} == {"succeeded"}
    policies = DeltaTable(FOLDER / "output/silver/policies").to_pyarrow_table().to_pylist()
    assert len({row["policy_id"] for row in policies}) == len(policies)
    claims = DeltaTable(FOLDER / "output/silver/claims_cdc").to_pyarrow_table().to_pylist()
    assert len({row["claim_id"] for row in claims}) == len(claims)
    assert runs["silver_insurance_elt_claims_cdc"][2] == 1, "the row without a key"
    assert [finding.code for file in FOLDER.glob("*/*.yaml") for finding in lint(load_contract(file))] == []


def test_what_was_edited_stays_and_what_is_new_is_added(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(shlex.split(PRINTED))
    edited = FOLDER / "bronze/customers.yaml"
    edited.write_text(edited.read_text().replace("masking: nullify", "masking: redact"))
    landing = Path("examples/insurance_elt/data/bronze")
    (landing / "payments_2026-02-01.csv").write_text("payment_id,amount\n1,2.50\n")
    policies = FOLDER / "bronze/policies.yaml"
    before = policies.read_text()
    (landing / "policies_2026-02-08.csv").write_text("policy_id,customer_id,agent\nP00001,C0001,Ann\n")
    capsys.readouterr()

    assert main(shlex.split(PRINTED)) == 2
    assert "Pass --sync" in capsys.readouterr().err
    assert not (FOLDER / "bronze/payments.yaml").exists()

    assert main([*shlex.split(PRINTED), "--sync"]) == 0
    told = capsys.readouterr().out
    assert "masking: redact" in edited.read_text()
    assert "-      masking: redact" in told
    assert "+      masking: nullify" in told
    assert (FOLDER / "bronze/payments.yaml").exists()
    assert "entity: payments" in (FOLDER / "_registry.yaml").read_text()
    assert "agent is missing in 7 of 8 files" in policies.read_text()
    assert before != policies.read_text()

    assert main([*shlex.split(PRINTED), "--json", "--sync"]) == 0
    states = {Path(file["path"]).name: file["state"] for file in json.loads(capsys.readouterr().out)["files"]}
    assert states == {
        "claims_cdc.yaml": "same",
        "customers.yaml": "edited",
        "payments.yaml": "same",
        "policies.yaml": "same",
        "_registry.yaml": "same",
    }


def _inferred(folder: Path, source: Path, *options: str) -> tuple[str, Any]:
    contract = folder / "contract.yaml"
    contract.unlink(missing_ok=True)
    assert main(["infer", str(source), "-o", str(contract), *options]) == 0
    return contract.read_text(), DataProcessor(contract, "duckdb").run()


_TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=8)
_COLUMNS: dict[str, st.SearchStrategy[str]] = {
    "note": _TEXTS,
    "count": st.integers(-(10**12), 10**12).map(str),
    "code": st.integers(0, 99999).map(lambda n: f"{n:05d}"),
    "price": st.decimals(-(10**6), 10**6, places=2).map(str),
    "score": st.floats(allow_nan=False, allow_infinity=False).map(repr),
    "day": st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(str),
    "dotted": st.dates(date(1900, 1, 1), date(2099, 1, 1)).map(lambda d: f"{d:%d.%m.%Y}"),
    "at": st.integers(-2_000_000_000, 4_000_000_000).map(
        lambda s: f"{datetime.fromtimestamp(s, UTC):%Y-%m-%d %H:%M:%S}"
    ),
    "flag": st.sampled_from(["true", "FALSE", "yes", "no"]),
    "state": st.sampled_from(["open", "paid", "N/A", "1", "null"]),
    "mixed": st.one_of(st.integers().map(str), st.dates().map(str), _TEXTS),
}


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_the_contract_of_a_file_accepts_all_its_rows(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(_COLUMNS)), min_size=2, max_size=6, unique=True))
    number = data.draw(st.sampled_from([1, 3, 30]))
    rows = [[data.draw(st.one_of(_COLUMNS[name], st.just(""))) for name in names] for _ in range(number)]
    folder = tmp_path_factory.mktemp("inferred")
    text = StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([names, *rows])
    (folder / "things.csv").write_text(text.getvalue(), encoding="utf-8", newline="")
    contract, result = _inferred(folder, folder / "things.csv")
    assert (result.counts.good, result.counts.quarantined) == (number, 0), contract


def test_dates_in_another_form_become_dates_and_bad_ones_are_told(tmp_path: Path) -> None:
    source = tmp_path / "visits.csv"
    source.write_text("visit_id,on\n" + "".join(f"{n},{n:02d}.01.2026\n" for n in range(10, 31)))
    contract, _ = _inferred(tmp_path, source)
    assert "type: date" in contract
    rows = DeltaTable(tmp_path / "output/bronze/visits").to_pyarrow_table().to_pylist()
    assert min(row["on"] for row in rows) == date(2026, 1, 10)
    source.write_text("visit_id,on\n1,31.02.2026\n")
    _, bad = DataProcessor(tmp_path / "contract.yaml", "duckdb").run()
    assert [row["_lakelogic_errors"] for row in bad.to_arrow_table().to_pylist()] == [
        ["Type mismatch: on cannot be cast to date"]
    ]


def test_json_and_parquet_keep_the_types_that_they_have(tmp_path: Path) -> None:
    lines = [{"order_id": n, "zip": "01234", "paid": n % 2 == 0, "price": n + 0.5, "at": "2026-02-01T10:00:00Z",
              "items": [{"sku": "a", "n": n}]} for n in range(1, 31)]  # fmt: skip
    (tmp_path / "orders.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
    contract, result = _inferred(tmp_path, tmp_path / "orders.json")
    assert result.counts.good == 30
    for column, kind in {"zip": "string", "paid": "boolean", "price": "decimal(12,2)", "at": "timestamp"}.items():
        assert f"name: {column}\n      type: {kind} " in contract
    assert "type: array<struct<n:bigint,sku:string>>" in contract.replace("`", "")

    pq.write_table(pa.table({"id": pa.array([1, 2], pa.int32()), "price": [1.5, None]}), tmp_path / "prices.parquet")
    contract, result = _inferred(tmp_path, tmp_path / "prices.parquet")
    assert result.counts.good == 2
    assert "name: id\n      type: int " in contract
    assert "name: price\n      type: double " in contract


def test_files_without_a_header_get_names_that_a_run_uses(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("".join(f"{n};Ann;1990-01-{n:02d}\n" for n in range(1, 29)))
    contract, result = _inferred(tmp_path, tmp_path / "people.csv")
    assert "has_header: false" in contract
    assert result.counts.good == 28
    (row, *_) = DeltaTable(tmp_path / "output/bronze/people").to_pyarrow_table().to_pylist()
    assert set(row) >= {"column_1", "column_2", "column_3"}


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (b"", 1, "every file of 'things' is empty"),
        (b"PK\x03\x04\x00\x00\x00", 1, "is binary, not text"),
        (b'a,b\n1,"x"y\n', 1, "has text after a closing"),
        (b"a,a\n1,2\n", 1, "has column 'a' twice"),
    ],
)
def test_a_file_that_can_not_be_read_is_told_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, code: int, said: str
) -> None:
    (tmp_path / "things.csv").write_bytes(content)
    assert main(["infer", str(tmp_path / "things.csv")]) == code
    assert said in capsys.readouterr().err


def test_what_is_unreadable_is_left_out_and_the_rest_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "landing").mkdir()
    (tmp_path / "landing/good.csv").write_text("id,name\n1,a\n")
    (tmp_path / "landing/only_header.csv").write_text("id,name\n")
    (tmp_path / "landing/broken.csv").write_bytes(b"\x00\x01")
    (tmp_path / "landing/broken.parquet").write_bytes(b"PAR1")
    arguments = ["bootstrap", "--landing", str(tmp_path / "landing"), "--output-dir", str(tmp_path / "c"),
                 "--registry", str(tmp_path / "c/_registry.yaml"), "--json"]  # fmt: skip
    assert main(arguments) == 1
    told = json.loads(capsys.readouterr().out)
    assert {entity["name"]: entity["rows"] for entity in told["entities"]} == {"good": 1, "only_header": 0}
    assert len(told["unreadable"]) == 2
    assert all(each["cure"] or "parquet" in each["message"] for each in told["unreadable"])
    assert main(["bootstrap", "--landing", str(tmp_path / "no"), *arguments[3:]]) == 2


def test_malformed_rows_are_counted_and_tell_nothing_of_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "things.csv").write_text("thing_id,amount\n1,2.5\n1\n2,x,9\n2,3.5\n")
    assert main(["infer", str(tmp_path / "things.csv"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["entity"]
    assert (found["rows"], found["malformed"], found["key"]["columns"]) == (2, 2, ["thing_id"])
    assert [column["type"] for column in found["columns"]] == ["string", "decimal(12,2)"]


@pytest.mark.slow
def test_a_file_larger_than_the_memory_is_looked_at_in_a_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "orders.csv").open("w") as out:
        out.write("order_id,note\n")
        out.writelines(f"O{number:09d},{'x' * 100}\n" for number in range(7_000_000))
    monkeypatch.setenv("LAKELOGIC_DUCKDB_MEMORY", "100MB")
    command = [sys.executable, "-m", "lakelogic", "infer", str(tmp_path / "orders.csv"), "--json"]
    with (tmp_path / "told.json").open("w") as out:
        _, status, used = os.wait4(subprocess.Popen(command, stdout=out, cwd=tmp_path).pid, 0)
    assert status == 0
    told = json.loads((tmp_path / "told.json").read_text())["entity"]
    assert (told["rows"], told["key"]["unique"]) == (7_000_000, True)
    assert used.ru_maxrss * 1024 < told["bytes"]
