"""Reading what is new and making slices anew, on Spark: the same as without it."""

from __future__ import annotations

import pytest

from tests.scenarios import test_incremental, test_reprocess
from tests.scenarios.project import Project

landed = test_reprocess.landed

test_rows_above_the_last_value_are_read = test_incremental.test_rows_above_the_last_value_are_read_up_to_the_highest_one
test_the_change_feed_tells_rows_that_were_updated = test_incremental.test_the_change_feed_tells_rows_that_were_updated
test_days_are_processed_again_and_the_others_stay = test_reprocess.test_days_are_processed_again_and_the_others_stay


def test_versions_that_only_added_rows_are_read_by_their_files(project: Project) -> None:
    test_incremental.test_versions_that_only_added_rows_are_read_by_their_files(project, partitioned=True)


@pytest.mark.slow
def test_rows_that_were_changed_without_a_feed_are_refused(project: Project) -> None:
    test_incremental.test_rows_that_were_changed_without_a_feed_are_refused(project)


@pytest.mark.slow
def test_the_highest_value_in_the_target_tells_what_is_new(project: Project) -> None:
    test_incremental.test_the_highest_value_in_the_target_tells_what_is_new(project)
