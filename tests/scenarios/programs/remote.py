"""A program that runs on Spark Connect: a server of its own, as SPARK_REMOTE=local says."""

from __future__ import annotations

import sys
from pathlib import Path

from lakelogic.engines.spark.session import open_session, run_session

folder = Path(sys.argv[1])
base = open_session({"spark.driver.memory": "1g"}, master=None, warehouse=folder / "lake", verbose=False)
base.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
base.conf.set("spark.sql.shuffle.partitions", "3")
session = run_session(base)
session.range(3).write.format("delta").save(str(folder / "table"))
print(type(session).__module__)
print(session.conf.get("spark.sql.session.timeZone"), base.conf.get("spark.sql.session.timeZone"))
print(session.conf.get("spark.sql.shuffle.partitions"))
print(session.read.format("delta").load(str(folder / "table")).count())
base.stop()
