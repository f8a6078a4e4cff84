"""An environment of its own for each peer, made once and kept."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.orders import WORK


@dataclass(frozen=True)
class Peer:
    """Another product: what to install, and the module that runs the orders with it."""

    key: str
    title: str
    packages: tuple[str, ...]
    module: str
    on_spark: bool = True


PEERS = (
    Peer("dqx", "Databricks DQX 0.17.0", ("databricks-labs-dqx==0.17.0",), "benchmarks.peers.dqx"),
    Peer("lakelogic_184", "LakeLogic 1.84.0", ("lakelogic[spark]==1.84.0",), "benchmarks.peers.lakelogic_184"),
)

WITHOUT_SPARK = Peer(
    "lakelogic_184_polars",
    "LakeLogic 1.84.0 on polars",
    ("lakelogic[polars]==1.84.0",),
    "benchmarks.peers.lakelogic_184_polars",
    on_spark=False,
)


def python_of(peer: Peer) -> str:
    """The Python of the peer's environment, with the same Spark as everybody's if it needs one."""
    folder = WORK / "peers" / peer.key
    python = folder / "bin" / "python"
    done = folder / "installed.txt"
    wanted = [*peer.packages, *([f"pyspark[sql]=={version('pyspark')}"] if peer.on_spark else [])]
    if done.exists() and done.read_text(encoding="utf-8") == "\n".join(wanted):
        return str(python)
    uv = Path(sys.executable).with_name("uv")
    _run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, folder)
    _run(uv, "pip", "install", "--quiet", "--python", python, *wanted)
    done.write_text("\n".join(wanted), encoding="utf-8")
    return str(python)


def _run(*command: str | Path) -> None:
    subprocess.run([str(word) for word in command], check=True)
