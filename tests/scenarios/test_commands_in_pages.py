"""Every command that a page shows is run as it is printed, page by page, on DuckDB.

A page's commands share a folder that begins like the project's root: `examples/` and `policy_packs/`, and in front of
them what `home` and `insurance_elt` hold (`contract.yaml`, `landing/`, `contracts/`, `data/`). A block with a title is
written to that file. What a page does not show stands in it as a comment:

    <!-- before: lakelogic run contract.yaml -->         runs first
    <!-- before, ends with 3: lakelogic-driver … -->     runs first, and ends with that exit code
    <!-- ends with 1 -->                                 so does the last command of the next block
    <!-- shows another: a log of many runs -->           what the next block prints is not compared
    <!-- slow: starts Spark -->                          the next block is left to `make torture`
    <!-- not run: needs an account -->                   the next block is not run, and this is why
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from lakelogic.cli import driver, main
from tests.pages import FENCE, PAGES, ROOT

_NOTE = (
    r"^<!-- (?:(?P<before>before)(?:, ends with (?P<code>\d+))?: (?P<command>[^\n]+)"
    r"|ends with (?P<ends>\d+)|(?P<kind>slow|not run|shows another): [^\n]{10,}) -->$"
)
_PART = re.compile(f"{_NOTE}|{FENCE.pattern}", re.MULTILINE | re.DOTALL)
_PROGRAMS = {"lakelogic": main.main, "lakelogic-driver": driver.main}
_SHELL = re.compile(r"[|<>;&]|\$\(")
# What a page makes up: the id of a run, the id of a row, an encrypted value.
_MADE_UP = (
    re.compile(r"\b\d{8}T\d{6}Z-[0-9a-f]{8}\b"),
    re.compile(r"(?<![\w-])(?=[a-f]*\d)[0-9a-f]{6,12}(?![\w-])"),
    re.compile(r"\benc:[\w+/=]{30,}"),
)
# What differs from one run to the next: moments, durations, ids, cipher texts.
_VARIES = re.compile(r"enc:\S+|\b[0-9a-f]{6,}\b|\d[\d.,:]*(?: (?:ms|s|min)\b)?")


@dataclass(frozen=True)
class Step:
    """A command with what a page shows of its output, or a file to be written."""

    line: int
    command: str
    shown: tuple[str, ...] = ()
    ends_with: int = 0
    kind: str | None = None
    file: str | None = None


@dataclass
class Session:
    """A reader at work in a folder."""

    folder: Path
    capsys: pytest.CaptureFixture[str]
    said: list[str] = field(default_factory=list)

    def take(self, step: Step) -> None:
        """Run a command, and compare how it ends and what it says."""
        if step.file:
            Path(step.file).write_text(step.command, encoding="utf-8")
            return
        code, output = self._run(self._with_ids(step.command))
        self.said.append(output)
        assert code == step.ends_with, f"line {step.line}: {step.command}\n{output}"
        said = {_plain(line) for line in output.splitlines()}
        missing = [line for line in step.shown if "…" not in line and _plain(line) not in said]
        assert missing == [], f"line {step.line}: {step.command}\n{output}"

    def _with_ids(self, command: str) -> str:
        """The command with what was printed before in place of what the page has made up."""
        for pattern in _MADE_UP:
            printed = [found for text in self.said for found in pattern.findall(text)]
            if printed and command.startswith("lakelogic "):
                command = pattern.sub(printed[-1], command)
        return command

    def _run(self, command: str) -> tuple[int, str]:
        words = shlex.split(os.path.expandvars(command), comments=True)
        if words[0] in _PROGRAMS and not _SHELL.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", command)):
            code = _PROGRAMS[words[0]](words[1:])
            told = self.capsys.readouterr()
            return code, told.out + told.err
        return self._in_a_shell(command)

    def _in_a_shell(self, command: str) -> tuple[int, str]:
        """Run a command that needs a shell; what it exports is there for the next ones, and so is its folder."""
        exported = self.folder / ".exported"
        script = f"{command}\ncode=$?\nenv -0 > {exported}\nexit $code"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
        entries = exported.read_text(encoding="utf-8").split("\0")
        os.environ.clear()
        os.environ.update({name: value for name, _, value in (each.partition("=") for each in entries) if name})
        os.chdir(os.environ["PWD"])
        return done.returncode, done.stdout + done.stderr


def steps(page: Path) -> Iterator[Step]:
    """What a reader of a page does, from top to bottom."""
    text = page.read_text(encoding="utf-8")
    ends_with, kind = 0, None
    for part in _PART.finditer(text):
        line = text.count("\n", 0, part.start()) + 1
        if part["before"]:
            yield Step(line, part["command"], ends_with=int(part["code"] or 0))
        elif part["ends"]:
            ends_with = int(part["ends"])
        elif part["kind"]:
            kind = part["kind"]
        elif part["language"] == "console":
            *first, last = _commands(line, textwrap.dedent(part["body"]), kind)
            yield from first
            yield replace(last, ends_with=ends_with)
            ends_with, kind = 0, None
        elif part["title"] and not (ROOT / part["title"]).is_file():
            yield Step(line, part["body"], file=part["title"])


def _commands(line: int, body: str, kind: str | None) -> Iterator[Step]:
    """The commands of a block, each with the lines that it is shown to print."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        length = 1
        while lines[length - 1].endswith("\\"):
            length += 1
        if here := re.search(r"<<'(\w+)'", lines[0]):
            length = lines.index(here[1]) + 1
        shown = () if kind == "shows another" else tuple(filter(str.strip, lines[length:]))
        yield Step(line, "\n".join(lines[:length]).replace("\\\n", ""), shown, kind=kind)


def _plain(line: str) -> str:
    return " ".join(_VARIES.sub("#", line).split())


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Session]:
    """The project's root, with the examples in front."""
    made_by_runs = shutil.ignore_patterns("output", ".lakelogic", "lakelogic.toml")
    for name in ("home", "insurance_elt"):
        shutil.copytree(ROOT / "examples" / name, tmp_path, ignore=made_by_runs, dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("output", ".lakelogic"))
    shutil.copytree(ROOT / "policy_packs", tmp_path / "policy_packs")
    (tmp_path / "lakelogic.toml").touch()
    programs = Path(sys.executable).parent
    before = dict(os.environ)
    monkeypatch.chdir(tmp_path)
    os.environ.update(LAKELOGIC_ENGINE="duckdb", LAKELOGIC_PII_KEY=secrets.token_hex(32), PYTHONPATH=str(ROOT / "src"))
    os.environ["PATH"] = f"{programs}{os.pathsep}{before['PATH']}"
    yield Session(tmp_path, capsys)
    os.environ.clear()
    os.environ.update(before)


def _named(page: Path) -> str:
    return str(page.relative_to(ROOT))


WITH_COMMANDS = [page for page in PAGES if any(not step.file for step in steps(page))]
WITH_SLOW_ONES = [page for page in WITH_COMMANDS if any(step.kind == "slow" for step in steps(page))]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=_named)
def test_the_commands_of_a_page_do_what_it_says(page: Path, session: Session) -> None:
    for step in steps(page):
        if step.kind not in {"slow", "not run"}:
            session.take(step)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_SLOW_ONES, ids=_named)
def test_the_slow_commands_of_a_page_do_what_it_says(page: Path, session: Session) -> None:
    for step in steps(page):
        if step.kind != "not run":
            session.take(step)
