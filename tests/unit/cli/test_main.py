"""How the command line answers and how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import typer

from lakelogic import __version__
from lakelogic.cli import main as cli
from lakelogic.errors import ContractError, ContractInvalid, LakeLogicError, Place, SourceError

HEAVY = ("cryptography", "deltalake", "pyarrow", "pydantic", "pyspark", "rich", "ruamel", "sqlglot")


def command_that(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Makes `lakelogic probe` do something."""

    def command(as_json: bool = typer.Option(False, "--json")) -> None:
        act()

    module = ModuleType("lakelogic.cli.probe")
    module.command = command  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "lakelogic.cli.probe", module)
    monkeypatch.setattr(cli, "COMMANDS", {"probe": "Try something."})


def fails(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


def test_the_page_of_the_command_line_tells_of_every_command() -> None:
    page = (Path(__file__).parents[3] / "docs/cli.md").read_text(encoding="utf-8")
    assert [name for name in cli.COMMANDS if f"| `lakelogic {name}` |" not in page] == []


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_that_is_listed_exists_and_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert import_module(f"lakelogic.cli.{name.replace('-', '_')}").command.__doc__
    assert cli.main([name, "--help"]) == 0
    assert f"Usage: lakelogic {name}" in capsys.readouterr().out


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown and line in shown for name, line in cli.COMMANDS.items())


def test_help_is_shown_when_nothing_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    assert "Commands:" in capsys.readouterr().out


def test_help_imports_nothing_heavy() -> None:
    program = "import sys; from lakelogic.cli.main import main; main(['--help']); print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    imported = set(answer.stdout.splitlines()[-1].split())
    assert "typer" in imported
    assert imported.isdisjoint(HEAVY)


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"lakelogic {__version__}\n"


def test_python_m_is_the_same_program() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "lakelogic", "--version"], capture_output=True, text=True, check=True
    )
    assert answer.stdout == f"lakelogic {__version__}\n"


def test_a_misspelt_command_is_told_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["docter"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "No such command 'docter'. Did you mean 'doctor'? `lakelogic --help` shows what it accepts.\n"


def test_a_contract_in_the_place_of_a_subcommand_is_told_with_those_that_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["runs", "contract.yaml"]) == 2
    told = "No such command 'contract.yaml'.\nKnown: compare, show. `lakelogic runs --help` shows what it accepts.\n"
    assert capsys.readouterr().err == told


def test_an_unknown_option_is_told_with_where_to_look(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "--nope"]) == 2
    assert capsys.readouterr().err == "No such option: --nope `lakelogic doctor --help` shows what it accepts.\n"


def test_an_error_is_told_on_stderr_with_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = ContractError("rule 'betwen' is unknown.", cure="Did you mean 'between'?", place=Place("orders.yaml", 14))
    command_that(monkeypatch, fails(error))
    assert cli.main(["probe"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "orders.yaml:14: rule 'betwen' is unknown. Did you mean 'between'?\n"


def test_a_long_cure_has_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    command_that(monkeypatch, fails(SourceError("m" * 60, cure="c" * 60)))
    assert cli.main(["probe"]) == 1
    assert capsys.readouterr().err == f"{'m' * 60}\n{'c' * 60}\n"


def test_with_json_an_error_is_json_on_stdout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problems: list[LakeLogicError] = [ContractError("one.", place=Place("a.yaml", 3)), ContractError("two.")]
    command_that(monkeypatch, fails(ContractInvalid(problems)))
    assert cli.main(["probe", "--json"]) == 2
    shown = capsys.readouterr()
    told = json.loads(shown.out)
    assert shown.err == ""
    assert told["format"] == 1
    assert told["error"]["code"] == "contract-invalid"
    assert [(each["message"], each["file"], each["line"]) for each in told["error"]["problems"]] == [
        ("one.", "a.yaml", 3),
        ("two.", None, None),
    ]


def test_with_debug_an_error_brings_its_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command_that(monkeypatch, fails(SourceError("no.")))
    assert cli.main(["probe", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_ctrl_c_ends_with_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    command_that(monkeypatch, fails(KeyboardInterrupt()))
    assert cli.main(["probe"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_command_may_choose_its_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    command_that(monkeypatch, fails(typer.Exit(3)))
    assert cli.main(["probe"]) == 3


DEFECT = """
import sys, types
from lakelogic.cli import main as cli
def command(as_json: bool = cli.typer.Option(False, "--json")) -> None:
    raise ValueError("jane@example.com")
module = types.ModuleType("lakelogic.cli.probe")
module.command = command
sys.modules["lakelogic.cli.probe"] = module
cli.COMMANDS = {"probe": "Try something."}
sys.exit(cli.main())
"""


@pytest.mark.parametrize("flag", [[], ["--json"]])
def test_a_defect_is_told_in_two_lines_without_values_of_the_data(flag: list[str]) -> None:
    answer = subprocess.run([sys.executable, "-c", DEFECT, "probe", *flag], capture_output=True, text=True, check=False)
    told = answer.stdout + answer.stderr
    assert answer.returncode == 1
    assert "Unexpected ValueError" in told
    assert "--debug" in told
    assert "jane" not in told
    assert "Traceback" not in told


def test_a_defect_brings_its_traceback_with_debug() -> None:
    command = [sys.executable, "-c", DEFECT, "--debug", "probe"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert "ValueError: jane@example.com" in answer.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m lakelogic template | head -c 1; echo ${{PIPESTATUS[0]}}"
    answer = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert answer.stderr == ""
