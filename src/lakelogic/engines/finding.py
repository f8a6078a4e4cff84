"""What was looked at on a machine, and whether a run can do without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "note", "missing"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `missing` means that a run can't do without it."""

    name: str
    state: State
    value: str
    cure: str | None = None
