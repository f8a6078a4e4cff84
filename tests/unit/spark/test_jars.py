"""Jars are fetched once, checked always, and never half there. A folder serves as the repository; Java and Ivy are real."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lakelogic.engines.spark import jars
from lakelogic.engines.spark.jars import Jar, cache_folder, jar_paths, missing_jars
from lakelogic.errors import EngineUnavailable, UsageError

CONTENT = b"not much of a jar, but all there is"
REAL_GROUPS = jars.GROUPS
JAR = Jar("org.example", "thing", "1.0", hashlib.sha256(CONTENT).hexdigest())


@pytest.fixture(autouse=True)
def group(monkeypatch: pytest.MonkeyPatch) -> None:
    """One small group of jars in place of the real ones."""
    monkeypatch.setattr(jars, "GROUPS", {"things": (JAR,)})


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A cache of its own, and a repository in a folder."""
    settings = tmp_path / "settings.xml"
    files = f"{tmp_path}/repository/[organisation]/[module]/[revision]"
    settings.write_text(
        '<ivysettings><settings defaultResolver="folder"/><resolvers><filesystem name="folder" m2compatible="true">'
        f'<artifact pattern="{files}/[artifact]-[revision].[ext]"/><ivy pattern="{files}/[module]-[revision].pom"/>'
        "</filesystem></resolvers></ivysettings>"
    )
    return {
        **os.environ,
        "LAKELOGIC_CACHE": str(tmp_path / "cache"),
        "LAKELOGIC_IVY_SETTINGS": str(settings),
    }


def publish(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "repository" / "org" / "example" / "thing" / "1.0"
    folder.mkdir(parents=True)
    (folder / JAR.file).write_bytes(content)
    (folder / "thing-1.0.pom").write_text(
        "<project><modelVersion>4.0.0</modelVersion>"
        "<groupId>org.example</groupId><artifactId>thing</artifactId><version>1.0</version></project>"
    )


def everything_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def test_a_jar_is_fetched_once_and_nothing_else_is_left(tmp_path: Path, environ: dict[str, str]) -> None:
    publish(tmp_path, CONTENT)
    (path,) = jar_paths("things", environ=environ)
    assert path.read_bytes() == CONTENT
    assert everything_in(tmp_path / "cache") == ["jars", JAR.file]
    without_java = {**environ, "PATH": "", "JAVA_HOME": ""}
    assert jar_paths("things", environ=without_java) == (path,)


def test_a_jar_with_another_content_is_refused_and_not_kept(tmp_path: Path, environ: dict[str, str]) -> None:
    publish(tmp_path, b"something else")
    with pytest.raises(EngineUnavailable, match="is not the file that is pinned"):
        jar_paths("things", environ=environ)
    assert everything_in(tmp_path / "cache") == ["jars"]


def test_a_jar_that_nobody_has_is_told_with_the_cure(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "repository").mkdir()
    with pytest.raises(EngineUnavailable, match=r"thing-1\.0\.jar could not be fetched") as caught:
        jar_paths("things", environ=environ)
    assert "lakelogic doctor --fetch" in (caught.value.cure or "")
    assert everything_in(tmp_path / "cache") == ["jars"]


def test_a_damaged_jar_counts_as_missing_and_is_fetched_again(tmp_path: Path, environ: dict[str, str]) -> None:
    publish(tmp_path, CONTENT)
    (path,) = jar_paths("things", environ=environ)
    path.write_bytes(CONTENT[:10])
    assert missing_jars("things", environ=environ) == (JAR,)
    assert jar_paths("things", environ=environ)[0].read_bytes() == CONTENT


def test_two_that_fetch_at_once_both_succeed(tmp_path: Path, environ: dict[str, str]) -> None:
    publish(tmp_path, CONTENT)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: jar_paths("things", environ=environ), range(2)))
    assert found[0] == found[1]
    assert everything_in(tmp_path / "cache") == ["jars", JAR.file]


def test_a_cache_that_is_no_folder_is_told_with_the_cure(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(EngineUnavailable, match="can't hold Spark's jars") as caught:
        jar_paths("things", environ=environ)
    assert "LAKELOGIC_CACHE" in (caught.value.cure or "")


def test_an_unknown_group_is_told_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="Did you mean 'things'"):
        jar_paths("thing")


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"LAKELOGIC_CACHE": "/own", "XDG_CACHE_HOME": "/xdg"}, Path("/own/jars")),
        ({"XDG_CACHE_HOME": "/xdg"}, Path("/xdg/lakelogic/jars")),
        ({}, Path.home() / ".cache/lakelogic/jars"),
    ],
)
def test_the_cache_is_where_the_user_says(environ: dict[str, str], folder: Path) -> None:
    assert cache_folder(environ) == folder


def test_every_pinned_jar_has_a_full_hash_and_a_name_of_its_own() -> None:
    pinned = [jar for group in REAL_GROUPS.values() for jar in group]
    assert pinned
    assert all(len(bytes.fromhex(jar.sha256)) == 32 for jar in pinned)
    assert len({jar.file for jar in pinned}) == len(pinned)
