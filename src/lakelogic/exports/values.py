"""Values as other systems take them: rows of Python values, and JSON that keeps every digit."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_INFINITIES = {math.inf: "Infinity", -math.inf: "-Infinity"}


def records(batch: pa.RecordBatch) -> Iterator[dict[str, object]]:
    """The rows of a batch by column; a map is a mapping."""
    yield from batch.to_pylist(maps_as_pydicts="strict")


def as_json(value: object) -> str:
    """A value as compact JSON: numbers with a fixed scale and moments as text, bytes as base64."""
    return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))


def plain(value: object) -> object:
    """A value of JSON; what JSON has no number for is text."""
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


def _float(value: float) -> object:
    return "NaN" if math.isnan(value) else _INFINITIES.get(value, value)


def _key(value: object) -> str:
    found = plain(value)
    return found if isinstance(found, str) else json.dumps(found)
