#!/usr/bin/env bash
# Makes .venv from the hashed lock; does nothing when that lock is installed already.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${1:-}
if [ -z "$python" ]; then
  echo "LakeLogic needs Python 3.11, 3.12 or 3.13. Install one, or name it: make PYTHON=/path/to/python3.11 …" >&2
  exit 2
fi

fingerprint=$("$python" - <<'PYTHON'
import hashlib, pathlib, sys
files = ["requirements/uv.txt", "requirements/dev.txt", "pyproject.toml", "scripts/install.sh"]
text = b"".join(pathlib.Path(file).read_bytes() for file in files)
print(hashlib.sha256(text + sys.version.encode() + str(pathlib.Path.cwd()).encode()).hexdigest())
PYTHON
)
if [ "$(cat .venv/.installed 2>/dev/null)" = "$fingerprint" ]; then
  exit 0
fi

echo "Installing into .venv …"
"$python" -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt

# uv does not read pip's settings, and a company's index is often only there.
index=$(.venv/bin/python -m pip config get global.index-url 2>/dev/null || true)
index=${PIP_INDEX_URL:-$index}
if [ -n "$index" ] && [ -z "${UV_DEFAULT_INDEX:-}${UV_INDEX_URL:-}" ]; then
  export UV_DEFAULT_INDEX=$index
fi
export VIRTUAL_ENV=$PWD/.venv
# Compiled once here, so that no command compiles it again.
.venv/bin/uv pip install --quiet --compile-bytecode --require-hashes -r requirements/dev.txt
.venv/bin/uv pip install --quiet --no-deps --no-build-isolation --editable .
echo "$fingerprint" >.venv/.installed
