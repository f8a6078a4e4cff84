"""What `lakelogic run` says when it is interrupted."""

from __future__ import annotations

import pytest

from lakelogic.cli.failures import as_text
from lakelogic.cli.run import _interrupted
from lakelogic.cli.screen.progress import Phases


@pytest.mark.parametrize(
    ("phases", "told"),
    [
        ([], "Interrupted while beginning. Nothing was written."),
        (["starting Spark", "planning"], "Interrupted while planning. Nothing was written."),
        (
            ["planning", "writing quarantine"],
            "Interrupted while writing quarantine. Run it again: nothing is lost, nothing is written twice.",
        ),
    ],
)
def test_an_interrupted_run_says_in_one_line_what_that_means(phases: list[str], told: str) -> None:
    heard = Phases()
    for phase in phases:
        heard(phase)
    error = _interrupted(heard)
    assert as_text(error) == told
    assert error.exit_code == 130
