"""What the OpenAPI document says of answers that several routes give."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

# The names of FastAPI's own annotation.
Responses = dict[int | str, dict[str, Any]]


class Problem(BaseModel):
    """Why there is no answer, and what to do about it."""

    detail: str
    cure: str | None = None


NOT_NOW: Responses = {503: {"model": Problem, "description": "A table or the run log can't be read now."}}
UNKNOWN: Responses = {404: {"model": Problem, "description": "There is nothing of that name."}, **NOT_NOW}
