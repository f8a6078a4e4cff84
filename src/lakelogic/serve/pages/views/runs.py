"""The list of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lakelogic.observe.history import Found, Run
from lakelogic.serve.pages.views.parts import Paging, paging

PAGE = 50
_STATUSES = ("succeeded", "failed", "no_new_data", "awaiting_approval", "skipped", "blocked")


@dataclass(frozen=True)
class Asked:
    """Which runs the visitor looks for."""

    contract: str = ""
    status: str = ""
    offset: int = 0

    @property
    def filtered(self) -> bool:
        return bool(self.contract or self.status)


@dataclass(frozen=True)
class RunsPage:
    """All that the page shows."""

    asked: Asked
    runs: tuple[Run, ...]
    paging: Paging
    contracts: tuple[str, ...]
    first_command: str
    statuses: tuple[str, ...] = _STATUSES


def runs_page(asked: Asked, found: Found, contracts: Sequence[str], first_command: str) -> RunsPage:
    """The page."""
    query = {"contract": asked.contract, "status": asked.status}
    turned = paging("/runs", query, PAGE, asked.offset, found.total)
    return RunsPage(asked, found.runs, turned, tuple(sorted(contracts)), first_command)
