"""The jars that Spark needs beside its own: pinned, fetched once, checked on every use."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from xml.sax.saxutils import quoteattr

from lakelogic.engines.spark.java import require_java
from lakelogic.errors import EngineUnavailable, LakeLogicError, UsageError, did_you_mean


@dataclass(frozen=True)
class Jar:
    """One file of a Maven repository, and the only content that is accepted for it."""

    organisation: str
    name: str
    version: str
    sha256: str

    @property
    def file(self) -> str:
        """The name of the file in the cache."""
        return f"{self.name}-{self.version}.jar"


# Delta's other dependencies are in Spark already, or belong to Unity Catalog's commits, which are not used.
GROUPS: Mapping[str, tuple[Jar, ...]] = {
    "delta": (
        Jar(
            "io.delta",
            "delta-spark_4.1_2.13",
            "4.4.0",
            "75a9400986853c061f5109f012547de2545a5759e5e752e5ef633dabe16a4f10",
        ),
        Jar(
            "io.delta",
            "delta-storage",
            "4.4.0",
            "c46735481fa8e326b0957be02b4420cbcab4b325bb08009b7f2045a95133f1cc",
        ),
    ),
    "iceberg": (
        Jar(
            "org.apache.iceberg",
            "iceberg-spark-runtime-4.1_2.13",
            "1.12.0",
            "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
        ),
    ),
}

_FETCH_SECONDS = 600


def jar_paths(*groups: str, environ: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """The jars of these groups in the cache, fetched now if they are not there yet.

    Raises:
        EngineUnavailable: a jar is missing and can't be fetched, or is not the one that was pinned.
        UsageError: a group is unknown.
    """
    jars = _jars(groups)
    folder = cache_folder(environ)
    if missing := missing_jars(*groups, environ=environ):
        _fetch(missing, folder, environ)
    return tuple(folder / jar.file for jar in jars)


def missing_jars(*groups: str, environ: Mapping[str, str] = os.environ) -> tuple[Jar, ...]:
    """The jars of these groups that the cache lacks, or holds with another content."""
    folder = cache_folder(environ)
    return tuple(jar for jar in _jars(groups) if not _is_pinned(folder / jar.file, jar))


def were_fetched(*groups: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the jars of these groups are in the cache; what they hold is checked when they are used."""
    return all((cache_folder(environ) / jar.file).is_file() for jar in _jars(groups))


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Where jars are kept: $LAKELOGIC_CACHE/jars, else the user's cache folder."""
    if own := environ.get("LAKELOGIC_CACHE"):
        return Path(own, "jars").absolute()
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "lakelogic", "jars").absolute()


def _jars(groups: Iterable[str]) -> tuple[Jar, ...]:
    for group in groups:
        if group not in GROUPS:
            raise UsageError(f"group of jars '{group}' is unknown.", cure=did_you_mean(group, GROUPS))
    return tuple(jar for group in groups for jar in GROUPS[group])


def _is_pinned(path: Path, jar: Jar) -> bool:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256
    except OSError:
        return False


def _fetch(jars: Iterable[Jar], folder: Path, environ: Mapping[str, str]) -> None:
    wanted = tuple(jars)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as scratch:
            fetched = Path(scratch)
            said = _run_ivy(wanted, fetched, environ)
            for jar in wanted:
                _require_pinned(fetched / jar.file, jar, folder, said)
            # Renames within one file system are atomic, so two processes that fetch at once end with the same files.
            for jar in wanted:
                (fetched / jar.file).replace(folder / jar.file)
    except OSError as error:
        raise EngineUnavailable(
            f"{folder} can't hold Spark's jars: {error.strerror or error}.",
            cure="Set LAKELOGIC_CACHE to a folder that can be written.",
        ) from error


def _run_ivy(jars: Iterable[Jar], folder: Path, environ: Mapping[str, str]) -> str:
    """Let the Ivy that PySpark ships fetch jars into a folder; what it said."""
    description = folder / "ivy.xml"
    description.write_text(_ivy_description(jars), encoding="utf-8")
    command: list[str] = [str(require_java(environ).command)]
    command += [f"-Divy.default.ivy.user.dir={folder / 'ivy'}", "-cp", str(_ivy_jar()), "org.apache.ivy.Main"]
    if settings := environ.get("LAKELOGIC_IVY_SETTINGS"):
        command += ["-settings", settings]
    command += ["-error", "-cache", str(folder / "cache"), "-ivy", str(description), "-confs", "default"]
    command += ["-retrieve", f"{folder}/[artifact]-[revision].[ext]"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=_FETCH_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer within {_FETCH_SECONDS} s"
    return answer.stdout + answer.stderr


def _ivy_description(jars: Iterable[Jar]) -> str:
    lines = (
        f"<dependency org={quoteattr(jar.organisation)} name={quoteattr(jar.name)} rev={quoteattr(jar.version)}"
        ' conf="default->master" transitive="false"/>'
        for jar in jars
    )
    return (
        '<ivy-module version="2.0"><info organisation="lakelogic" module="jars"/>'
        f'<configurations><conf name="default"/></configurations><dependencies>{"".join(lines)}</dependencies></ivy-module>'
    )


def _ivy_jar() -> Path:
    pyspark = find_spec("pyspark")
    folders = (pyspark.submodule_search_locations if pyspark else None) or []
    for folder in folders:
        for path in sorted(Path(folder, "jars").glob("ivy-*.jar")):
            return path
    raise EngineUnavailable(
        "PySpark with its jars is not installed.",
        cure="Install it: pip install lakelogic (pyspark-client alone can't start Spark).",
    )


def _require_pinned(path: Path, jar: Jar, folder: Path, said: str) -> None:
    if _is_pinned(path, jar):
        return
    if path.exists():
        raise EngineUnavailable(
            f"{jar.file} was fetched, but is not the file that is pinned (sha256 {jar.sha256}).",
            cure="Something between here and the repository altered it; nothing was kept.",
        )
    reasons = [line.strip() for line in said.splitlines() if "error" in line.lower() and not line.startswith(":")]
    raise EngineUnavailable(
        f"{jar.file} could not be fetched: {reasons[0] if reasons else 'it was not found'}",
        cure=f"Go online once and run `lakelogic doctor --fetch`, or copy the file to {folder}"
        " (LAKELOGIC_IVY_SETTINGS names the settings of a mirror).",
    )


def main(*groups: str) -> int:
    """Fetch the jars of some groups; those that every local Spark needs, if none is named."""
    try:
        jar_paths(*groups or ("delta",))
    except LakeLogicError as error:
        sys.stderr.write(f"{error.message}\n{error.cure}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
