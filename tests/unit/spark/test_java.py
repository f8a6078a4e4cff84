"""Which Java is found, and what is said when it will not do."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.engines.spark.java import find_java, install_command, require_java
from lakelogic.errors import EngineUnavailable


def program(folder: Path, name: str, script: str = "") -> Path:
    """A program that a test may put on the PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def java(folder: Path, version: str) -> Path:
    return program(folder, "java", f"""echo 'openjdk version "{version}" 2025-04-15' >&2""")


@pytest.mark.parametrize(
    ("version", "major"), [("17.0.15", 17), ("1.8.0_392", 8), ("21", 21), ("25-ea", 25), ("11.0.2", 11)]
)
def test_the_major_version_is_read_from_what_java_says(tmp_path: Path, version: str, major: int) -> None:
    java(tmp_path, version)
    found = find_java({"PATH": str(tmp_path)})
    assert found is not None
    assert (found.major, found.version, found.command) == (major, version, tmp_path / "java")


def test_java_home_is_asked_before_the_path(tmp_path: Path) -> None:
    java(tmp_path / "home" / "bin", "17.0.1")
    java(tmp_path / "path", "21.0.1")
    found = find_java({"JAVA_HOME": str(tmp_path / "home"), "PATH": str(tmp_path / "path")})
    assert found is not None
    assert found.major == 17


def test_a_java_home_without_java_is_not_passed_over(tmp_path: Path) -> None:
    java(tmp_path, "17.0.1")
    environ = {"JAVA_HOME": "/nowhere", "PATH": str(tmp_path)}
    with pytest.raises(EngineUnavailable, match="JAVA_HOME is /nowhere, which has no working bin/java"):
        require_java(environ)


def test_the_stub_of_macos_is_no_java(tmp_path: Path) -> None:
    program(tmp_path, "java", "echo 'Unable to locate a Java Runtime.' >&2; exit 1")
    assert find_java({"PATH": str(tmp_path)}) is None


@pytest.mark.parametrize("version", ["17.0.15", "21.0.1"])
def test_java_17_and_21_are_accepted(tmp_path: Path, version: str) -> None:
    java(tmp_path, version)
    assert require_java({"PATH": str(tmp_path)}).version == version


@pytest.mark.parametrize("version", ["1.8.0_392", "11.0.2", "25.0.1"])
def test_an_older_or_newer_java_is_refused_by_its_version(tmp_path: Path, version: str) -> None:
    java(tmp_path, version)
    with pytest.raises(EngineUnavailable, match=f"Spark needs Java 17 or 21; .* is Java {version}"):
        require_java({"PATH": str(tmp_path)})


def test_a_missing_java_is_told_in_two_lines_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "dnf")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineUnavailable) as caught:
        require_java({"PATH": str(tmp_path)})
    assert caught.value.message == "Spark needs Java 17 or 21; there is no java on the PATH."
    assert caught.value.cure is not None
    assert caught.value.cure.startswith("Install it: ")
    assert caught.value.cure.endswith("dnf install -y java-21-openjdk-headless")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("installer", "package"),
    [
        ("apt-get", "jre-headless"),
        ("dnf", "java-21-openjdk-headless"),
        ("apk", "openjdk17-jre-headless"),
        ("brew", "openjdk@17"),
    ],
)
def test_the_cure_speaks_the_language_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installer: str, package: str
) -> None:
    program(tmp_path, installer)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installer in install_command()
    assert package in install_command()


@pytest.mark.parametrize(
    ("release", "package"),
    [
        ({"ID": "debian", "VERSION_ID": "12"}, "openjdk-17-jre-headless"),
        ({"ID": "debian", "VERSION_ID": "13"}, "openjdk-21-jre-headless"),
        ({"ID": "debian"}, "openjdk-17-jre-headless"),
        ({"ID": "ubuntu", "VERSION_ID": "24.04"}, "openjdk-17-jre-headless"),
    ],
)
def test_debian_is_told_a_package_that_its_release_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: dict[str, str], package: str
) -> None:
    program(tmp_path, "apt-get")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: release)
    assert package in install_command()
