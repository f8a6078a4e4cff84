"""Options that several commands share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lakelogic.cli.options import chosen_contract, moment, overrides_of
from lakelogic.errors import UsageError


def test_a_contract_is_an_argument_or_an_option() -> None:
    assert chosen_contract(Path("a.yaml"), None) == Path("a.yaml")
    assert chosen_contract(None, Path("a.yaml")) == Path("a.yaml")


@pytest.mark.parametrize(("argument", "option"), [(None, None), (Path("a.yaml"), Path("b.yaml"))])
def test_no_contract_or_two_are_refused(argument: Path | None, option: Path | None) -> None:
    with pytest.raises(UsageError, match=r"no contract is given|two contracts are given"):
        chosen_contract(argument, option)


def test_overrides_are_split_at_the_first_equals_sign() -> None:
    assert overrides_of(["source.path=a=b", "quality.enforce_required="]) == {
        "source.path": "a=b",
        "quality.enforce_required": "",
    }
    assert overrides_of(None) == {}


@pytest.mark.parametrize("pairs", [["key"], ["=value"], ["a=1", "a=2"]])
def test_an_override_without_key_or_sign_or_given_twice_is_refused(pairs: list[str]) -> None:
    with pytest.raises(UsageError, match=r"KEY=VALUE|twice"):
        overrides_of(pairs)


def test_a_moment_is_a_time_or_how_long_ago_it_was() -> None:
    assert moment("--since", "2026-02-01T06:30") == datetime(2026, 2, 1, 6, 30, tzinfo=UTC)
    assert moment("--since", "2026-02-01T06:30+02:00") == datetime(2026, 2, 1, 4, 30, tzinfo=UTC)
    ago = moment("--since", "24h")
    assert ago is not None
    assert timedelta(hours=24) <= datetime.now(UTC) - ago < timedelta(hours=24, minutes=1)
