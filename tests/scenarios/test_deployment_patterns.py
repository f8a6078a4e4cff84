"""The contracts of the page about deployment patterns, run as it prints them."""

from __future__ import annotations

import textwrap

import pytest

from tests.scenarios.project import Project, Row

# Pattern B: source and target are given when it is run.
PIPELINE = """\
    # crm_full_pipeline.yaml
    info:
      title: CRM End-to-End
      target_layer: gold # The final destination
    server:
      type: s3
      mode: ingest
    # In-memory transformation from Bronze to Silver logic
    transformations:
      - sql: |
          SELECT *, LOWER(email) AS cleaner_email
          FROM source
        phase: post
    # Final Materialization into Gold
    primary_key: [user_id]
    materialization:
      strategy: merge
    """
GOLD = """\
    lineage:
      enabled: true
      capture_run_id: true
      capture_timestamp: false
      capture_source_path: false
      capture_domain: false
      capture_system: false
      run_id_source: pipeline_run_id
      preserve_upstream: ["_lakelogic_run_id"]
      upstream_prefix: "_upstream"
    primary_key: ["sale_date"]
    materialization:
      strategy: merge
    transformations:
      - rollup:
          group_by: ["sale_date"]
          aggregations:
            total_sales: "SUM(amount)"
          keys: "sale_id"
          rollup_keys_column: "_lakelogic_rollup_keys"
          rollup_keys_count_column: "_lakelogic_rollup_keys_count"
          upstream_run_id_column: "_upstream_run_id"
          upstream_run_ids_column: "_upstream_lakelogic_run_ids"
    """
SILVER = """\
    source: {path: sales/*.csv, load_mode: incremental}
    lineage: {enabled: true}
    model:
      fields:
        - {name: sale_id, type: int, required: true}
        - {name: sale_date, type: date}
        - {name: amount, type: int}
    materialization: {target_path: silver/sales}
    """


def _wanted(rows: list[Row]) -> dict[str, tuple[object, ...]]:
    columns = ("total_sales", "_lakelogic_rollup_keys", "_lakelogic_rollup_keys_count", "_upstream_lakelogic_run_ids")
    return {str(row["sale_date"]): tuple(row[name] for name in columns) for row in rows}


@pytest.fixture
def lake(project: Project) -> Project:
    """Two silver runs, and the page's gold contract."""
    project.contract(textwrap.dedent(SILVER), "silver.yaml")
    project.contract(textwrap.dedent(GOLD), "gold.yaml")
    return project


def test_the_end_to_end_pipe_takes_source_and_target_when_it_is_run(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.contract(textwrap.dedent(PIPELINE), "crm_full_pipeline.yaml")
    project.file("raw/users.csv", "user_id,email\n1,Ada@Example.org\n2,\n")
    monkeypatch.chdir(project.root)
    result = project.processor("crm_full_pipeline.yaml").run_source("raw/users.csv", target="lake/gold_users")
    assert (result.layer, result.counts.source, result.counts.good) == ("gold", 2, 2)
    assert project.rows("lake/gold_users") == [
        {"user_id": "1", "email": "Ada@Example.org", "cleaner_email": "ada@example.org"},
        {"user_id": "2", "email": None, "cleaner_email": None},
    ]
    project.file("raw/users.csv", "user_id,email\n2,Bob@Example.org\n")
    project.processor("crm_full_pipeline.yaml").run_source("raw/users.csv", target="lake/gold_users")
    assert project.values("cleaner_email", "lake/gold_users") == ["ada@example.org", "bob@example.org"]


def test_the_end_to_end_pipe_takes_a_frame_and_writes_below_its_layer(project: Project) -> None:
    project.contract(textwrap.dedent(PIPELINE), "crm_full_pipeline.yaml")
    frame = project.spark.createDataFrame([(1, "Ada@Example.org")], "user_id int, email string")
    good, bad = project.processor("crm_full_pipeline.yaml").run(frame)
    assert [row.cleaner_email for row in good.collect()] == ["ada@example.org"]
    assert bad.count() == 0
    assert project.values("user_id", "gold/crm_full_pipeline") == [1]


def test_gold_knows_the_keys_and_runs_that_a_day_was_made_of(lake: Project) -> None:
    lake.file("sales/1.csv", "sale_id,sale_date,amount\n2,2026-02-01,5\n1,2026-02-01,7\nx,2026-02-01,9\n")
    first = lake.processor("silver.yaml").run().run_id
    lake.file("sales/2.csv", "sale_id,sale_date,amount\n3,2026-02-01,1\n4,2026-02-02,2\n")
    second = lake.processor("silver.yaml").run().run_id
    result = lake.processor("gold.yaml", pipeline_run_id="nightly").run_source(str(lake.root / "silver/sales"))
    assert _wanted(lake.rows("data/gold")) == {
        "2026-02-01": (13, [1, 2, 3], 3, sorted([first, second])),
        "2026-02-02": (2, [4], 1, [second]),
    }
    assert set(lake.values("_lakelogic_run_id", "data/gold")) == {"nightly"}
    assert [(step.name, step.rows_in, step.rows_out) for step in result.steps] == [("1. rollup", 4, 2)]
    assert (result.counts.source, result.counts.good, result.counts.good_at_split) == (4, 2, 4)
    assert result.notes == ()


def test_gold_says_that_rows_of_a_file_tell_no_run(lake: Project) -> None:
    source = lake.file("sales.csv", "sale_id,sale_date,amount\nb,2026-02-01,5\na,2026-02-01,7.5\na,2026-02-01,\n")
    result = lake.processor("gold.yaml").run_source(str(source))
    assert _wanted(lake.rows("data/gold")) == {"2026-02-01": (12.5, ["a", "b"], 2, None)}
    assert [note for note in result.notes if "_upstream_run_id" in note]


def test_a_rollup_before_the_rules_is_accounted_for_and_its_groups_are_judged(project: Project) -> None:
    project.file("in.csv", "day,id\na,1\na,2\nb,3\n")
    result = project.run(
        """
        source: {path: in.csv}
        transformations:
          - {rollup: {group_by: day, keys: id, rollup_keys_count_column: n}, phase: pre}
        quality: {row_rules: [{name: several, sql: n > 1}]}
        materialization: {target_path: out}
        """
    )
    assert project.values("day") == ["a"]
    assert project.bad() == {"b": ["Rule failed: several (n > 1)"]}
    counts = result.counts
    assert (counts.source, counts.deduplicated, counts.good, counts.quarantined) == (3, 1, 1, 1)
