"""Transformations without an engine: their YAML, the columns they yield, and what they refuse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import ValidationError
from sqlglot import exp

from lakelogic.errors import ContractError, NotSupportedYet, SqlError
from lakelogic.sql.render import to_spark
from lakelogic.sql.types import BIGINT, STRING, Column, Columns, type_name
from lakelogic.transforms.base import Step, Transform, transforms

HIDDEN = Column("_ll_file", STRING, hidden=True)
COLUMNS = Columns(
    (*Columns.of(id="int", email="string", amount="double", tags="array<int>", doc="map<string,int>"), HIDDEN)
)
LINKS = {"people": Columns.of(mail="string", name="string", age="int")}
ROW_WISE = {"sql", "derive", "select", "drop", "rename", "cast", "trim", "lower", "upper", "split", "coalesce"}
ROW_WISE |= {"map_values", "bucket", "json_extract", "date_diff", "lookup"}
EFFECTS = {
    "filter": "filtered",
    "deduplicate": "deduplicated",
    "deduplicate_by_latest": "deduplicated",
    "explode": "expanded",
    "date_range_explode": "expanded",
    "join": "expanded",
    "unpivot": "expanded",
    "rollup": "deduplicated",
    "pivot": "deduplicated",
}
GROUPING = {"rollup", "pivot"}
BODIES: dict[str, Any] = {
    "sql": "LOWER(email) AS email",
    "derive": {"field": "email", "sql": "LOWER(email)"},
    "filter": "id > 1",
    "select": ["email"],
    "drop": "id",
    "rename": {"from": "id", "to": "key"},
    "cast": {"columns": {"id": "string"}},
    "trim": "email",
    "lower": ["email"],
    "upper": {"fields": "email"},
    "split": {"field": "email", "output": "parts"},
    "coalesce": {"field": "email", "default": "-"},
    "map_values": {"field": "id", "mapping": {1: "one"}},
    "bucket": {"field": "size", "source": "amount", "bins": [{"label": "s", "lt": 1}]},
    "lookup": {"field": "name", "reference": "people", "on": "email", "key": "mail", "value": "name"},
    "join": {"reference": "people", "on": "email", "key": "mail"},
    "deduplicate": {"on": "id", "sort_by": "amount"},
    "deduplicate_by_latest": {"key_columns": ["id"], "timestamp_column": "amount"},
    "explode": {"field": "tags"},
    "date_range_explode": {"output": "day", "start_col": "email", "end_col": "email"},
    "json_extract": {"field": "v", "source": "email", "path": "$.a"},
    "date_diff": {"field": "days", "from_col": "email", "to_col": "email"},
    "rollup": {"group_by": ["id"], "aggregations": {"total": "SUM(amount)"}, "keys": "id"},
    "pivot": {"id_vars": "id", "pivot_col": "email", "value_col": "amount", "values": ["a", "b"]},
    "unpivot": {"id_vars": ["id"], "value_vars": ["amount"]},
}


def made(kind: str, body: Any, **beside: Any) -> Transform:
    transform = transforms.get(kind)
    return transform.model_validate({**transform.from_yaml(body), **beside})


def step(kind: str, body: Any, columns: Columns = COLUMNS, links: Mapping[str, Columns] = LINKS) -> Step:
    return made(kind, body).step(columns, links)


def sql(kind: str, body: Any) -> str:
    return to_spark(step(kind, body).select, COLUMNS)


def types(found: Step) -> dict[str, str]:
    return {column.name: type_name(column.type) for column in found.columns.visible}


def test_every_kind_is_covered_here() -> None:
    assert sorted(BODIES) == transforms.names()


@pytest.mark.parametrize(("kind", "transform"), list(transforms), ids=str)
def test_every_transformation_has_a_line_for_users_and_telling_examples(kind: str, transform: type[Transform]) -> None:
    assert transform.kind == kind
    assert len((transform.__doc__ or "").splitlines()) == 1
    assert all(field.description for field in transform.model_fields.values())
    rows = [row for example in transform.examples for row in example.before]
    assert len(rows) >= 2
    assert any(value is None for row in rows for value in row.values())


@pytest.mark.parametrize(("kind", "body"), list(BODIES.items()))
def test_a_step_tells_its_columns_in_order_and_passes_hidden_ones_on(kind: str, body: Any) -> None:
    found = step(kind, body)
    assert isinstance(found.select, exp.Select)
    assert found.select.named_selects == found.columns.names
    assert (HIDDEN in found.columns.hidden.items) == (kind not in GROUPING)


@pytest.mark.parametrize(("kind", "body"), list(BODIES.items()))
def test_every_name_in_a_step_is_quoted(kind: str, body: Any) -> None:
    columns = step(kind, body).select.find_all(exp.Column)
    assert all(column.this.args.get("quoted") for column in columns)


@pytest.mark.parametrize(("kind", "body"), list(BODIES.items()))
def test_a_step_tells_what_it_does_to_the_number_of_rows(kind: str, body: Any) -> None:
    found = step(kind, body)
    assert found.row_wise == (kind in ROW_WISE)
    assert found.effect == EFFECTS.get(kind)


@pytest.mark.parametrize(("kind", "body"), list(BODIES.items()))
def test_a_phase_may_stand_beside_any_kind(kind: str, body: Any) -> None:
    assert made(kind, body).phase == "post"
    assert made(kind, body, phase="pre").phase == "pre"


@pytest.mark.parametrize(
    ("kind", "body", "wanted"),
    [
        ("sql", "amount + 1 AS next", {"next": "double"}),
        ("sql", "SELECT id, UPPER(email) AS mail FROM source", {"id": "int", "mail": "string"}),
        ("split", {"field": "email", "output": "parts"}, {"parts": "string"}),
        ("explode", {"field": "tags"}, {"tags": "int"}),
        ("cast", {"columns": {"amount": "decimal(9,2)"}}, {"amount": "decimal(9,2)"}),
        ("bucket", {"field": "b", "source": "id", "bins": [{"label": 1, "lt": 1}], "default": 0.5}, {"b": "double"}),
        ("map_values", {"field": "id", "mapping": {1: 10}}, {"id": "int"}),
        ("map_values", {"field": "id", "mapping": {1: "one"}}, {"id": "string"}),
        ("map_values", {"field": "id", "mapping": {1: True}, "default": False}, {"id": "boolean"}),
        (
            "join",
            {"reference": "people", "on": "email", "key": "mail", "prefix": "p_"},
            {"p_name": "string", "p_age": "int"},
        ),
        ("json_extract", {"field": "v", "source": "email", "path": "a", "cast": "array<int>"}, {"v": "array<int>"}),
        ("date_diff", {"field": "d", "from_col": "email", "to_col": "email"}, {"d": "bigint"}),
        (
            "rollup",
            {"group_by": "email", "keys": "id", "rollup_keys_count_column": "n"},
            {"email": "string", "_lakelogic_rollup_keys": "array<int>", "n": "bigint"},
        ),
        ("rollup", {"group_by": "id", "keys": ["id", "email"]}, {"_lakelogic_rollup_keys": "array<string>"}),
        ("pivot", BODIES["pivot"], {"id": "int", "a": "double", "b": "double"}),
        ("unpivot", {"id_vars": "email", "value_vars": ["id", "amount"]}, {"key": "string", "value": "double"}),
        ("unpivot", {"id_vars": [], "value_vars": ["id", "email"]}, {"key": "string", "value": "string"}),
    ],
)
def test_the_types_of_new_columns_are_known(kind: str, body: Any, wanted: dict[str, str]) -> None:
    found = types(step(kind, body))
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("sql", "LOWER(emial) AS x"),
        ("sql", "SELECT emial FROM source"),
        ("derive", {"field": "x", "sql": "emial"}),
        ("filter", "emial = 'a'"),
        ("select", ["emial"]),
        ("drop", ["emial"]),
        ("rename", {"from": "emial", "to": "x"}),
        ("cast", {"columns": {"emial": "int"}}),
        ("trim", "emial"),
        ("split", {"field": "emial"}),
        ("coalesce", {"field": "x", "sources": ["emial"]}),
        ("coalesce", {"field": "emial", "default": 1}),
        ("map_values", {"field": "emial", "mapping": {"a": "b"}}),
        ("bucket", {"field": "x", "source": "emial", "bins": [{"label": 1, "lt": 1}]}),
        ("lookup", {"field": "x", "reference": "people", "on": "emial", "key": "mail", "value": "name"}),
        ("join", {"reference": "people", "on": "emial", "key": "mail"}),
        ("deduplicate", {"on": "emial", "sort_by": "id"}),
        ("deduplicate", {"on": "id", "sort_by": "emial"}),
        ("explode", {"field": "emial"}),
        ("date_range_explode", {"output": "x", "start_col": "emial", "end_col": "email"}),
        ("json_extract", {"field": "x", "source": "emial", "path": "$.a"}),
        ("date_diff", {"field": "x", "from_col": "email", "to_col": "emial"}),
        ("rollup", {"group_by": "emial"}),
        ("rollup", {"group_by": "id", "aggregations": {"x": "MAX(emial)"}}),
        ("rollup", {"group_by": "id", "keys": "emial"}),
        ("rollup", {"group_by": "id", "key_expr": "UPPER(emial)"}),
        ("pivot", {"id_vars": "emial", "pivot_col": "id", "value_col": "id", "values": [1]}),
        ("pivot", {"id_vars": "id", "pivot_col": "emial", "value_col": "id", "values": [1]}),
        ("pivot", {"id_vars": "id", "pivot_col": "id", "value_col": "emial", "values": [1]}),
        ("unpivot", {"id_vars": "emial", "value_vars": "id"}),
        ("unpivot", {"id_vars": "id", "value_vars": ["emial"]}),
    ],
)
def test_an_unknown_column_is_refused_with_the_nearest_one(kind: str, body: Any) -> None:
    with pytest.raises(SqlError, match=r"column 'emial' is unknown\. Did you mean 'email'\?"):
        step(kind, body)


def test_hidden_columns_are_not_the_users() -> None:
    read: dict[str, Any] = {"select": ["_ll_file"], "drop": "_ll_file", "filter": "_ll_file = 'a'"}
    for kind, body in read.items():
        with pytest.raises(SqlError, match="column '_ll_file' is unknown"):
            step(kind, body)
    written: dict[str, Any] = {"sql": "1 AS _LL_FILE", "rename": {"from": "id", "to": "_ll_file"}}
    for kind, body in written.items():
        with pytest.raises(ContractError, match="is used by the run itself"):
            step(kind, body)


def test_an_unknown_link_or_a_column_of_it_is_refused() -> None:
    body = {"field": "x", "reference": "poeple", "on": "email", "key": "mail", "value": "name"}
    with pytest.raises(SqlError, match=r"link 'poeple' is unknown\. Did you mean 'people'"):
        step("lookup", body)
    with pytest.raises(SqlError, match=r"column 'nam' is unknown\. Did you mean 'name'"):
        step("lookup", {**body, "reference": "people", "value": "nam"})


def test_links_used_are_those_that_are_read() -> None:
    assert made("lookup", BODIES["lookup"]).links_used() == {"people"}
    assert made("join", BODIES["join"]).links_used() == {"people"}
    assert made("sql", BODIES["sql"]).links_used() == set()
    text = "WITH adults AS (SELECT * FROM people WHERE age > 17) SELECT o.id, a.name FROM orders o JOIN adults a ON o.email = a.mail"
    assert made("sql", text).over("orders").links_used() == {"people"}


def test_the_dataset_may_be_called_by_its_name() -> None:
    found = made("sql", "SELECT orders.id FROM orders").over("orders").step(COLUMNS, {})
    assert found.columns.names == ["id", "_ll_file"]
    with pytest.raises(SqlError, match="table 'orders' is not a link"):
        step("sql", "SELECT orders.id FROM orders")


def test_a_changed_column_keeps_its_place_and_its_spelling() -> None:
    assert step("sql", "UPPER(email) AS EMAIL").columns.names == COLUMNS.names
    assert step("derive", {"field": "new", "sql": "1"}).columns.names == [*COLUMNS.names, "new"]
    assert step("rename", {"mappings": {"ID": "key", "email": "mail"}}).columns.names[:2] == ["key", "mail"]


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        ("rename", {"from": "id", "to": "Email"}, "rename would yield column 'Email' twice"),
        ("rename", {"mappings": {"id": "x", "email": "X"}}, "rename would yield column 'x' twice"),
        ("select", ["id", "ID"], "select names a column twice"),
        ("drop", ["id", "email", "amount", "tags", "doc"], "drop would leave no column"),
        ("trim", "amount", "trim needs text, but column 'amount' is double"),
        ("split", {"field": "id"}, "split needs text, but column 'id' is int"),
        ("explode", {"field": "amount"}, "explode needs a list, but column 'amount' is double"),
        ("explode", {"field": "doc"}, "explode needs a list, but column 'doc' is map<string,int>"),
        ("map_values", {"field": "id", "mapping": {"one": 1}}, "the value 'one' is no int"),
        ("coalesce", {"field": "amount", "default": "none"}, "the value 'none' is no double"),
        ("join", {"reference": "people", "on": "email", "key": "mail", "defaults": {"nam": 1}}, "no field"),
        ("sql", "SUM(amount) AS total", "so SUM(amount) is not allowed"),
        ("sql", "EXPLODE(tags) AS tag", "so EXPLODE(tags) is not allowed"),
        ("derive", {"field": "x", "sql": "SUM(id) + SUM(amount) OVER ()"}, "so SUM(id) is not allowed"),
        ("filter", "ROW_NUMBER() OVER (ORDER BY id) = 1", "a filter looks at each row by itself"),
        ("rollup", {"group_by": "id", "aggregations": {"x": "amount * 2"}}, "`amount` has many values in a group"),
        ("rollup", {"group_by": "id", "aggregations": {"x": "EXPLODE(tags)"}}, "EXPLODE(`tags`) is not allowed"),
        ("rollup", {"group_by": "id", "aggregations": {"ID": "COUNT(*)"}}, "rollup would yield column 'id' twice"),
        ("pivot", {"id_vars": "id", "pivot_col": "email", "value_col": "amount"}, "List them: values: [a, b]."),
        ("pivot", {**BODIES["pivot"], "values": ["a", "A"]}, "pivot would yield column 'a' twice"),
        ("pivot", {**BODIES["pivot"], "values": ["id"]}, "pivot would yield column 'id' twice"),
        ("pivot", {**BODIES["pivot"], "value_col": "email", "agg": "sum"}, "'email' is text, which has no sum"),
        ("pivot", {**BODIES["pivot"], "fill_value": "none"}, "the value 'none' is no double"),
        (
            "unpivot",
            {"id_vars": "id", "value_vars": "amount", "key_field": "ID"},
            "unpivot would yield column 'id' twice",
        ),
        ("unpivot", {"id_vars": "id", "value_vars": ["amount", "AMOUNT"]}, "unpivot would yield column 'amount' twice"),
        ("unpivot", {"id_vars": "id", "value_vars": "amount", "value_field": "_ll_file"}, "is used by the run itself"),
    ],
)
def test_a_transformation_that_can_not_work_is_refused(kind: str, body: Any, message: str) -> None:
    with pytest.raises(ContractError) as error:
        step(kind, body)
    assert message in str(error.value)


def test_a_join_that_would_overwrite_a_column_is_refused_with_the_cure() -> None:
    links = {"people": Columns.of(mail="string", id="int")}
    with pytest.raises(ContractError, match=r"brings in column 'id', which is there already\. Give a prefix"):
        step("join", {"reference": "people", "on": "email", "key": "mail"}, links=links)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("deduplicate", {"on": "id"}),
        ("deduplicate", {"on": "id", "sort_by": []}),
        ("deduplicate", {"sort_by": "id"}),
        ("deduplicate", {"on": "id", "sort_by": "id", "order": "newest"}),
        ("deduplicate", {"on": "id", "sort_by": "id", "label": "stale"}),
        ("rename", {"from": "id"}),
        ("rename", {"from": "id", "to": "x", "mappings": {"a": "b"}}),
        ("coalesce", {"field": "id"}),
        ("split", {"field": "email", "delimiter": ""}),
        ("bucket", {"field": "x", "source": "id", "bins": []}),
        ("bucket", {"field": "x", "source": "id", "bins": [{"label": "all"}]}),
        ("join", {"reference": "people", "on": ["id", "email"], "key": "mail"}),
        ("join", {"reference": "people", "on": "id", "type": "cross"}),
        ("json_extract", {"field": "x", "source": "email", "path": "$..a"}),
        ("json_extract", {"field": "x", "source": "email", "path": "$.a."}),
        ("json_extract", {"field": "x", "source": "email", "path": ""}),
        ("json_extract", {"field": "x", "source": "email", "path": "$.a", "cast": "integr"}),
        ("cast", {"columns": {"id": "integr"}}),
        ("cast", {"columns": {}}),
        ("date_range_explode", {"output": "x", "start_col": "a", "end_col": "b", "interval": "0d"}),
        ("date_range_explode", {"output": "x", "start_col": "a", "end_col": "b", "interval": "fortnight"}),
        ("date_diff", {"field": "x", "from_col": "a", "to_col": "b", "unit": "years"}),
        ("trim", {"fields": "email", "side": "top"}),
        ("select", {"columns": ["id"], "colums": []}),
        ("rollup", {"group_by": []}),
        ("rollup", {"group_by": "id", "keys": "id", "key_expr": "id"}),
        ("rollup", {"group_by": "id", "rollup_keys_count_column": "n"}),
        ("rollup", {"group_by": "id", "upstream_run_ids_column": "runs"}),
        ("pivot", {"id_vars": "id", "pivot_col": "email", "values": ["a"]}),
        ("pivot", {**BODIES["pivot"], "value_cols": ["id"]}),
        ("pivot", {**BODIES["pivot"], "agg": "product"}),
        ("pivot", {**BODIES["pivot"], "aggs": {"amuont": "sum"}}),
        ("pivot", {**BODIES["pivot"], "name_template": "{vaule}"}),
        ("pivot", {**BODIES["pivot"], "value_aliases": {"c": "gamma"}}),
        ("unpivot", {"id_vars": "id", "value_vars": []}),
    ],
)
def test_a_transformation_that_makes_no_sense_does_not_load(kind: str, body: Any) -> None:
    with pytest.raises(ValidationError):
        made(kind, body)


@pytest.mark.parametrize(
    ("kind", "body", "what"),
    [
        ("join", {"reference": "people", "on": "id", "type": "full"}, "join of type full"),
        ("derive", {"field": "x", "sql_duckdb": "1"}, "derive with SQL for one engine"),
    ],
)
def test_an_option_that_is_not_built_yet_is_refused_by_the_plan(kind: str, body: Any, what: str) -> None:
    with pytest.raises(NotSupportedYet, match=f"not supported yet: .*{what}"):
        step(kind, body)


def test_blank_keys_are_checked_only_when_they_are_to_be_quarantined() -> None:
    body = {"by": ["id", "email"], "sort_by": "amount"}
    assert made("deduplicate", body).checks(COLUMNS) == ()
    checks = made("deduplicate", {**body, "blank_keys": "quarantine"}).checks(COLUMNS)
    assert [(check.name, check.category) for check in checks] == [
        ("id_required_for_dedup", "completeness"),
        ("email_required_for_dedup", "completeness"),
    ]
    assert checks[1].message == "Rule failed: email_required_for_dedup (email is not blank)"


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("SELECT id FROM source", None),
        ("SELECT id FROM source WHERE id > 1", "filtered"),
        ("SELECT DISTINCT id FROM source", "deduplicated"),
        ("SELECT s.id, p.name FROM source s JOIN people p ON s.email = p.mail", "expanded"),
        ("SELECT id, EXPLODE(tags) AS tag FROM source", "expanded"),
        ("SELECT id, COUNT(*) AS n FROM source GROUP BY id", None),
    ],
)
def test_a_whole_select_tells_its_effect_as_far_as_its_shape_shows(text: str, effect: str | None) -> None:
    assert step("sql", text).effect == effect


def test_a_window_is_not_row_wise() -> None:
    found = step("sql", "SUM(amount) OVER (PARTITION BY id) AS total")
    assert not found.row_wise
    assert found.columns.names[-1] == "total"


def test_intervals_are_read_in_all_their_spellings() -> None:
    spelt = {
        "1d": "'1' DAY",
        "2 weeks": "'14' DAY",
        "1mo": "'1' MONTH",
        "1q": "'3' MONTH",
        "2y": "'24' MONTH",
        "6h": "'6' HOUR",
        "1 Month": "'1' MONTH",
    }
    for interval, wanted in spelt.items():
        body = {"output": "x", "start_col": "email", "end_col": "email", "interval": interval}
        assert f"INTERVAL {wanted}" in sql("date_range_explode", body)


def test_a_split_takes_its_delimiter_literally() -> None:
    assert "SPLIT(`email`, '\\\\.')" in sql("split", {"field": "email", "delimiter": "."})


def test_a_mapping_knows_a_default_of_null_from_no_default() -> None:
    assert sql("map_values", {"field": "email", "mapping": {"a": "b"}}).count("ELSE `email` END") == 1
    assert sql("map_values", {"field": "email", "mapping": {"a": "b"}, "default": None}).count("ELSE NULL END") == 1


def test_a_map_is_compared_as_text() -> None:
    columns = Columns((Column("id", BIGINT), Column("map", COLUMNS.get("doc").type)))
    assert "TO_JSON(STRUCT(`map`))" in to_spark(
        made("deduplicate", {"on": "id", "sort_by": "id"}).step(columns, {}).select, columns
    )


def test_an_aggregation_that_can_not_be_parsed_does_not_load() -> None:
    with pytest.raises(SqlError, match="SQL syntax error"):
        made("rollup", {"group_by": "id", "aggregations": {"x": "SUM(amount"}})


def test_a_grouped_column_may_stand_outside_every_aggregate() -> None:
    body = {"group_by": "id", "aggregations": {"x": "id + MAX(orders.id)"}}
    assert made("rollup", body).over("orders").step(COLUMNS, {}).columns.names == ["id", "x"]


@pytest.mark.parametrize("name", ["_upstream_lakelogic_run_id", "_Upstream_Run_Id", "_upstream_run_id"])
def test_a_rollup_finds_run_ids_that_lineage_has_kept(name: str) -> None:
    columns = Columns.of("id", name)
    found = step("rollup", {"group_by": "id", "upstream_run_id_column": "_upstream_run_id"}, columns)
    assert found.columns.names == ["id", "_upstream_lakelogic_run_ids"]
    assert name in to_spark(found.select, columns)
    assert found.notes == ()


def test_a_rollup_of_rows_that_tell_no_run_says_so() -> None:
    found = step("rollup", {"group_by": "id", "upstream_run_id_column": "_upstream_run_id"})
    assert found.notes == (
        "rollup finds no column '_upstream_run_id', so _upstream_lakelogic_run_ids is NULL: the rows tell no run.",
    )


def test_an_unknown_type_among_several_is_not_unpivoted() -> None:
    columns = Columns((*Columns.of("a"), *Columns.of(b="int")))
    with pytest.raises(ContractError, match=r"can't tell the type of 'a' before the run\. Cast it"):
        step("unpivot", {"id_vars": [], "value_vars": ["a", "b"]}, columns)
    assert step("unpivot", {"id_vars": [], "value_vars": ["a"]}, columns).columns.names == ["key", "value"]


def test_hidden_columns_do_not_decide_which_row_is_kept() -> None:
    columns = Columns((*Columns.of(id="int"), HIDDEN))
    order = step("deduplicate", {"on": "id", "sort_by": "id"}, columns).select.find(exp.Order)
    assert order is not None
    assert HIDDEN.name not in {column.name for column in order.find_all(exp.Column)}


def test_rows_that_are_to_be_quarantined_are_marked_and_stay() -> None:
    body = {"on": ["id", "email"], "sort_by": "amount", "dropped": "quarantine", "label": "stale"}
    found = step("deduplicate", body)
    assert (found.effect, found.marks_dropped, found.row_wise) == (None, True, False)
    (check,) = made("deduplicate", body).checks(found.columns)
    assert (check.name, check.category, check.label) == ("id_email_deduplicate", "uniqueness", "stale")
    assert check.message == "Rule failed: id_email_deduplicate (another row of the same id, email is kept)"
    again = step("deduplicate", {**body, "name": "again"}, found.columns)
    (second,) = made("deduplicate", {**body, "name": "again"}).checks(again.columns)
    assert (second.name, second.predicate.name != check.predicate.name) == ("again", True)
