"""What a machine has, and lacks, for Spark to run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from lakelogic.engines.finding import Finding
from lakelogic.engines.spark.jars import cache_folder, jar_paths, missing_jars
from lakelogic.engines.spark.java import require_java
from lakelogic.errors import LakeLogicError


def spark_findings(*, fetch: bool, environ: Mapping[str, str] = os.environ) -> list[Finding]:
    """Java, PySpark and Delta's jars, and what in the environment decides where Spark runs."""
    findings = [_java(environ), _pyspark(), _jars(fetch, environ), _package("deltalake")]
    if "SPARK_REMOTE" in environ:
        # The address may hold a token.
        findings.append(Finding("SPARK_REMOTE", "note", "set: runs use that Spark Connect server"))
    if home := environ.get("SPARK_HOME"):
        findings.append(_spark_home(home))
    return findings


def _java(environ: Mapping[str, str]) -> Finding:
    try:
        java = require_java(environ)
    except LakeLogicError as error:
        return Finding("Java", "missing", error.message, error.cure)
    return Finding("Java", "ok", f"{java.version} ({java.command})")


def _pyspark() -> Finding:
    found = _package("pyspark")
    needed = _required("pyspark")
    if found.state == "ok" and needed and found.value != needed:
        return Finding("pyspark", "missing", f"{found.value}, but {needed} is needed", f"pip install pyspark=={needed}")
    return found


def _package(name: str) -> Finding:
    try:
        return Finding(name, "ok", version(name))
    except PackageNotFoundError:
        return Finding(name, "missing", "not installed", "pip install lakelogic")


def _required(name: str) -> str | None:
    """The version of a package that this product is pinned to."""
    from importlib.metadata import requires

    pins = [line.partition("==")[2] for line in requires("lakelogic") or [] if line.startswith(f"{name}==")]
    return pins[0] if pins else None


def _jars(fetch: bool, environ: Mapping[str, str]) -> Finding:
    folder = cache_folder(environ)
    if fetch:
        try:
            jar_paths("delta", environ=environ)
        except LakeLogicError as error:
            return Finding("Delta jars", "missing", error.message, error.cure)
    if missing := missing_jars("delta", environ=environ):
        names = ", ".join(jar.file for jar in missing)
        return Finding("Delta jars", "note", f"not fetched yet: {names}", "lakelogic doctor --fetch, or the first run")
    return Finding("Delta jars", "ok", str(folder))


def _spark_home(home: str) -> Finding:
    package = find_spec("pyspark")
    own = [Path(folder).resolve() for folder in (package.submodule_search_locations if package else None) or []]
    if Path(home).resolve() in own:
        return Finding("SPARK_HOME", "ok", home)
    return Finding("SPARK_HOME", "note", f"{home}: runs start that Spark, not PySpark's own", "unset SPARK_HOME")
