"""Runs bronze, silver and gold by their contracts, and writes what they came to into artifacts/."""

from __future__ import annotations

import sys

from lakelogic.cli.driver import main as drive

from app.resource_pack import ARTIFACTS, REGISTRY


def main(options: list[str]) -> int:
    """Run the pipeline on Spark, or where Java is missing on DuckDB; options are those of lakelogic-driver."""
    metrics = ARTIFACTS / "pipeline_metrics.json"
    return drive(["--registry", str(REGISTRY), "--metrics-path", str(metrics), *options])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
