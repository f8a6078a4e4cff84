"""Two runs side by side."""

from __future__ import annotations

from lakelogic.observe.comparing import Pair, compare
from lakelogic.observe.history import Run, RunDetail
from lakelogic.sql.types import Columns


def a_run(failed: int, version: int, **more: object) -> RunDetail:
    known: dict[str, object] = {"target": "lake/t", "target_version": version, "counts_good": 10 - failed, "plan": "p1"}
    rules = [{"name": "id_required", "failed": failed}]
    report = {"rules": rules, "dataset_rules": [{"name": "u", "value": 0.5}], "timings": {"auditing": float(version)}}
    return RunDetail(Run(f"r{version}", **(known | more)), report)  # type: ignore[arg-type]


def columns(_target: str, version: int) -> Columns | None:
    found = {1: Columns.of(id="int", gone="string"), 2: Columns.of(id="bigint", new="date")}
    return found.get(version)


def test_numbers_rules_times_and_columns_are_compared() -> None:
    compared = compare(a_run(0, 1), a_run(3, 2, plan="p2"), columns)
    assert {pair.name: pair.change for pair in compared.counts}["good"] == -3
    assert compared.rules == (Pair("id_required", 0, 3),)
    assert compared.dataset_rules == (Pair("u", 0.5, 0.5),)
    assert Pair("auditing", 1.0, 2.0) in compared.times
    assert [pair.name for pair in compared.about if pair.differs] == ["plan", "target_version"]
    assert compared.columns == (
        Pair("id", "int", "bigint"),
        Pair("gone", "string", None),
        Pair("new", None, "date"),
    )


def test_what_a_run_did_not_have_is_unknown_and_no_zero() -> None:
    before = RunDetail(Run("r0"), {})
    compared = compare(before, a_run(3, 2), columns)
    assert compared.rules == (Pair("id_required", None, 3),)
    assert compared.rules[0].change is None
    assert compared.columns is None
    told = compared.to_dict()
    assert (told["a"], told["b"], told["columns"]) == ("r0", "r2", None)


def test_columns_of_a_table_that_is_gone_are_unknown() -> None:
    assert compare(a_run(0, 1), a_run(0, 7), columns).columns is None
    assert compare(a_run(0, 1), a_run(0, 2)).columns is None
