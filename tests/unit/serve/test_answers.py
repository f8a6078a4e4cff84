"""Values as JSON has them, and errors as answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from lakelogic.errors import SourceError, StateError
from lakelogic.serve.answers import NotFound, as_json, told


@dataclass(frozen=True)
class Point:
    x: Decimal
    at: datetime | None = None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("440.90"), 440.9),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (Decimal("NaN"), "nan"),
        (datetime(2026, 3, 14, 9, tzinfo=UTC), "2026-03-14T09:00:00+00:00"),
        (date(2026, 3, 14), "2026-03-14"),
        (timedelta(minutes=2), 120.0),
        (b"\x00\xff", "AP8="),
        ({"a": (1, Decimal("2.5"))}, {"a": [1, 2.5]}),
        ((Point(Decimal("1.5")),), [{"x": 1.5, "at": None}]),
        ("</script>é\u2028", "</script>é\u2028"),
        (10**30, 10**30),
        (True, True),
    ],
    ids=str,
)
def test_a_value_is_told_as_json_has_it(value: object, expected: Any) -> None:
    assert json.loads(as_json(value)) == expected


@pytest.mark.parametrize(
    ("error", "status"),
    [(NotFound("no."), 404), (SourceError("gone.", cure="Restore it."), 503), (StateError("damaged."), 503)],
)
def test_an_error_is_an_answer_with_its_cure(error: SourceError, status: int) -> None:
    found = told(error)
    assert found.status_code == status
    assert json.loads(bytes(found.body)) == {"detail": error.message} | ({"cure": error.cure} if error.cure else {})
