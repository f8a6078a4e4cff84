"""A program that runs a contract twice on Spark Connect, and tells what it counted and wrote."""

from __future__ import annotations

import sys
from pathlib import Path

from lakelogic import DataProcessor
from lakelogic.engines.spark.session import open_session

folder = Path(sys.argv[1])
session = open_session({"spark.driver.memory": "1g"}, master=None, warehouse=folder / "lake", verbose=False)
for batch in ("id,amount\n1,5\n2,-1\n3,x\n4,8\n", "id,amount\n1,5\n4,9\n5,2\n"):
    (folder / "in" / f"{len(batch)}.csv").write_text(batch, encoding="utf-8")
    result = DataProcessor(folder / "contract.yaml", spark=session).run()
    counts, target = result.counts, result.target
    assert target is not None
    print(
        result.status, counts.source, counts.good, counts.quarantined, counts.filtered, target.inserted, target.updated
    )
print(type(session).__module__)
session.stop()
