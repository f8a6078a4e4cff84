"""The progress of a real Spark, as the command line asks for it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from lakelogic.engines.activity import tasks_under_way

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_tasks_are_told_while_a_job_runs_and_not_after(spark: SparkSession) -> None:
    slow = "SELECT reflect('java.lang.Thread', 'sleep', 100L) FROM range(0, 20, 1, 20)"
    with ThreadPoolExecutor(max_workers=1) as pool:
        job = pool.submit(lambda: spark.sql(slow).collect())
        seen = []
        while not job.done():
            seen.append(tasks_under_way())
            time.sleep(0.05)
        job.result()
    told = [tasks for tasks in seen if tasks is not None]
    assert any(tasks.total == 20 and 0 < tasks.done < 20 for tasks in told)
    deadline = time.monotonic() + 20
    while tasks_under_way() is not None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert tasks_under_way() is None
