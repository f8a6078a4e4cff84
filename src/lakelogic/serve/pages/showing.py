"""What all pages ask of the project that is served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lakelogic.observe.history import Run
from lakelogic.run.result import RunResult, result_from
from lakelogic.serve.pages.jobs import Jobs
from lakelogic.serve.pages.render import Site
from lakelogic.serve.reading.contracts import ContractSummary, summaries
from lakelogic.serve.reading.project import FIRST_RUN, Served


@dataclass(frozen=True)
class Message:
    """A page that only says something."""

    title: str
    message: str
    cure: str | None = None


class Showing:
    """The project as pages see it, and the decisions that visitors have begun."""

    def __init__(self, served: Served, *, signs_in: bool) -> None:
        self.served = served
        self.signs_in = signs_in
        self.jobs = Jobs()

    @property
    def site(self) -> Site:
        return Site(self.served.service, str(self.served.folder), self.signs_in)

    @property
    def problem(self) -> str | None:
        """Why there are no contracts."""
        problem = self.served.contracts.problem
        return str(problem) if problem else None

    @property
    def first_command(self) -> str:
        """What brings the first run."""
        return FIRST_RUN

    def summaries(self) -> tuple[ContractSummary, ...]:
        return summaries(self.served)

    def recent(self) -> Mapping[str, tuple[Run, ...]]:
        """The newest runs of every contract, newest first."""
        return self.served.runs.recent()

    def last(self) -> Mapping[str, RunResult]:
        """Of every contract the last run that judged rows of its source."""
        return self.served.answers.get("last runs of pages", self.served.stamp, self._last)

    def _last(self) -> Mapping[str, RunResult]:
        judged = {
            name: next((run.run_id for run in runs if run.status == "succeeded" and not run.is_command), "")
            for name, runs in self.recent().items()
        }
        found = self.served.runs.details(tuple(filter(None, judged.values())))
        told = {name: found[run_id].report for name, run_id in judged.items() if run_id in found}
        return {name: result_from(report) for name, report in told.items() if report}
