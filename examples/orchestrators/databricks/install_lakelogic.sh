#!/bin/bash
# The runtime has PySpark, Delta and Arrow of its own: only what it lacks is installed.
set -euo pipefail
pip=/databricks/python/bin/pip
$pip install --no-deps lakelogic sqlglot ruamel.yaml loguru deltalake duckdb
$pip install 'typer>=0.29' 'pydantic>=2.11' tenacity 'rich>=14'
