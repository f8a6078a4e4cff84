"""`lakelogic decrypt`: values, lines and table columns in plain text again, or a clear refusal."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from lakelogic.cli.decrypt import command
from lakelogic.errors import SecretMissing, SourceError, UsageError
from lakelogic.masks.base import mask_for
from lakelogic.masks.keys import VARIABLE, load_keys
from lakelogic.masks.sealed import CannotDecrypt

KEY = "8f14e45fceea167a5a36dedd4bea2543c9f0f895fb98ab9159f51fd0297e236d"
OTHER = "45c48cce2e2d7fbdea1afc51c7c6ad26d3d9446802a44259755d38e6d163e820"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


@pytest.fixture
def table(tmp_path: Path) -> str:
    emails = [encrypted("jäne@x.com"), None, encrypted("bob@y.com")]
    rows = pa.table({"cus_id": ["C1", "C2", "C3"], "email": emails, "raw": [b"\xff", None, b""]})
    write_deltalake(str(tmp_path / "customers"), rows)
    return str(tmp_path / "customers")


def encrypted(text: str, with_key: str = KEY) -> str:
    stored = mask_for("encrypt").python(text, load_keys({VARIABLE: with_key}))
    assert stored is not None
    return stored


def test_values_are_printed_in_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    command(values=[encrypted("jäne@x.com"), encrypted("")])
    assert capsys.readouterr().out == "jäne@x.com\n\n"


def test_lines_of_stdin_are_decrypted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{encrypted('a')}\n\n{encrypted('b')}\n"))
    command()
    assert capsys.readouterr().out == "a\nb\n"


def test_a_terminal_without_values_is_told_what_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    with pytest.raises(UsageError, match="nothing to decrypt"):
        command()


def test_the_rows_of_a_table_are_json_lines(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    command(table=table, column=["email"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted(rows, key=lambda row: row["cus_id"]) == [
        {"cus_id": "C1", "email": "jäne@x.com", "raw": "/w=="},
        {"cus_id": "C2", "email": None, "raw": None},
        {"cus_id": "C3", "email": "bob@y.com", "raw": ""},
    ]


def test_limit_bounds_the_rows(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    command(table=table, column=["email"], limit=2)
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_column_that_is_not_there_names_the_nearest(table: str) -> None:
    with pytest.raises(SourceError, match="Did you mean 'email'"):
        command(table=table, column=["emial"])


def test_a_column_that_is_not_encrypted_is_refused_with_its_row(table: str) -> None:
    with pytest.raises(CannotDecrypt, match="row 1, column 'cus_id': not encrypted text") as refused:
        command(table=table, column=["cus_id"])
    assert refused.value.exit_code == 1


def test_a_path_without_a_table_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="can't be read as a Delta table") as refused:
        command(table=str(tmp_path / "nowhere"), column=["email"])
    assert "\n" not in str(refused.value)


def test_another_key_is_refused_and_says_which_value(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CannotDecrypt, match="value 2: encrypted with another key") as refused:
        command(values=[encrypted("a"), encrypted("b", OTHER)])
    assert refused.value.exit_code == 1
    assert VARIABLE in str(refused.value)
    assert capsys.readouterr().out == "a\n"


def test_an_older_key_in_the_list_still_opens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, f"{OTHER},{KEY}")
    command(values=[encrypted("a"), encrypted("b", OTHER)])
    assert capsys.readouterr().out == "a\nb\n"


def test_without_the_key_nothing_is_read(monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(SecretMissing, match=VARIABLE):
        command(table=table, column=["email"])


@pytest.mark.parametrize(
    "options",
    [
        {"column": ["email"]},
        {"limit": 3},
        {"table": "t"},
        {"table": "t", "column": ["email"], "values": ["enc:x"]},
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="--table"):
        command(**options)  # type: ignore[arg-type]
