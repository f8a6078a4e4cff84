"""Which contract comes before which."""

from __future__ import annotations

import pytest

import lakelogic
from lakelogic.driver.graph import Graph, build_graph
from lakelogic.driver.nodes import Selection, open_lakehouse
from lakelogic.errors import ContractInvalid
from tests.unit.driver.lake import Lake


def graph_of(lake: Lake) -> Graph:
    # Foreign keys are known to the graph before they are enforced.
    selection = Selection(paths=(lake.root / "contracts",), continue_on_error=True)
    return build_graph(open_lakehouse(selection).nodes)


def test_upstreams_sources_links_and_foreign_keys_are_edges(lake: Lake) -> None:
    lake.contract("bronze_a")
    lake.contract("bronze_b")
    lake.contract("silver_a", source="bronze_a", upstream="bronze_b")
    lake.contract("reference_c")
    lake.contract(
        "gold_a",
        "links: [{name: c, path: ../tables/reference_c, type: delta}]\n"
        "model: {fields: [{name: id, foreign_key: {contract: silver_a, column: id}}]}\n",
        source="silver_a",
    )
    graph = graph_of(lake)
    assert graph.upstreams["silver_a"] == {"bronze_a": "source", "bronze_b": "upstream"}
    assert graph.upstreams["gold_a"] == {"silver_a": "source", "reference_c": "link c"}
    assert graph.descendants("bronze_b") == {"silver_a", "gold_a"}


def test_a_source_inside_another_target_is_an_edge(lake: Lake) -> None:
    lake.contract("bronze_a")
    lake.file("contracts/s.yaml", "dataset: silver_s\nsource: {path: ../tables/bronze_a/day=1/*.parquet}\n")
    assert graph_of(lake).upstreams["silver_s"] == {"bronze_a": "source"}


def test_layers_come_in_order_and_dimensions_before_facts(lake: Lake) -> None:
    for name in ("gold_fact_a", "gold_dim_z", "silver_b", "bronze_c", "reference_d"):
        lake.contract(name)
    assert graph_of(lake).order == ("reference_d", "bronze_c", "silver_b", "gold_dim_z", "gold_fact_a")


def test_a_contract_never_comes_before_what_it_needs_whatever_its_layer(lake: Lake) -> None:
    lake.contract("silver_b")
    lake.contract("reference_a", source="silver_b")
    assert graph_of(lake).order == ("silver_b", "reference_a")


def test_a_circle_is_told_with_its_path(lake: Lake) -> None:
    lake.contract("silver_a", source="silver_c")
    lake.contract("silver_b", source="silver_a")
    lake.contract("silver_c", upstream="silver_b")
    with pytest.raises(ContractInvalid) as caught:
        graph_of(lake)
    told = str(caught.value)
    assert "in a circle" in told
    assert all(part in told for part in ("silver_a (source)", "silver_b (source)", "silver_c (upstream)")[:2])


def test_the_functions_of_the_documentation_walk_the_graph(lake: Lake) -> None:
    lake.contract("bronze_a", "quality: {dataset_rules: [{row_count_between: {min: 9}}]}\n")
    lake.contract("bronze_b")
    lake.contract("silver_a", source="bronze_a")
    lake.contract("silver_b", source="bronze_b")
    registry = lakelogic.load_all_contracts(lake.root / "contracts")
    dag = lakelogic.build_dag_from_upstream(registry)
    ran = []
    for node in lakelogic.topo_sort(dag):
        report = lakelogic.run_contract(node)
        ran.append(node.name)
        if report.dataset_rules_failed:
            assert lakelogic.stop_downstream(node) == ("silver_a",)
    assert ran == ["bronze_a", "bronze_b", "silver_b"]


def test_an_upstream_that_nobody_lists_is_told_with_the_nearest(lake: Lake) -> None:
    lake.contract("bronze_orders")
    lake.contract("silver_a", upstream="bronze_order")
    with pytest.raises(ContractInvalid, match="'silver_a' needs 'bronze_order', which is unknown. Did you mean"):
        lakelogic.build_dag_from_upstream(lakelogic.load_all_contracts(lake.root / "contracts"))
