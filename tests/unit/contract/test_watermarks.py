"""Keys of incremental reading that do not fit together are told when a contract is loaded."""

from __future__ import annotations

import pytest

from lakelogic.errors import ContractInvalid

from .builders import contract

_PII = "model: {fields: [{name: at, type: timestamp, pii: true}]}\n"


def _source(keys: str, strategy: str = "append") -> str:
    return (
        f"source: {{path: t, type: delta, load_mode: incremental, {keys}}}\n"
        f"primary_key: [id]\nmaterialization: {{strategy: {strategy}}}\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_source("watermark_field: at, lookback: 7 days"), "lookback reads rows again"),
        (
            _source("watermark_strategy: date_range, watermark_field: at, from_date: 2026-01-01"),
            "watermark_strategy reads rows again",
        ),
        (_source("from_date: 2026-01-01"), "from_date has no meaning with watermark_strategy pipeline_log"),
        (_source("manifest_path: list.txt"), "manifest_path has no meaning"),
        (_source("lookback: 7 days", "merge"), "lookback has no meaning"),
        (_PII + _source("watermark_field: at"), "watermark_field 'at' is private"),
    ],
)
def test_keys_that_do_not_fit_are_told_with_a_cure(text: str, said: str) -> None:
    with pytest.raises(ContractInvalid, match=said) as caught:
        contract(text)
    (problem,) = caught.value.problems
    assert problem.cure and problem.place


@pytest.mark.parametrize(
    "text",
    [
        _source("watermark_field: at"),
        _source("watermark_field: at, lookback: 7 days", "merge"),
        _source("watermark_strategy: date_range, from_date: 2026-01-01"),
        _source("watermark_strategy: manifest, manifest_path: list.txt"),
    ],
)
def test_keys_that_fit_are_not(text: str) -> None:
    assert contract(text).source is not None
