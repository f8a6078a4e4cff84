"""Runs the driver inside a Spark platform: `run_driver.py STATE_ARCHIVE OPTION…`.

State needs a file system with hard links, which volumes and mounted lakes lack. So it is kept as one archive there,
unpacked to the local disk first and packed again at the end; let one run at a time use it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from lakelogic.cli.driver import main as driver

ENDINGS = {
    1: "the data or a gate said no",
    2: "the command or a contract is wrong",
    3: "approval needed",
    130: "interrupted",
}


def main(archive: str, *options: str) -> None:
    """Run the driver; platforms look for an exception and not at an exit code."""
    state = Path(tempfile.mkdtemp(prefix="lakelogic-")) / "state"
    state.mkdir()
    if Path(archive).is_file():
        shutil.unpack_archive(archive, state, "tar", filter="data")
    os.environ["LAKELOGIC_STATE"] = str(state)
    try:
        code = driver(options)
    finally:
        packed = shutil.make_archive(str(state), "tar", state)
        shutil.copyfile(packed, f"{archive}.part")
        Path(f"{archive}.part").replace(archive)
    if code:
        raise RuntimeError(ENDINGS.get(code, f"the driver ended with exit code {code}"))


if __name__ == "__main__":
    main(*sys.argv[1:])
