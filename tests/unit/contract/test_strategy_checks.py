"""Keys that have no meaning for a strategy are refused, and so is a strategy that lacks a key."""

from __future__ import annotations

import pytest

from lakelogic.errors import ContractInvalid

from .builders import contract

_KEY = "primary_key: [id]\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("materialization: {strategy: append, scd2: {}}", "scd2 has no meaning for strategy append"),
        (_KEY + "materialization: {strategy: merge, scd2: {}}", "scd2 has no meaning for strategy merge"),
        ("materialization: {strategy: append, soft_delete_column: gone}", "soft_delete_column has no meaning"),
        (_KEY + "materialization: {strategy: merge, soft_delete_value: x}", "without soft_delete_column"),
        (_KEY + "materialization: {strategy: merge, unknown_member: {}}", "unknown_member needs a surrogate key"),
        ("materialization: {strategy: overwrite, replace_where: a = 1}", "replace_where has no meaning"),
        ("soft_deletes: {flag_field: gone}", "soft_deletes needs strategy merge"),
        (
            _KEY + "source: {path: a.csv, load_mode: incremental}\nmaterialization: {strategy: merge, deletion: {}}",
            "load_mode incremental reads only a part",
        ),
        ("source: {path: a.csv, cdc_op_field: op}", "cdc_op_field has no meaning without load_mode: cdc"),
        (
            _KEY
            + "source: {path: a.csv, load_mode: cdc, cdc_op_field: op}\n"
            + "materialization: {strategy: merge, secondary_targets: [{target_path: b}]}",
            "captured deletes as if they were rows",
        ),
        ("materialization: {strategy: scd2}", "strategy scd2 needs a primary_key"),
    ],
)
def test_what_does_not_fit_the_strategy_is_refused(text: str, told: str) -> None:
    with pytest.raises(ContractInvalid, match=told):
        contract(text)


@pytest.mark.parametrize(
    "text",
    [
        _KEY + "soft_deletes: {flag_field: gone}\nmaterialization: {strategy: merge}",
        _KEY + "materialization: {strategy: merge, scd1: {surrogate_key: sk}, unknown_member: {}}",
        _KEY + "materialization: {strategy: scd2, scd2: {timestamp_field: at}, unknown_member: {}}",
        _KEY + "source: {path: a.csv, load_mode: cdc, cdc_op_field: op}\nmaterialization: {strategy: merge}",
        "materialization: {strategy: replace_partitions, replace_where: a = 1}",
    ],
)
def test_what_fits_the_strategy_is_accepted(text: str) -> None:
    assert contract(text).model.materialization.strategy
