"""A masking key is replaced while tables hold values that the one before has masked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lakelogic.masks.rotation import KeyChanged
from tests.scenarios.light import light_project
from tests.scenarios.project import Project

NEW = "8f14e45fceea167a5a36dedd4bea2543c9f0f895fb98ab9159f51fd0297e236d"
CONTRACT = """
source: {path: in.csv}
model:
  fields:
    - {name: id, type: string, required: true, masking: hash}
    - {name: name, type: string}
primary_key: [id]
materialization: {strategy: merge, target_path: out}
"""


@pytest.fixture(params=["spark", "duckdb", "polars"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    """A project folder on every engine."""
    if request.param == "spark":
        return Project(tmp_path, request.getfixturevalue("spark"))
    return light_project(tmp_path, request.param)


def test_a_merge_by_a_masked_key_is_refused_until_the_key_is_back_or_the_table_gone(
    project: Project, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.file("in.csv", "id,name\n1,a\n2,b\n")
    project.run(CONTRACT)
    before = project.rows()

    monkeypatch.setenv("LAKELOGIC_PII_KEY", f"{NEW},{key}")
    with pytest.raises(KeyChanged):
        project.run()
    with pytest.raises(KeyChanged):
        project.run(force=True)
    assert project.rows() == before

    monkeypatch.setenv("LAKELOGIC_PII_KEY", f"{key},{NEW}")
    project.file("in.csv", "id,name\n1,a\n2,c\n")
    project.run()
    assert [row["id"] for row in project.rows()] == [row["id"] for row in before]
    assert project.values("name") == ["a", "c"]

    monkeypatch.setenv("LAKELOGIC_PII_KEY", f"{NEW},{key}")
    shutil.rmtree(project.root / "out")
    project.run(force=True)
    project.run(force=True)
    assert project.values("name") == ["a", "c"]
