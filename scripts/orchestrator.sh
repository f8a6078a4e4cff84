#!/usr/bin/env bash
# Makes the environment of an orchestrator from its hashed lock, once for each lock, and prints its Python.
set -euo pipefail
cd "$(dirname "$0")/.."

lock=requirements/orchestrators/$1.txt
place=$PWD/build/orchestrators/$1-$(sha256sum "$lock" | cut -c1-12)
if [ ! -e "$place/.installed" ]; then
  . scripts/index.sh
  .venv/bin/uv venv --quiet --clear --python .venv/bin/python "$place"
  .venv/bin/uv pip install --quiet --python "$place/bin/python" --require-hashes -r "$lock"
  touch "$place/.installed"
fi
echo "$place/bin/python"
