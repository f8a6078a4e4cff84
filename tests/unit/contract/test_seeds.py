"""The contracts that the product's own pages print load as printed."""

from __future__ import annotations

from lakelogic.contract import load_text
from lakelogic.contract.support import unsupported

from .builders import HOME, contract


def test_home_page_contract_loads_as_printed() -> None:
    loaded = load_text(HOME, file="contract.yaml")
    fields = loaded.model.model.fields
    assert [(field.name, field.type, field.required) for field in fields] == [
        ("cus_id", "string", True),
        ("email", None, True),
    ]
    assert (fields[1].pii, fields[1].masking) == (True, "encrypt")
    assert loaded.model.source is not None
    assert loaded.model.source.watermark_strategy == "pipeline_log"
    assert [rule.kind for rule in loaded.model.quality.row_rules] == ["sql"]
    assert [step.kind for step in loaded.model.transformations] == ["sql"]
    assert loaded.model.service_levels.freshness_hours == 24
    assert loaded.primary_key == ("cus_id",)


def test_home_page_contract_has_the_name_and_layer_of_its_target() -> None:
    loaded = load_text(HOME, file="contract.yaml")
    assert (loaded.name, loaded.layer, loaded.source_type, loaded.source_format) == (
        "customers",
        "silver",
        "file",
        "json",
    )


def test_home_page_contract_uses_nothing_that_is_not_built() -> None:
    assert unsupported(load_text(HOME)) == []


def test_pipelines_page_contract_has_its_identity_inside_info_or_beside_it() -> None:
    inside = contract(
        """
        info:
          title: Silver Customers (CRM)
          target_layer: silver
          dataset: silver_crm_customers
          upstream:
            - bronze_crm_customers
        """
    )
    beside = contract(
        """
        info:
          title: Silver Customers (CRM)
          target_layer: silver
        dataset: silver_crm_customers
        upstream:
          - bronze_crm_customers
        """
    )
    for loaded in (inside, beside):
        assert (loaded.name, loaded.layer) == ("silver_crm_customers", "silver")
        assert loaded.upstream == ("bronze_crm_customers",)


def test_end_to_end_pattern_loads_with_its_older_spelling_of_source() -> None:
    loaded = contract(
        """
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
    )
    assert loaded.layer == "gold"
    assert loaded.source is not None
    assert loaded.source.path is None
    assert loaded.model.transformations[0].phase == "post"
    assert loaded.primary_key == ("user_id",)
    assert unsupported(loaded) == []
