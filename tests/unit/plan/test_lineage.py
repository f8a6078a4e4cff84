"""Column lineage: what each column of the target is made of."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from sqlglot import exp

from lakelogic.contract import LoadedContract, load_text
from lakelogic.engines.opening import engines
from lakelogic.plan.build import Given, build_outline, build_plan
from lakelogic.plan.lineage import ColumnLineage, column_lineage, outlined_lineage
from lakelogic.plan.model import LinkPlan, Plan, ReadPlan
from lakelogic.plan.names import FILE, MALFORMED, POSITION
from lakelogic.sql.tracing import Relation
from lakelogic.sql.types import Column, Columns, parse_type
from lakelogic.transforms.base import transforms

_SOURCE = {"id": "int", "name": "string", "email": "string", "amount": "double", "country": "string", "day": "date"}
_READ = ReadPlan("files", "landing/in.csv", "csv", "full", "test", ())
_COUNTRIES = Columns.of(code="string", label="string")

Told = dict[str, tuple[str, list[str]]]


def _plan(body: str, engine: str = "spark", links: Mapping[str, Columns] | None = None, strategy: str = "") -> Plan:
    text = f"source: {{path: in.csv}}\nmaterialization: {{target_path: out{strategy}}}\n{textwrap.dedent(body)}"
    return _planned(load_text(text, file="c.yaml", directory=Path("/project")), engine, _SOURCE, links or {})


def _planned(loaded: LoadedContract, engine: str, columns: Mapping[str, str], links: Mapping[str, Columns]) -> Plan:
    read = {}
    for name, found in links.items():
        sql = f"SELECT {', '.join(found.names)} FROM source"
        read[name] = LinkPlan(name, f"ref/{name}.csv", "csv", sql), found
    rows = Columns((*_typed(columns), FILE, POSITION, MALFORMED))
    return build_plan(loaded, Given(_READ, rows, engine, engines.get(engine).render, read))


def _told_before(loaded: LoadedContract, columns: Mapping[str, str], links: Mapping[str, Columns]) -> Told:
    """The same without a plan."""
    selects = {name: exp.select(*found.names).from_("source") for name, found in links.items()}
    given = {name: (LinkPlan(name, "", "", ""), found) for name, found in links.items()}
    outline = build_outline(loaded, Given(_READ, _typed(columns), "", lambda *_: "", given))
    return _as_told(outlined_lineage(outline, selects, Relation(name="source")))


def _typed(types: Mapping[str, str]) -> Columns:
    return Columns(tuple(Column(name, parse_type(text)) for name, text in types.items()))


def _told(plan: Plan) -> Told:
    """`link.column` for a column of a link, the bare name for one of the source."""
    return _as_told(column_lineage(plan, engines.get(plan.engine).dialect))


def _as_told(found: tuple[ColumnLineage, ...]) -> Told:
    return {
        each.column: (each.kind, [f"{one.link}.{one.column}" if one.link else one.column for one in each.inputs])
        for each in found
    }


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_what_is_only_read_is_itself_and_what_is_cast_or_derived_is_transformed(engine: str) -> None:
    plan = _plan(
        """
        model: {fields: [{name: id, type: bigint}, {name: name, type: string}]}
        transformations:
          - rename: {from: country, to: land}
          - derive: {field: greeting, sql: "concat('Hello ', name, ' of ', land)"}
          - sql: LOWER(email) AS email
          - derive: {field: one, sql: "1"}
        """,
        engine,
    )
    told = _told(plan)
    assert told["name"] == ("identity", ["name"])
    assert told["id"] == ("transformation", ["id"])
    assert told["land"] == ("identity", ["country"])
    assert told["greeting"] == ("transformation", ["country", "name"])
    assert told["email"] == ("transformation", ["email"])
    assert told["one"] == ("generated", [])
    assert "country" not in told and not any(name.startswith("_ll_") for name in told)


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_joins_and_lookups_bring_in_columns_of_links(engine: str) -> None:
    plan = _plan(
        """
        links: [{name: countries, path: ref/countries.csv}, {name: places, path: ref/places.csv}]
        transformations:
          - lookup: {field: label, reference: countries, on: country, key: code, value: label}
          - join: {reference: places, on: country, key: code, fields: [label], prefix: place_}
          - derive: {field: both, sql: "concat(label, place_label)"}
        """,
        engine,
        links={"countries": _COUNTRIES, "places": _COUNTRIES},
    )
    told = _told(plan)
    assert told["label"] == ("identity", ["countries.label"])
    assert told["place_label"] == ("identity", ["places.label"])
    assert told["both"] == ("transformation", ["countries.label", "places.label"])
    places = {each.location for column in column_lineage(plan, engines.get(engine).dialect) for each in column.inputs}
    assert places == {"landing/in.csv", "ref/countries.csv", "ref/places.csv"}


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_groups_are_known_by_their_keys_and_aggregate_the_rest(engine: str) -> None:
    plan = _plan(
        """
        transformations:
          - rollup:
              group_by: [country]
              aggregations: {total: SUM(amount), orders: COUNT(*), spread: MAX(amount) - MIN(amount)}
              keys: id
        """,
        engine,
    )
    assert _told(plan) == {
        "country": ("identity", ["country"]),
        "total": ("aggregation", ["amount"]),
        "orders": ("aggregation", []),
        "spread": ("aggregation", ["amount"]),
        "_lakelogic_rollup_keys": ("aggregation", ["id"]),
    }


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_a_pivot_takes_its_values_from_the_turned_and_the_value_column(engine: str) -> None:
    pivoted = _plan(
        "transformations: [{pivot: {id_vars: id, pivot_col: country, value_col: amount, values: [DE, FR]}}]", engine
    )
    assert _told(pivoted) == {
        "id": ("identity", ["id"]),
        "DE": ("aggregation", ["amount", "country"]),
        "FR": ("aggregation", ["amount", "country"]),
    }


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_a_whole_select_is_followed_through_its_parts(engine: str) -> None:
    sql = """
        WITH big AS (SELECT id AS big_id, amount * 2 AS twice FROM source WHERE amount > 10)
        SELECT s.name AS who, b.twice, c.label, ROW_NUMBER() OVER (PARTITION BY s.country ORDER BY s.id) AS place
        FROM source s JOIN big b ON b.big_id = s.id LEFT JOIN countries c ON c.code = s.country
    """
    plan = _plan(
        f"links: [{{name: countries, path: c.csv}}]\ntransformations:\n  - sql: >-\n      {' '.join(sql.split())}\n",
        engine,
        links={"countries": _COUNTRIES},
    )
    assert _told(plan) == {
        "who": ("identity", ["name"]),
        "twice": ("transformation", ["amount"]),
        "label": ("identity", ["countries.label"]),
        "place": ("transformation", ["country", "id"]),
    }


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_masked_columns_say_so_and_stamps_come_from_nowhere(engine: str) -> None:
    plan = _plan(
        """
        model:
          fields: [{name: id, type: int}, {name: email, type: string, pii: true, masking: hash}]
        lineage: {enabled: true}
        """,
        engine,
    )
    told = _told(plan)
    assert told["email"] == ("masked", ["email"])
    assert told["_lakelogic_run_id"] == ("generated", [])
    assert told["_lakelogic_source"] == ("generated", [])


def test_a_history_has_its_own_columns_beside_those_of_the_rows() -> None:
    plan = _plan("primary_key: [id]", strategy=", strategy: scd2")
    told = _told(plan)
    assert told["name"] == ("identity", ["name"])
    assert told["effective_from"] == ("generated", [])
    assert list(told) == [name for name, _ in plan.target.columns]


def test_what_code_of_the_user_makes_is_not_claimed_to_be_known() -> None:
    plan = _plan("")
    read = replace(plan.read, columns=(("id", "int"), ("name", "string")), options=(("external_logic", "code.py"),))
    assert _told(replace(plan, read=read))["name"] == ("transformation", [])


@pytest.mark.parametrize(
    ("kind", "position"),
    [(kind, at) for kind in transforms.names() for at in range(len(transforms.get(kind).examples[:2]))],
)
def test_lineage_is_the_same_whichever_engine_wrote_the_sql(kind: str, position: int) -> None:
    example = transforms.get(kind).examples[position]
    step = transforms.get(kind).model_validate(transforms.get(kind).from_yaml(example.arguments))
    plain = load_text("source: {path: in.csv}", file="c.yaml", directory=Path("/project"))
    loaded = replace(plain, model=plain.model.model_copy(update={"transformations": (step,)}))
    links = {name: _typed(types) for name, types in (example.link_types or {}).items()}
    plans = [_planned(loaded, engine, example.types, links) for engine in ("spark", "duckdb")]
    told = [_told(plan) for plan in plans]
    assert told[0] == told[1]
    assert _told_before(loaded, example.types, links) == told[0]
    assert set(told[0]) >= set(example.after[0] if example.after else ())
