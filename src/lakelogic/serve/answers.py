"""Answers as JSON: values of tables as JSON has them, and refusals with their cure."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import PurePath

from starlette.responses import Response

from lakelogic.errors import LakeLogicError

_JSON = "application/json"


class NotFound(LakeLogicError):
    """Something that was asked for by its name is not there."""

    code = "not-found"


def plain(value: object) -> object:
    """A value as JSON has it: money is a number, a moment its text, and what is no number is told as text."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Decimal):
        return _number(float(value))
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(each) for each in value]
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value) if not isinstance(value, PurePath) else value.as_posix()


def as_json(value: object) -> bytes:
    """A value as the bytes of a JSON document."""
    return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as an answer; bytes are a document already."""
    content = value if isinstance(value, bytes) else as_json(value)
    return Response(content, status, dict(headers or {}), _JSON)


def refusal(status: int, detail: str, cure: str | None = None, headers: Mapping[str, str] | None = None) -> Response:
    """Why there is no answer, and what to do about it."""
    told = {"detail": detail, "cure": cure} if cure else {"detail": detail}
    return answer(told, status, headers)


def told(error: LakeLogicError) -> Response:
    """An error of ours: what is asked for is not there, or can't be read just now."""
    return refusal(404 if isinstance(error, NotFound) else 503, error.message, error.cure)


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
