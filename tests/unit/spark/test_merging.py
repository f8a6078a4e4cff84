"""The MERGE that Spark is given."""

from __future__ import annotations

from lakelogic.engines.spark.writing import merge_statement
from lakelogic.write.operations import MergeRows

_TARGET = "delta.`/t`"


def test_only_rows_that_differ_are_updated_and_keys_stay() -> None:
    merge = MergeRows(("id",), ("id",), ("a",), ("born",))
    assert merge_statement(_TARGET, "b", merge, ["id", "a", "born"]) == (
        "MERGE INTO delta.`/t` AS t USING b AS s ON t.`id` = s.`id` "
        "WHEN MATCHED AND NOT (t.`a` <=> s.`a`) THEN UPDATE SET t.`a` = s.`a` "
        "WHEN NOT MATCHED THEN INSERT (`id`, `a`, `born`) VALUES (s.`id`, s.`a`, s.`born`)"
    )


def test_rows_that_are_gone_are_taken_out_and_never_inserted() -> None:
    merge = MergeRows(("id",), ("id",), (), gone="_ll_gone")
    assert merge_statement(_TARGET, "b", merge, ["id"]) == (
        "MERGE INTO delta.`/t` AS t USING b AS s ON t.`id` = s.`id` WHEN MATCHED AND s.`_ll_gone` THEN DELETE "
        "WHEN NOT MATCHED AND NOT s.`_ll_gone` THEN INSERT (`id`) VALUES (s.`id`)"
    )


def test_what_is_known_of_all_keys_bounds_the_files_that_are_read() -> None:
    bounds = ["t.`day` BETWEEN CAST('2026-01-01' AS date) AND CAST('2026-01-02' AS date)"]
    text = merge_statement(_TARGET, "b", MergeRows(("day",), ("day",), ()), ["day"], bounds)
    assert f"ON t.`day` = s.`day` AND {bounds[0]} WHEN NOT MATCHED" in text
