"""A contract is judged without the libraries that only a run needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HEAVY = ("pyspark", "pyarrow", "deltalake", "cryptography", "pandas", "numpy")


def test_validation_imports_no_heavy_library(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("source: {path: a.csv}\nmodel: {fields: [{name: a, type: int, masking: hash}]}\n")
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from lakelogic.contract.discovery import judge\n"
        "assert judge(Path(sys.argv[1])).valid\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
