"""The plan: pure, and the same for the same contract and columns."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from lakelogic.contract import LoadedContract, load_text
from lakelogic.errors import ContractError, ContractInvalid, ReconciliationError, SourceError, SqlError
from lakelogic.plan.build import Given, build_plan
from lakelogic.plan.locations import Location, locate, quarantine_of
from lakelogic.plan.model import Plan, ReadPlan
from lakelogic.plan.names import FILE, MALFORMED, POSITION
from lakelogic.plan.tables import identity_of, target_of
from lakelogic.run.result import Counts
from lakelogic.sources.discover import source_of
from lakelogic.sql.duckdb.render import to_duckdb
from lakelogic.sql.render import to_spark
from lakelogic.sql.types import Column, Columns, parse_type

_CONTRACT = """
    source: {path: in.csv}
    model:
      fields:
        - {name: id, type: int, required: true}
        - {name: name, type: string}
    quality:
      row_rules: [{sql: length(name) > 1}]
    primary_key: [id]
    materialization: {strategy: merge, target_path: silver/customers}
"""
_READ = ReadPlan("files", "in.csv", "csv", "full", "load_mode is full", ())


def _loaded(text: str = _CONTRACT) -> LoadedContract:
    return load_text(textwrap.dedent(text), file="c.yaml", directory=Path("/project"))


def _columns(*names: str) -> Columns:
    text = parse_type("string")
    return Columns((*(Column(name, text) for name in names), FILE, POSITION, MALFORMED))


def _plan(text: str = _CONTRACT, *, columns: Columns | None = None, read: ReadPlan = _READ) -> Plan:
    return build_plan(_loaded(text), Given(read, columns or _columns("id", "name"), "spark", to_spark))


def test_the_fingerprint_is_that_of_what_happens_and_not_of_why() -> None:
    same = [
        _plan(),
        _plan(_CONTRACT + "    info: {title: Customers, owner: me, description: All of them}\n"),
        _plan(read=replace(_READ, reason="another reason")),
    ]
    assert len({plan.fingerprint for plan in same}) == 1
    others = [
        _plan(_CONTRACT.replace("> 1", "> 2")),
        _plan(_CONTRACT.replace("type: int", "type: bigint")),
        _plan(_CONTRACT.replace("strategy: merge", "strategy: overwrite")),
        _plan(_CONTRACT.replace("silver/customers", "gold/customers")),
        _plan(columns=_columns("id", "name", "more")),
        _plan(_CONTRACT + "    lineage: {enabled: true}\n"),
        _plan(_CONTRACT + "    quarantine: {fail_on_quarantine: true}\n"),
    ]
    assert len({plan.fingerprint for plan in (same[0], *others)}) == len(others) + 1


def test_a_plan_knows_nothing_of_its_run() -> None:
    plan = _plan(_CONTRACT + "    lineage: {enabled: true}\n")
    assert "<the run's id>" in plan.publish.replace("\\'", "'")
    assert plan == _plan(_CONTRACT + "    lineage: {enabled: true}\n")


def test_every_problem_of_a_plan_is_told_at_once_with_its_place() -> None:
    text = _CONTRACT.replace("[{sql: length(name) > 1}]", "[{sql: nmae > 1}, {sql: idd > 1}]")
    with pytest.raises(ContractInvalid) as caught:
        _plan(text)
    told = [str(problem) for problem in caught.value.problems]
    assert len(told) == 2
    assert told[0].startswith("c.yaml:8:") and "Did you mean 'name'?" in told[0]
    assert "Did you mean 'id'?" in told[1]


def test_a_key_that_no_column_has_is_told_where_it_is_written() -> None:
    text = _CONTRACT.replace("primary_key: [id]", "primary_key: [idd]")
    with pytest.raises(ContractInvalid, match=r"^c.yaml:9:1: column 'idd' is unknown"):
        _plan(text)
    inside = _CONTRACT.replace("    primary_key: [id]\n", "").replace("merge,", "merge, primary_key: [idd],")
    with pytest.raises(ContractInvalid, match=r"^c.yaml:9:36: column 'idd' is unknown"):
        _plan(inside)


@pytest.mark.parametrize("condition", ["id", "length(name)", "id + 1"])
def test_a_rule_that_is_neither_true_nor_false_is_refused(condition: str) -> None:
    with pytest.raises(ContractInvalid, match=r"c.yaml:8:.*a condition is true or false, but .* is of type int"):
        _plan(_CONTRACT.replace("length(name) > 1", condition))
    filtering = f"    transformations: [{{filter: {condition}}}]\n"
    with pytest.raises(ContractError, match="a condition is true or false"):
        _plan(_CONTRACT + filtering)


def test_a_rule_that_an_engine_cant_run_is_told_with_its_place() -> None:
    text = _CONTRACT.replace("length(name) > 1", "soundex(name) = 'x'")
    with pytest.raises(SqlError, match=r"^c.yaml:8:\d+: duckdb can't run this"):
        build_plan(_loaded(text), Given(_READ, _columns("id", "name"), "duckdb", to_duckdb))


def test_a_source_without_columns_is_refused_where_none_is_declared() -> None:
    with pytest.raises(SourceError, match=r"in.csv has no columns, and the contract declares none"):
        _plan("source: {path: in.csv}\nmaterialization: {strategy: append, target_path: x}\n", columns=_columns())


@pytest.mark.parametrize(
    ("text", "location"),
    [
        ("silver.customers", Location("silver.customers", is_name=True)),
        ("main.silver.customers", Location("main.silver.customers", is_name=True)),
        ("main.`odd name`.`t.x`", Location("main.`odd name`.`t.x`", is_name=True)),
        ("customers.csv", Location("/project/customers.csv")),
        ("data.parquet", Location("/project/data.parquet")),
        ("silver/customers", Location("/project/silver/customers")),
        ("../in/*.csv", Location("/in/*.csv")),
        ("/data/x", Location("/data/x")),
        ("file:///data/x", Location("/data/x")),
        ("s3://bucket/a.b", Location("s3://bucket/a.b")),
        ("in/{a,b}.csv", Location("/project/in/{a,b}.csv")),
    ],
)
def test_a_path_is_relative_to_the_contract_and_a_name_is_none(text: str, location: Location) -> None:
    assert locate(text, Path("/project")) == location


def test_a_placeholder_without_a_value_is_refused() -> None:
    with pytest.raises(ContractError, match=r"placeholder '\{layer\}'"):
        locate("{layer}/customers", Path("/project"))


@pytest.mark.parametrize(
    ("target", "quarantine"),
    [
        (Location("c.s.t", is_name=True), "c.quarantine.s_t"),
        (Location("s.t", is_name=True), "quarantine.s_t"),
        (Location("/data/t"), "/data/t_quarantine"),
        (Location("/data/t/"), "/data/t_quarantine"),
        (Location("s3://b/t"), "s3://b/t_quarantine"),
    ],
)
def test_quarantine_stands_beside_its_target(target: Location, quarantine: str) -> None:
    assert quarantine_of(target) == Location(quarantine, target.is_name)


def test_a_quarantine_of_a_name_with_odd_parts_is_a_name_again() -> None:
    found = quarantine_of(Location("c.`odd name`.`t.x`", is_name=True))
    assert found.parts == ("c", "quarantine", "odd name_t.x")


def test_without_a_target_rows_go_below_the_root_by_layer_and_name() -> None:
    text = "dataset: customers\nlayer: silver\nsource: {path: in.csv}\n"
    assert target_of(_loaded(text)).text.endswith("/silver/customers")


def test_an_identity_stays_within_its_folder_and_tells_contracts_apart() -> None:
    target = Location("/data/t")
    names = ["customers", "../../etc", "a/b", "ünï code", "."]
    identities = [identity_of(_loaded(f"dataset: '{name}'\nsource: {{path: in.csv}}\n"), target) for name in names]
    assert len(set(identities)) == len(names)
    assert all("/" not in identity and not identity.startswith(".") for identity in identities)
    assert identities[0] != identity_of(_loaded("dataset: customers\nsource: {path: in.csv}\n"), Location("/data/u"))


@pytest.mark.parametrize(
    ("counts", "adds_up"),
    [
        (Counts(4, 0, 2, 2, 0, 0, 2, 2), True),
        (Counts(4, 3, 5, 2, 0, 0, 5, 2), True),
        (Counts(9, 0, 1, 2, 3, 3, 1, 2), True),
        (Counts(4, 0, 2, 1, 0, 0, 2, 1), False),
        (Counts(None, 0, 2, 1, 0, 0, 2, 1), True),
    ],
)
def test_counts_add_up_or_the_run_fails(counts: Counts, adds_up: bool) -> None:
    if adds_up:
        counts.reconcile()
    else:
        with pytest.raises(ReconciliationError, match="4 rows came in and 3 are accounted for"):
            counts.reconcile()


def test_a_ratio_that_is_not_known_is_none_and_one_of_no_rows_is_zero() -> None:
    assert Counts().ratio is None
    assert Counts(0, 0, 0, 0, 0, 0, 0, 0).ratio == 0
    assert Counts(4, 0, 2, 2, 0, 0, 2, 2).ratio == 0.5


def test_a_placeholder_without_a_value_is_told_with_its_place() -> None:
    text = "source: {path: 'in/{entty}.csv'}\nmaterialization: {strategy: append, target_path: 'out/{lyer}'}\n"
    loaded = load_text(text, file="orders.yaml")
    with pytest.raises(ContractError, match=r"^orders.yaml:1:10: placeholder '\{entty\}' in"):
        source_of(loaded)
    with pytest.raises(ContractError, match=r"^orders.yaml:2:37: placeholder '\{lyer\}' in"):
        target_of(loaded)
