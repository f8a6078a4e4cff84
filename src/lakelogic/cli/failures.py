"""How an error is told: in one to three lines for a reader, or as JSON for a program."""

from __future__ import annotations

import json
import traceback
from pathlib import Path

from lakelogic.errors import ContractInvalid, LakeLogicError

FORMAT = 1
_ONE_LINE = 100


class Unexpected(LakeLogicError):
    """A defect of the product."""

    code = "unexpected"


class Interrupted(LakeLogicError):
    """The user pressed Ctrl-C."""

    code = "interrupted"
    exit_code = 130


def as_text(error: LakeLogicError) -> str:
    """The error, and its cure on a line of its own where one line would be too long."""
    told = str(error)
    if not error.cure or len(told) <= _ONE_LINE:
        return told
    return f"{told.removesuffix(error.cure).rstrip()}\n{error.cure}"


def as_json(error: LakeLogicError) -> str:
    """The error for programs; the problems of a contract one by one."""
    body = _body(error)
    if isinstance(error, ContractInvalid):
        body["problems"] = [_body(problem) for problem in error.problems]
    return json.dumps({"format": FORMAT, "error": body}, ensure_ascii=False)


def unexpected(error: BaseException) -> Unexpected:
    """A defect, told by its kind and place only: the text of a foreign error may hold values of the data."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(__file__).parents[1] in Path(frame.filename).parents]
    where = f" at {Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""
    return Unexpected(
        f"Unexpected {type(error).__name__}{where}: this is a defect of LakeLogic.",
        cure="Run with --debug for the traceback.",
    )


def _body(error: LakeLogicError) -> dict[str, object]:
    place = error.place
    return {
        "code": error.code,
        "message": error.message,
        "cure": error.cure,
        "file": place.file if place else None,
        "line": place.line if place else None,
    }
