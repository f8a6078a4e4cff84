#!/usr/bin/env bash
# The home page's contract on its four customers, in a folder of its own; then once more, to find nothing new.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf demo
cp -R examples/home demo
.venv/bin/python -c 'import secrets; print(secrets.token_hex(32))' >demo/.key
LAKELOGIC_PII_KEY=$(cat demo/.key)
export LAKELOGIC_PII_KEY

say() {
  printf '\n$ %s\n' "$*"
  "$@"
}
PATH=$PWD/.venv/bin:$PATH
# Without Java this says so in two lines, and the run goes on with DuckDB.
python -m lakelogic.engines.spark.jars || true
say lakelogic run demo/contract.yaml --show 5
say lakelogic run demo/contract.yaml
