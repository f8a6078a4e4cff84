"""Places that can't be written, a Ctrl-C, and contracts that are wrong: one message, and nothing half-written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from lakelogic.errors import ContractInvalid, LakeLogicError, StateError, WriteError
from tests.scenarios.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable

_CONTRACT = """
    source: {path: in/*.csv, load_mode: incremental}
    model: {fields: [{name: id, type: int, required: true}]}
    materialization: {target_path: out}
"""


@pytest.fixture
def landed(project: Project) -> Project:
    """A good row and a bad one have arrived."""
    project.file("in/1.csv", "id\n1\nx\n")
    return project


def _said_plainly(error: LakeLogicError) -> None:
    """One to three lines, with a cure, and no noise of the engine."""
    text = str(error)
    assert len(text.splitlines()) <= 3
    assert not re.search(r"\bat org\.|SQLSTATE|Py4J|Exception:|Traceback", text)
    assert error.cure


def test_a_quarantine_that_cant_be_written_leaves_the_target_as_it_was(landed: Project) -> None:
    (landed.root / "out_quarantine").write_text("in the way")
    with pytest.raises(WriteError, match="out_quarantine") as caught:
        landed.run(_CONTRACT)
    _said_plainly(caught.value)
    assert landed.versions() is None
    assert landed.log()[-1]["status"] == "failed"

    (landed.root / "out_quarantine").unlink()
    assert landed.run().counts.good == 1
    assert (landed.values("id"), landed.values("id", "out_quarantine")) == ([1], ["x"])


def test_a_target_that_cant_be_written_is_completed_by_the_next_run(landed: Project) -> None:
    (landed.root / "out").write_text("in the way")
    with pytest.raises(WriteError, match="out") as caught:
        landed.run(_CONTRACT)
    _said_plainly(caught.value)

    (landed.root / "out").unlink()
    result = landed.run()
    assert (result.attempt, result.counts.source) == (2, 2)
    assert (landed.values("id"), landed.values("id", "out_quarantine")) == ([1], ["x"])
    assert landed.versions("out_quarantine") == 1


def test_a_target_that_is_mended_by_another_contract_takes_the_batch_once(landed: Project) -> None:
    landed.run(_CONTRACT)
    landed.file("in/2.csv", "id,more\n2,m\ny,n\n")
    strict = _CONTRACT + "    schema_policy: {evolution: strict}\n"
    with pytest.raises(WriteError) as caught:
        landed.run(strict)
    _said_plainly(caught.value)
    assert landed.values("id") == [1]
    landed.run(_CONTRACT)
    assert (landed.values("id"), landed.values("id", "out_quarantine")) == ([1, 2], ["x", "y"])


def test_a_state_folder_that_cant_be_written_stops_the_run_before_it_writes(landed: Project) -> None:
    (landed.root / ".lakelogic").write_text("in the way")
    with pytest.raises(StateError) as caught:
        landed.run(_CONTRACT)
    _said_plainly(caught.value)
    assert (landed.versions(), landed.versions("out_quarantine")) == (None, None)


@pytest.mark.parametrize("name", ["00000001.claim.json", "input-*.json"])
def test_a_damaged_claim_is_named_and_not_stepped_over(landed: Project, name: str) -> None:
    landed.run(_CONTRACT)
    damaged = next((landed.root / ".lakelogic" / "runs").glob(f"*/{name}"))
    damaged.write_text("{")
    landed.file("in/2.csv", "id\n2\n")
    with pytest.raises(StateError, match=f"{damaged.name} is damaged") as caught:
        landed.run()
    _said_plainly(caught.value)
    # The contract is not to blame.
    assert caught.value.place is None
    assert landed.values("id") == [1]


def _interrupting(at: str) -> Callable[[str], None]:
    def progress(what: str) -> None:
        if what == at:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("at", ["planning", "auditing", "writing quarantine", "writing target", "accounting"])
def test_a_run_that_is_interrupted_is_finished_by_the_next(landed: Project, at: str) -> None:
    landed.contract(_CONTRACT)
    with pytest.raises(KeyboardInterrupt):
        landed.processor(progress=_interrupting(at)).run()
    result = landed.run()
    assert (result.status, result.counts.source) == ("succeeded", 2)
    assert (landed.values("id"), landed.values("id", "out_quarantine")) == ([1], ["x"])
    assert (landed.versions(), landed.versions("out_quarantine")) == (1, 1)


def test_an_interrupted_full_load_is_not_doubled(landed: Project) -> None:
    full = _CONTRACT.replace(", load_mode: incremental", "")
    landed.contract(full)
    with pytest.raises(KeyboardInterrupt):
        landed.processor(progress=_interrupting("accounting")).run()
    assert landed.run().status == "succeeded"
    assert landed.run().status == "no_new_data"
    assert landed.values("id") == [1]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("id >", r"id >"),
        ("DROP TABLE out", r"DROP|statement"),
        ("id > 1; DELETE FROM out", r"statement"),
        ("reflect('java.lang.System', 'exit', 1) = 'x'", r"reflect"),
        ("java_method('java.lang.System', 'exit', 1) = 'x'", r"java_method"),
        ("id IN (SELECT id FROM secrets)", r"secrets"),
        ("rand() > 0.5", r"rand"),
    ],
)
def test_sql_that_a_contract_may_not_hold_is_refused_before_anything_is_touched(
    landed: Project, rule: str, said: str
) -> None:
    before = sorted(landed.root.rglob("*"))
    with pytest.raises(ContractInvalid, match=said) as caught:
        landed.run(_CONTRACT + f'    quality: {{row_rules: [{{sql: "{rule}"}}]}}\n')
    assert caught.value.exit_code == 2
    assert [path for path in sorted(landed.root.rglob("*")) if path.name != "contract.yaml"] == before
