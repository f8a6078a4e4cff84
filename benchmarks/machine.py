"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from benchmarks.session import MASTER, MEMORY


def machine_facts() -> dict[str, str]:
    """Processor, memory and versions; nothing that names the machine."""
    from lakelogic.engines.spark.jars import GROUPS
    from lakelogic.engines.spark.java import require_java

    java = require_java()
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{gigabytes:.0f} GB",
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "java": str(java.major),
        "spark": f"{version('pyspark')}, {MASTER}, {MEMORY} of heap",
        "delta": GROUPS["delta"][0].version,
        "lakelogic": version("lakelogic"),
    }


def commit() -> str:
    """The commit that was measured, with a + where files had changed since."""
    folder = Path(__file__).parent
    shown = subprocess.run(
        ["git", "describe", "--always", "--dirty=+", "--abbrev=10"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return shown.stdout.strip() or "unknown"


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
