"""The examples: valid, as a reviewer would like them, and with the data that the script makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.contract.discovery import find_contracts, judge
from lakelogic.contract.lint.base import lint
from scripts.example_data import EXAMPLES, insurance, retail

MADE = ("insurance_elt", "retail_mesh")
CONTRACTS = find_contracts([EXAMPLES / name for name in (*MADE, "orders_lab/contracts")]).contracts


@pytest.mark.parametrize("file", CONTRACTS, ids=lambda file: str(file.relative_to(EXAMPLES)))
def test_a_contract_is_valid_supported_and_without_remarks(file: Path) -> None:
    verdict = judge(file)
    assert (verdict.problems, verdict.not_yet) == ((), ())
    assert verdict.contract is not None
    # The lab's tables are called as its users know them.
    ignored = ("name-pattern",) if "orders_lab" in file.parts else ()
    assert [str(finding) for finding in lint(verdict.contract, ignored)] == []


def test_the_data_is_what_the_script_makes(tmp_path: Path) -> None:
    insurance(tmp_path / "insurance_elt" / "data")
    retail(tmp_path / "retail_mesh" / "data" / "landing")
    made = {file.relative_to(tmp_path): file.read_text() for file in tmp_path.rglob("*.csv")}
    kept = {
        file.relative_to(EXAMPLES): file.read_text()
        for name in MADE
        for file in (EXAMPLES / name).rglob("*.csv")
        if "output" not in file.parts
    }
    assert made == kept
