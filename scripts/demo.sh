#!/usr/bin/env bash
# The home page's contract on its four customers; then a week of an insurer through the driver, layer by layer.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf demo
cp -R examples/home demo
cp -R examples/insurance_elt demo/insurance_elt
rm -rf demo/insurance_elt/output
.venv/bin/python -c 'import secrets; print(secrets.token_hex(32))' >demo/.key
LAKELOGIC_PII_KEY=$(cat demo/.key)
export LAKELOGIC_PII_KEY

say() {
  printf '\n$ %s\n' "$*"
  "$@"
}
PATH=$PWD/.venv/bin:$PATH
contracts=demo/insurance_elt/contracts
# Without Java this says so in two lines, and the runs go on with DuckDB.
python -m lakelogic.engines.spark.jars || true

say lakelogic run demo/contract.yaml --show 5
say lakelogic-driver \
  --registry $contracts/insurance/_registry.yaml \
  --reference-registry $contracts/shared/reference/_registry.yaml \
  --gold-registry $contracts/insurance/warehouse/_registry.yaml \
  --layers reference,bronze,silver,gold \
  --window last_success
say lakelogic quarantine list $contracts/insurance/silver/claims.yaml

cat <<NEXT

Next
  export LAKELOGIC_PII_KEY=\$(cat demo/.key)
  .venv/bin/lakelogic quarantine why $contracts/insurance/silver/claims.yaml K90402
  .venv/bin/lakelogic-driver --registry $contracts/insurance/_registry.yaml --layers bronze,silver --dry-run
NEXT
