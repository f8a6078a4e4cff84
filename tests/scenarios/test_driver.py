"""The driver on Spark: one application, a session for each contract, references that are read once."""

from __future__ import annotations

from lakelogic.driver.drive import Settings, drive
from lakelogic.driver.nodes import Selection
from tests.scenarios.project import Project

_SOURCE = "source: {{path: ../{path}, format: {form}}}\n"
_TARGET = "materialization: {{strategy: {strategy}, target_path: ../{name}}}\n"
_JOIN = (
    "links: [{name: labels, path: ../labels.csv}]\n"
    "transformations: [{join: {reference: labels, on: id, key: id, fields: [label]}}]\n"
)


def _contract(project: Project, name: str, path: str, *more: str, strategy: str = "overwrite") -> None:
    form = "csv" if path.startswith("in") else "delta"
    text = f"dataset: {name}\nlayer: {name.split('_', maxsplit=1)[0]}\n" + _SOURCE.format(path=path, form=form)
    project.contract(text + _TARGET.format(strategy=strategy, name=name) + "".join(more), f"contracts/{name}.yaml")


def test_contracts_run_side_by_side_in_one_spark(project: Project) -> None:
    project.file("lakelogic.toml", "")
    project.file("labels.csv", "id,label\n1,one\n2,two\n")
    for entity in ("a", "b", "c"):
        project.file(f"in/{entity}.csv", "id\n1\n2\n")
        _contract(project, f"bronze_{entity}", f"in/{entity}.csv")
        _contract(project, f"silver_{entity}", f"bronze_{entity}", _JOIN, "primary_key: [id]\n", strategy="merge")
    _contract(project, "gold_fact", "silver_a", "upstream: [silver_b, silver_c]\n")
    sessions = len(project.spark.catalog.listTables("global_temp"))
    settings = Settings("spark", max_workers=3, cache_references=True)
    summary = drive(Selection(paths=(project.root / "contracts",)), settings)
    assert [(o.contract, o.status) for o in summary.outcomes if not o.fine] == []
    assert summary.exit_code == 0
    assert summary.references == {"read": 1, "saved": 2}
    assert project.values("label", "gold_fact") == ["one", "two"]
    assert {row["pipeline_run_id"] for row in project.log()} == {summary.pipeline_run_id}
    assert len(project.spark.catalog.listTables("global_temp")) == sessions
