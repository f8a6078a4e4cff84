"""What a run would do now, without doing it."""

from __future__ import annotations

from dataclasses import dataclass

from lakelogic.plan.explain import explained, not_pinned
from lakelogic.plan.model import Plan
from lakelogic.state.claims import Pinned

_SHOWN_FILES = 5


@dataclass(frozen=True)
class Preview:
    """A plan, the input that it is for, and how a run would begin.

    `nothing_new` says that a run would read nothing; the plan is then that of all files that are there.
    `resumes` names an unfinished run that would be completed first, `committed_by` one that has written this input
    under this plan, so that a run would not write it again. `alters` are the changes of the target's columns.
    """

    plan: Plan
    input: Pinned
    nothing_new: bool = False
    resumes: str | None = None
    committed_by: str | None = None
    alters: tuple[str, ...] = ()

    @property
    def weaker_promises(self) -> tuple[str, ...]:
        """What a run can't promise for this contract, and why."""
        unpinned = self.input.kind == "table" and self.input.version is None
        return (*explained(self.plan).weaker_promises, *(not_pinned(self.plan) if unpinned else ()))

    def to_dict(self) -> dict[str, object]:
        """The preview as plain data, for `--json`."""
        files = self.input.files
        told = {
            "files": len(files) if self.input.kind == "files" else None,
            "bytes": sum(file.size for file in files) if self.input.kind == "files" else None,
            "first_files": [file.path for file in files[:_SHOWN_FILES]],
            "version": self.input.version,
            "nothing_new": self.nothing_new,
            "resumes": self.resumes,
            "committed_by": self.committed_by,
        }
        doubts = {"weaker_promises": list(self.weaker_promises), "alters": list(self.alters)}
        return {**explained(self.plan).to_dict(), "input": told, **doubts}
