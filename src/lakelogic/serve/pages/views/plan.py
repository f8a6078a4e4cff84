"""What a run of a contract would do: its passes over the data, its SQL, its writes."""

from __future__ import annotations

from dataclasses import dataclass

from lakelogic.contract import LoadedContract
from lakelogic.engines.opening import engines, light_engine
from lakelogic.observe.history import Run
from lakelogic.plan.explain import Explained, explained
from lakelogic.run.processor import DataProcessor
from lakelogic.sql.layout import laid_out

_WIDTH = 100


@dataclass(frozen=True)
class PlanView:
    """A plan as the contract gives it today, and how it compares with the one of a run."""

    told: Explained
    statements: tuple[tuple[str, str], ...]
    note: str


def plan_view(contract: LoadedContract, run: Run) -> PlanView:
    """The plan of a contract, made by the engine that starts at once: a page starts no other.

    Raises:
        LakeLogicError: the source can't be looked at, so that nothing can be planned.
    """
    plan = DataProcessor(contract, light_engine()).preview().plan
    dialect, told = engines.get(plan.engine).dialect, explained(plan)
    statements = tuple((each.title, laid_out(each.sql, _WIDTH, dialect)) for each in told.statements)
    return PlanView(told, statements, _note(plan.fingerprint, plan.engine, run))


def _note(fingerprint: str, engine: str, run: Run) -> str:
    if fingerprint == run.plan:
        return "This is the plan of this run."
    if engine != run.engine:
        return f"As the contract is now, told in the SQL of {engine}; the run was on {run.engine}."
    return "As the contract and its source are now; this run had another plan."
