"""Exactly once without Spark: run twice, killed at any instant, from two engines in turn."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from lakelogic.errors import SourceError, UsageError
from tests.scenarios import test_exactly_once
from tests.scenarios.light import ENGINES, LightProject, light_project, scenarios_of

_OF_SPARK = {
    "test_a_frame_always_runs_unless_its_batch_was_committed",
    "test_something_that_is_no_frame_is_refused",
    "test_processes_that_race_for_numbers_get_each_number_once",
}
globals().update(scenarios_of(test_exactly_once, but=_OF_SPARK))


@pytest.fixture(params=ENGINES)
def project(request: pytest.FixtureRequest, tmp_path: Path) -> LightProject:
    return light_project(tmp_path, request.param)


def test_a_polars_frame_always_runs_unless_its_batch_was_committed(project: LightProject) -> None:
    project.contract(test_exactly_once._CONTRACT)
    frame = pl.DataFrame({"id": ["1"], "name": ["a"]})
    assert [project.processor().run(frame).status for _ in range(2)] == ["succeeded", "succeeded"]
    named = [project.processor().run(frame, batch_id="b1").status for _ in range(2)]
    assert named == ["succeeded", "no_new_data"]
    assert project.processor().run(frame, batch_id="b2").status == "succeeded"
    assert project.values("id") == [1, 1, 1, 1]


def test_what_is_no_frame_is_refused(project: LightProject) -> None:
    project.contract(test_exactly_once._CONTRACT)
    with pytest.raises(UsageError, match=r"must .*, not builtins.list"):
        project.processor().run([{"id": 1}])
    with pytest.raises(SourceError, match="the frame has columns 'id' and 'ID', which differ in case only"):
        project.processor().run(pl.DataFrame({"id": ["1"], "ID": ["2"]}))
    assert project.versions() is None


@pytest.mark.parametrize("strategy", ["append", "overwrite", "merge"])
def test_light_engines_go_on_with_each_others_tables(tmp_path: Path, strategy: str) -> None:
    text = test_exactly_once._INCREMENTAL.replace("append", strategy)
    first, second = (light_project(tmp_path, engine) for engine in ENGINES)
    first.file("in/1.csv", "id,name\n1,a\n2,b\nx,bad\n")
    first.run(text)
    second.file("in/2.csv", "id,name\n2,B\n3,c\n")
    result = second.run()
    assert (result.sequence, result.counts.source, result.engine) == (2, 2, "polars")
    expected = {"append": [1, 2, 2, 3], "overwrite": [2, 3], "merge": [1, 2, 3]}
    assert second.values("id") == expected[strategy]


def test_a_full_load_that_another_engine_has_appended_is_not_appended_again(tmp_path: Path) -> None:
    first, second = (light_project(tmp_path, engine) for engine in ENGINES)
    first.file("in/1.csv", "id,name\n1,a\n2,b\nx,bad\n")
    first.run(test_exactly_once._CONTRACT)
    again = second.run()
    assert (again.status, again.engine) == ("no_new_data", "polars")
    assert second.values("id") == [1, 2]
