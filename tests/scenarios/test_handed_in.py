"""A session that was handed in is the caller's: a run leaves it as it was."""

from __future__ import annotations

import secrets

import pytest

from lakelogic.engines.spark.session import run_session
from tests.scenarios.project import Project

_CONTRACT = """
    source: {path: in/*.csv}
    model: {fields: [{name: id, type: int, required: true}]}
    links: [{name: known, path: known.csv}]
    quality:
      row_rules: [{referential_integrity: {field: id, reference: known, key: id}}]
      dataset_rules: [{unique: id}]
    primary_key: [id]
    lineage: {enabled: true}
    materialization: {strategy: merge, target_path: out}
"""


@pytest.fixture
def handed(project: Project) -> Project:
    """A project on a session of its own that has settings, views and a current schema."""
    session = run_session(project.spark)
    project.file("in/1.csv", "id\n1\nx\n9\n")
    project.file("known.csv", "id\n1\n2\n")
    return Project(project.root, session)


def test_settings_views_and_the_current_schema_stay_as_they_were(handed: Project) -> None:
    session = handed.spark
    session.sql("CREATE SCHEMA IF NOT EXISTS mine")
    session.sql("USE mine")
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    session.conf.set("spark.sql.ansi.enabled", "true")
    session.range(3).createOrReplaceTempView("source")
    frame = session.createDataFrame([("2",), ("y",)], "id string")
    before = (dict(session.conf.getAll), _views(handed), session.catalog.currentDatabase())

    for _ in range(2):
        handed.run(_CONTRACT, force=True)
    good, bad = handed.processor().run(frame)

    assert (dict(session.conf.getAll), _views(handed), session.catalog.currentDatabase()) == before
    assert session.table("source").count() == 3
    # The frames of a result outlive the run.
    assert [row["id"] for row in good.collect()] == [2]
    assert [row["id"] for row in bad.collect()] == ["y"]
    assert handed.values("id") == [1, 2]
    session.sql("DROP SCHEMA mine CASCADE")


def _views(project: Project) -> set[str]:
    session = project.spark
    return {
        row["viewName"] for name in ("default", "global_temp") for row in session.sql(f"SHOW VIEWS IN {name}").collect()
    }


def test_odd_settings_of_the_session_do_not_change_what_a_contract_means(handed: Project) -> None:
    handed.file("in/1.csv", "id,at,n\n1,2026-01-01T23:30:00Z,2\n2,2026-01-01T10:00:00Z,0\n")
    text = """
        source: {path: in/*.csv}
        model: {fields: [{name: id, type: int}, {name: at, type: timestamp}, {name: n, type: int}]}
        transformations:
          - derive: {field: day, sql: "cast(at AS date)"}
          - derive: {field: part, sql: 10 / n}
        materialization: {target_path: out}
    """
    handed.spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    handed.spark.conf.set("spark.sql.ansi.enabled", "true")
    handed.spark.conf.set("spark.sql.caseSensitive", "true")
    handed.run(text)
    assert [(row["id"], str(row["day"]), row["part"]) for row in handed.rows()] == [
        (1, "2026-01-01", 5.0),
        (2, "2026-01-01", None),
    ]


def test_it_is_the_active_session_again_after_a_run(handed: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKELOGIC_PII_KEY", secrets.token_hex(32))
    handed.spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    # Making a frame makes its session the active one: here, and where a run brings in its keys.
    handed.spark.createDataFrame([], "n int")
    handed.run(_CONTRACT.replace("required: true", "required: true, masking: hash"))
    active = type(handed.spark).getActiveSession()
    assert active is not None
    assert active.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
