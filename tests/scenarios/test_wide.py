"""Files of thousands of columns: an answer in seconds without Spark, in minutes with it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from lakelogic.cli.main import main
from tests.scenarios.light import ENGINES, light_project

_COLUMNS = 10_000
_CONTRACT = """
    source: {path: in.parquet}
    model: {fields: [{name: c0, type: bigint, required: true}, {name: c1, type: string}]}
    quality: {row_rules: [{sql: c0 > 3}]}
    materialization: {target_path: out}
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", [*ENGINES, "spark"])
def test_a_file_of_ten_thousand_columns_is_judged_and_written(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = light_project(tmp_path)
    project.contract(_CONTRACT)
    values = {f"c{i}": [f"v{row}" for row in range(9)] if i % 2 else list(range(9)) for i in range(_COLUMNS)}
    pyarrow.parquet.write_table(pa.table(values), tmp_path / "in.parquet")
    monkeypatch.chdir(tmp_path)
    assert main(["run", "contract.yaml", "--engine", engine]) == 0
    assert project.values("c9998") == [4, 5, 6, 7, 8]
    assert [list(row["_lakelogic_errors"]) for row in project.rows("out_quarantine")] == [["Rule failed: c0 > 3"]] * 4
