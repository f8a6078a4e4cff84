"""One contract of the driver: tried again, and for how long."""

from __future__ import annotations

from typing import Any, cast

import pytest

from lakelogic.driver.nodes import load_nodes
from lakelogic.driver.watching import Nobody, Watch
from lakelogic.driver.windows import Window
from lakelogic.driver.working import Patience, run_node
from lakelogic.errors import LakeLogicError, RunBusy, SourceError
from lakelogic.run.processor import DataProcessor
from tests.unit.driver.lake import Lake


class Fails:
    """A processor that raises some errors before it runs as it should."""

    def __init__(self, contract: Any, *errors: type[LakeLogicError]) -> None:
        self._real = DataProcessor(contract, "duckdb")
        self._errors = list(errors)

    def run_source(self, **options: Any) -> Any:
        if self._errors:
            raise self._errors.pop(0)("no")
        return self._real.run_source(**options)


@pytest.mark.parametrize(
    ("errors", "retries", "status", "attempts"),
    [
        ((), 0, "succeeded", 1),
        ((RunBusy, RunBusy), 2, "succeeded", 3),
        ((RunBusy, RunBusy), 1, "failed", 2),
        ((SourceError,), 5, "failed", 1),
    ],
)
def test_only_errors_that_can_pass_are_tried_again(
    lake: Lake, errors: tuple[type[LakeLogicError], ...], retries: int, status: str, attempts: int
) -> None:
    lake.contract("bronze_a")
    node = load_nodes(lake.root / "contracts")["bronze_a"]
    processor = cast(DataProcessor, Fails(node.contract, *errors))
    patience = Patience(retries, backoff_seconds=0.001)
    outcome = run_node(node, Window(), Watch(node, Nobody()), patience, lambda _, __: processor)
    assert (outcome.status, outcome.attempts) == (status, attempts)
