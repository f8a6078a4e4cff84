"""Which Java Spark will run on, and how to get one."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lakelogic.errors import EngineUnavailable

# Spark 4.1 is built for 17 and tested up to 21; Java 24 removed the security manager that its Hadoop client calls.
OLDEST, NEWEST = 17, 21

_VERSION = re.compile(r'version "(?P<text>(?:1\.)?(?P<major>\d+)[^"]*)"')


@dataclass(frozen=True)
class Java:
    """A Java command and its version."""

    command: Path
    major: int
    version: str


def find_java(environ: Mapping[str, str] = os.environ) -> Java | None:
    """The Java that Spark's own scripts will choose: that of JAVA_HOME, else the first on the PATH."""
    command = _command(environ)
    if command is None:
        return None
    try:
        # A first start from a cold disk is slow; a command that hangs longer is not a Java that works.
        answer = subprocess.run([command, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(answer.stderr + answer.stdout)
    # macOS has a stub named java that only tells where to download one.
    if answer.returncode != 0 or found is None:
        return None
    return Java(Path(command), int(found["major"]), found["text"])


def require_java(environ: Mapping[str, str] = os.environ) -> Java:
    """The Java that Spark will run on.

    Raises:
        EngineUnavailable: there is none, or it is too old or too new; with the command that installs one.
    """
    java = find_java(environ)
    if java and OLDEST <= java.major <= NEWEST:
        return java
    home = environ.get("JAVA_HOME")
    if java:
        problem = f"Spark needs Java {OLDEST} or {NEWEST}; {java.command} is Java {java.version}."
    elif home:
        problem = f"Spark needs Java {OLDEST} or {NEWEST}; JAVA_HOME is {home}, which has no working bin/java."
    else:
        problem = f"Spark needs Java {OLDEST} or {NEWEST}; there is no java on the PATH."
    cure = f"Install it: {install_command()}"
    if home:
        cure += " (then unset JAVA_HOME, or point it there)"
    raise EngineUnavailable(problem, cure=cure)


def install_command() -> str:
    """The command that installs a suitable Java on this system."""
    sudo = "sudo " if os.geteuid() != 0 else ""
    if shutil.which("apt-get"):
        return f"{sudo}apt-get install -y openjdk-{_debian_java()}-jre-headless"
    if shutil.which("dnf"):
        return f"{sudo}dnf install -y java-21-openjdk-headless"
    if shutil.which("apk"):
        # Spark's scripts are written for bash, which Alpine does not bring.
        return f"{sudo}apk add openjdk17-jre-headless bash"
    if shutil.which("brew"):
        return 'brew install openjdk@17 && export JAVA_HOME="$(brew --prefix openjdk@17)"'
    return "a package named openjdk 17 or 21 of your system, and put its bin folder on the PATH"


def _command(environ: Mapping[str, str]) -> str | None:
    if home := environ.get("JAVA_HOME"):
        command = Path(home, "bin", "java")
        return str(command) if os.access(command, os.X_OK) else None
    return shutil.which("java", path=environ.get("PATH"))


def _debian_java() -> int:
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return OLDEST
    # Debian 13 dropped 17; Ubuntu still has it.
    version = release.get("VERSION_ID", "")
    return NEWEST if release.get("ID") == "debian" and version.isdigit() and int(version) >= 13 else OLDEST
