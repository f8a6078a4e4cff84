#!/usr/bin/env bash
# Resolves the lock anew: plain requirement files with hashes, for every platform, without the address of an index.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/index.sh

compile=(.venv/bin/uv pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.11)
compile+=(--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock")
"${compile[@]}" --extra dev --extra docs pyproject.toml -o requirements/dev.txt
echo uv | "${compile[@]}" - -o requirements/uv.txt
# Orchestrators never share an environment with the driver that they start, nor with each other.
for wanted in requirements/orchestrators/*.in; do
  "${compile[@]}" "$wanted" -o "${wanted%.in}.txt"
done
# A Snowflake for tests; it pins other versions than ours, and so has an environment of its own.
printf 'fakesnow[server]\nsnowflake-connector-python[pandas]<4\n' | "${compile[@]}" - -o requirements/fakesnow.txt
