"""Known keys that this release does not implement are listed with their place, never ignored."""

from __future__ import annotations

import pytest

from lakelogic.contract.support import unsupported

from .builders import contract


def not_yet(text: str) -> list[str]:
    return [str(item) for item in unsupported(contract(text))]


def test_everything_that_is_not_built_is_listed_in_the_order_of_the_file() -> None:
    assert not_yet(
        """\
        source:
          path: a.csv
          type: stream
          fetch_size: 5
        materialization:
          strategy: scd2
          primary_key: [id]
          dlt_destination: duckdb
        """
    ) == [
        "orders.yaml:3:3: not supported yet: source.type: stream",
        "orders.yaml:4:3: not supported yet: source.fetch_size",
        "orders.yaml:8:3: not supported yet: materialization.dlt_destination",
    ]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("source: {type: stream, path: a}", "source.type: stream"),
        ("source: {path: 'jdbc:postgresql://h/d'}", "a source of type database"),
        ("source: {path: a.xlsx}", "a source of format excel"),
        ("source: {path: a.csv, watermark_date_parts: [year, month]}", "source.watermark_date_parts"),
        ("source: {path: a.csv, options: {engine_options: {x: y}}}", "source.options.engine_options"),
        ("source: {path: a, load_mode: incremental, watermark_strategy: none}", "load_mode: incremental without"),
        ("server: {type: stream, path: a}", "server.type: stream"),
        ("server: {path: a.csv, schema_evolution: append}", "server.schema_evolution"),
        ("external_logic: {path: a.py, handles_output: true}", "external_logic.handles_output"),
        ("extraction: {provider: openai}", "extraction.provider: openai"),
        ("notifications: [{target: x}]", "notifications"),
        ("quarantine: {notifications: [{target: x}]}", "quarantine.notifications"),
        ("quarantine: {format: parquet}", "quarantine.format: parquet"),
        ("service_levels: {completeness: 99}", "service_levels.completeness"),
        ("service_levels: {freshness: {threshold: 24h, field: at}}", "service_levels.freshness.field"),
        ("stages: {bronze: {dataset: x}}", "stages"),
        ("model: {fields: [{name: a, foreign_key: {contract: b, column: c}}]}", "model.fields[0].foreign_key"),
    ],
)
def test_what_is_not_built_is_listed(text: str, what: str) -> None:
    (told,) = not_yet(text)
    assert f"not supported yet: {what}" in told


def test_what_is_built_or_only_documents_is_not_listed() -> None:
    assert (
        not_yet(
            """
            version: 1
            info: {title: Orders, owner: shop, contact: {mail: a@b.c}, status: active, domain: sales}
            metadata: {domain: sales, team: my own key}
            dataset: orders
            tier: silver
            primary_key: [id]
            natural_key: [id]
            source:
              type: landing
              path: data
              pattern: "*.csv"
              format: csv
              load_mode: incremental
              watermark_strategy: pipeline_log
              empty_behavior: fail
              options: {delimiter: ";", null_values: ["", NA], has_header: true}
              post_ingestion: {action: retain}
            links:
              - {name: countries, path: c.csv, columns: [code], filter: code IS NOT NULL, broadcast: true}
              - {name: regions, table: ref.regions}
            schema_policy: {evolution: strict, unknown_fields: quarantine}
            quarantine: {target: bad/orders, write_mode: append, fail_on_quarantine: true, max_ratio: 5%}
            lineage: {enabled: true, run_id_source: pipeline_run_id}
            materialization:
              strategy: merge
              target_path: silver.orders
              format: delta
              partition_by: [day]
              table_properties: {delta.appendOnly: false}
              merge_dedup_guard: true
            service_levels: {freshness: 24h, freshness_hours: 24, row_count: {min_rows: 1, max_rows: 9}}
            upstream: [bronze_orders]
            downstream: [{name: dashboard}]
            schedule: "0 6 * * *"
            compliance: {gdpr: {lawful_basis: contract}}
            """
        )
        == []
    )


def test_a_key_written_with_its_default_asks_for_nothing() -> None:
    assert not_yet("metadata: {approval_required: false}\nsource: {path: a.csv, flatten_nested: false}") == []
