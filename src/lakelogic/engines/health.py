"""What a machine has, and lacks, for the engines to run."""

from __future__ import annotations

from lakelogic.engines.finding import Finding
from lakelogic.engines.spark.health import spark_findings


def engine_findings(*, fetch: bool) -> list[Finding]:
    """What the engines need; `fetch` gets what can be got."""
    return spark_findings(fetch=fetch)
