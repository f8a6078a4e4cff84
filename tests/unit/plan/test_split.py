"""Deduplications that keep what they drop or wait for rules, and links that both stages read."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from lakelogic.contract import load_text
from lakelogic.errors import ContractError, LakeLogicError
from lakelogic.plan.build import Given, build_plan
from lakelogic.plan.model import LinkPlan, Plan, ReadPlan
from lakelogic.plan.names import FILE
from lakelogic.sql.render import to_spark
from lakelogic.sql.types import Columns

_READ = ReadPlan("files", "in.csv", "csv", "full", "load_mode is full", ())
_KEEPING = "deduplicate: {on: id, sort_by: at, dropped: quarantine}"
_PREFERRING = "deduplicate: {on: id, sort_by: at, prefer: valid}"


def _plan(text: str) -> Plan:
    loaded = load_text(textwrap.dedent(text), file="c.yaml", directory=Path("/project"))
    columns = Columns((*Columns.of(id="int", at="int", name="string", tags="array<int>"), FILE))
    link = (LinkPlan("people", "people.csv", "csv", "SELECT name FROM source"), Columns.of(name="string"))
    return build_plan(loaded, Given(_READ, columns, "spark", to_spark, {"people": link}))


def _refusal(*steps: str, more: str = "") -> str:
    listed = "\n".join(f"  - {step}" for step in steps)
    text = (
        "source: {path: in.csv}\nlinks: [{name: people, path: people.csv}]\ntransformations:\n" + listed + "\n" + more
    )
    with pytest.raises(LakeLogicError) as caught:
        _plan(text)
    return str(caught.value)


@pytest.mark.parametrize("phase", ["pre", "post"])
@pytest.mark.parametrize(
    "step",
    [
        "deduplicate: {on: name, sort_by: at}",
        "rollup: {group_by: name}",
        "explode: {field: tags}",
        "join: {reference: people, on: name, prefix: p_, fields: name}",
        "join: {reference: people, on: name, prefix: p_, fields: name, type: inner}",
        "sql: COUNT(1) OVER (PARTITION BY name) AS n",
        "sql: SELECT *, COUNT(1) OVER (PARTITION BY name) AS n FROM source WHERE id > 1",
    ],
)
def test_no_step_may_take_rows_for_kept_that_go_to_quarantine(step: str, phase: str) -> None:
    told = _refusal(f"{{{_KEEPING}, phase: {phase}}}", f"{step}\n    phase: {phase}")
    assert told.startswith("c.yaml:5:")
    assert "would still see the rows that a deduplication before it sends to quarantine." in told


def test_steps_that_look_at_one_row_may_follow_a_deduplication_that_keeps_what_it_drops() -> None:
    plan = _plan(
        f"""
        source: {{path: in.csv}}
        transformations:
          - {{{_KEEPING}, phase: pre}}
          - {{filter: at > 0, phase: pre}}
          - {{lookup: {{field: found, reference: people, on: name, value: name}}, phase: pre}}
          - deduplicate: {{on: name, sort_by: at}}
        links: [{{name: people, path: people.csv}}]
        """
    )
    assert [check.name for check in plan.checks] == ["id_deduplicate"]


def test_a_guard_of_a_merge_must_not_see_dropped_rows_either() -> None:
    more = "primary_key: [id]\nmaterialization: {strategy: merge, merge_dedup_guard: true}\n"
    text = f"source: {{path: in.csv, watermark_field: at}}\ntransformations:\n  - {{{_KEEPING}}}\n{more}"
    with pytest.raises(ContractError, match=r"c\.yaml:5:\d+: deduplicate would still see the rows"):
        _plan(text)


def test_nothing_follows_a_deduplication_that_waits_for_rules() -> None:
    told = _refusal(f"{{{_PREFERRING}, phase: pre}}", "{trim: name, phase: pre}")
    assert told.startswith("c.yaml:5:") and told.endswith("Put it before the deduplication.")
    assert _plan(f"source: {{path: in.csv}}\ntransformations: [{{{_PREFERRING}, phase: pre}}, trim: name]").checks == ()


def test_valid_can_not_mean_rules_that_are_judged_later() -> None:
    more = "quality: {row_rules: [{name: short, sql: length(name) < 5, phase: post}]}\n"
    told = _refusal(f"{{{_PREFERRING}, phase: pre}}", more=more)
    assert told == (
        "c.yaml:4:5: deduplicate in phase pre can't prefer valid rows: 'short' is judged later. Give it phase: post."
    )


def test_a_value_may_be_looked_up_before_the_split_and_after_it() -> None:
    rule = "referential_integrity: {field: name, reference: people}"
    plan = _plan(
        f"""
        source: {{path: in.csv}}
        links: [{{name: people, path: people.csv}}]
        transformations: [{{upper: name}}]
        quality: {{row_rules: [{{{rule}}}, {{{rule}, phase: post}}]}}
        """
    )
    assert [check.name for check in plan.pre.checks] == ["name_referential_integrity"]
    assert [check.name for check in plan.post.checks] == ["name_referential_integrity_2"]
    for step in (*plan.pre.steps, *plan.post.steps):
        assert step.sql.count("AS `_ll_found_") <= 1


@pytest.mark.parametrize(
    ("step", "column"),
    [
        ("rollup: {group_by: id, keys: name}", "_lakelogic_rollup_keys"),
        ("unpivot: {id_vars: id, value_vars: name}", "value"),
        ("{rename: {from: name, to: nick}, phase: post}", "nick"),
        ("sql: SELECT id, UPPER(name) AS nick FROM source", "nick"),
    ],
)
def test_a_masked_field_may_not_leave_in_clear_while_it_is_dropped_itself(step: str, column: str) -> None:
    more = "model: {fields: [{name: name, masking: redact}]}\n"
    assert f"column '{column}' is made from a masked field and would be stored in clear" in _refusal(step, more=more)


def test_what_a_step_has_to_say_is_said_by_the_plan() -> None:
    plan = _plan("source: {path: in.csv}\ntransformations: [rollup: {group_by: id, upstream_run_id_column: run}]\n")
    assert [note for note in plan.notes if "rollup finds no column 'run'" in note]
