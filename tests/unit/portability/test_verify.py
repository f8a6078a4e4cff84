"""Rows made for a contract, run on the engines that need no wait, and compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lakelogic.cli.main import main
from lakelogic.contract import LoadedContract, load_contract
from lakelogic.engines.opening import EngineSettings, choice
from lakelogic.errors import EngineUnavailable
from lakelogic.portability.rows import columns_for, rows_for
from lakelogic.portability.trial import Stored
from lakelogic.portability.verify import _tables, verify
from lakelogic.sql.types import Columns

LIGHT = ("duckdb", "polars")
CONTRACT = """
dataset: orders
source: {path: in/*.csv}
model:
  fields:
    - {name: id, type: bigint, required: true}
    - {name: status, type: string, accepted_values: [paid, open]}
    - {name: amount, type: double, min: 0}
    - {name: email, type: string, pii: true, masking: encrypt}
transformations:
  - sql: lower(trim(email)) AS email
quality:
  row_rules: [{sql: "amount < 1000"}, {sql: "email LIKE '%@%.%'"}]
primary_key: [id]
lineage: {enabled: true}
materialization: {strategy: merge, target_path: out/orders}
"""


@pytest.fixture
def loaded(tmp_path: Path) -> LoadedContract:
    return load_contract(_written(tmp_path, CONTRACT))


def _written(folder: Path, text: str) -> Path:
    path = folder / "contract.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def _silent(_: str) -> None:
    """Nobody watches."""


def test_rows_are_the_same_each_time_and_others_for_another_seed(loaded: LoadedContract) -> None:
    columns = columns_for(loaded, None)
    assert rows_for(loaded, columns, 50, 1) == rows_for(loaded, columns, 50, 1)
    assert rows_for(loaded, columns, 50, 1) != rows_for(loaded, columns, 50, 2)


def test_rows_hold_what_the_contract_itself_names(loaded: LoadedContract) -> None:
    rows = rows_for(loaded, columns_for(loaded, None), 0, 0)
    assert {"paid", "open", None, ""} <= {row["status"] for row in rows}
    assert {"0", "999", "1000", "1001", "NaN", "x"} <= {row["amount"] for row in rows}
    assert "a@a.a" in {row["email"] for row in rows}


def test_keys_of_rows_are_never_repeated(loaded: LoadedContract) -> None:
    keys = [row["id"] for row in rows_for(loaded, columns_for(loaded, None), 100, 0)]
    assert len(set(keys)) == len(keys)


def test_columns_of_a_source_win_over_the_model(loaded: LoadedContract) -> None:
    found = columns_for(loaded, Columns.of(id="int", extra="date"))
    assert found.names == ["id", "extra"]


def test_engines_that_agree_get_a_certificate(loaded: LoadedContract, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    verdict = verify(loaded, LIGHT, 40, 0, _silent)
    assert verdict.is_portable, verdict.differences
    good, quarantined = {(t.result.counts.good, t.result.counts.quarantined) for t in verdict.trials if t.result}.pop()
    assert good and quarantined and good + quarantined == verdict.rows
    assert sorted(tmp_path.rglob("*")) == before, "the contract's own place is touched"


def test_a_cell_that_differs_is_named_with_its_row() -> None:
    types = {"id": "int", "name": "string"}
    mine = Stored(types, ({"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 2, "name": "b"}))
    theirs = Stored(types, ({"id": 2, "name": "b"}, {"id": 1, "name": "A"}, {"id": 2, "name": "b"}))
    assert _tables("good rows", mine, mine, "other") == []
    (difference,) = _tables("good rows", mine, theirs, "other")
    assert (difference.column, difference.expected, difference.found) == ("name", "'a'", "'A'")
    assert difference.row == "id=1, name='a'"


@pytest.mark.parametrize(("mine", "theirs"), [((), ({"id": 1},)), (({"id": 1},), ())])
def test_a_row_that_only_one_engine_has_is_named(
    mine: tuple[dict[str, object]], theirs: tuple[dict[str, object]]
) -> None:
    (difference,) = _tables("quarantine", Stored({"id": "int"}, mine), Stored({"id": "int"}, theirs), "other")
    assert difference.column == "row"
    assert "no such row" in (difference.expected, difference.found)


def test_another_type_or_order_of_columns_is_a_difference() -> None:
    for other in ({"id": "bigint", "n": "int"}, {"n": "int", "id": "int"}):
        (difference,) = _tables("good rows", Stored({"id": "int", "n": "int"}, ()), Stored(other, ()), "other")
        assert difference.column == "columns"


def test_an_engine_that_refuses_the_contract_is_told_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _written(tmp_path, CONTRACT.replace("amount < 1000", "levenshtein(email, 'x') > 1"))
    assert main(["verify-portability", str(path), "--engines", "duckdb,polars", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["portable"] is False
    assert all("can't run this with the same meaning" in engine["refusal"] for engine in told["engines"])


def test_one_engine_alone_has_nothing_to_be_compared_with(loaded: LoadedContract) -> None:
    with pytest.raises(EngineUnavailable, match="nothing to compare"):
        verify(loaded, (choice(EngineSettings("duckdb")).name,), 0, 0, _silent)


def test_the_command_says_so_and_exits_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _written(tmp_path, CONTRACT)
    assert main(["verify-portability", str(path), "--engines", "duckdb,polars", "--rows", "10"]) == 0
    assert "means the same on duckdb and polars" in capsys.readouterr().out
