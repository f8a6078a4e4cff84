"""The user's own code, without an engine: what is run, what is refused, and what is told when it fails."""

from __future__ import annotations

import json
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

from lakelogic.contract.logic import ExternalLogic
from lakelogic.errors import ContractError, ExternalLogicError
from lakelogic.run.user_code import UserCode, read_code


def logic(path: str = "logic.py", **more: Any) -> ExternalLogic:
    return ExternalLogic.model_validate({"path": path, **more})


def code(folder: Path, text: str, **more: Any) -> UserCode:
    (folder / "logic.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return read_code(logic(**more), folder, folder)


def called(folder: Path, text: str, **more: Any) -> object:
    return code(folder, text, **more).call(logic(**more), "rows", {"countries": "link"}, "an engine")


def notebook(folder: Path, *cells: str) -> Path:
    path = folder / "logic.ipynb"
    parts = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": "# Notes"}, *parts]}), encoding="utf-8")
    return path


def test_the_function_gets_rows_links_engine_and_arguments(tmp_path: Path) -> None:
    text = "def run(df, links, engine, *, rate):\n    return df, links, engine, rate\n"
    assert called(tmp_path, text, args={"rate": 2}) == ("rows", {"countries": "link"}, "an engine", 2)


def test_another_function_may_be_named(tmp_path: Path) -> None:
    assert called(tmp_path, "def made(df, **rest):\n    return sorted(rest)\n", entrypoint="made") == [
        "engine",
        "links",
    ]


def test_a_dataclass_in_the_code_finds_its_module(tmp_path: Path) -> None:
    text = """\
        from __future__ import annotations
        from dataclasses import dataclass

        @dataclass
        class Rate:
            value: int

        def run(df, links, engine):
            return Rate(3).value
        """
    assert called(tmp_path, text) == 3


def test_the_code_cells_of_a_notebook_share_their_names(tmp_path: Path) -> None:
    notebook(tmp_path, "RATE = 2\n", "def run(df, links, engine):\n    return RATE\n")
    asked = logic("logic.ipynb")
    assert read_code(asked, tmp_path, tmp_path).call(asked, None, {}, "") == 2


def test_an_error_is_told_with_its_file_and_line(tmp_path: Path) -> None:
    text = "import json\n\ndef run(df, links, engine):\n    return json.loads('{')\n"
    with pytest.raises(ExternalLogicError) as caught:
        called(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'logic.py'}:4: JSONDecodeError: Expecting property name")


def test_an_error_in_a_notebook_is_told_with_its_cell(tmp_path: Path) -> None:
    notebook(tmp_path, "import math\n", "\ndef run(df, links, engine):\n    return math.no_such\n")
    asked = logic("logic.ipynb")
    with pytest.raises(ExternalLogicError, match=r"logic\.ipynb, cell 2:3: AttributeError"):
        read_code(asked, tmp_path, tmp_path).call(asked, None, {}, "")


def test_an_error_over_private_rows_keeps_its_words_to_itself(tmp_path: Path) -> None:
    found = code(tmp_path, "def run(df, links, engine):\n    raise ValueError('ada@example.org')\n")
    with pytest.raises(ExternalLogicError) as caught:
        found.call(logic(), None, {}, "", private=True)
    assert str(caught.value) == f"{tmp_path / 'logic.py'}:2: ValueError Mend the code."
    assert caught.value.__cause__ is None


def test_code_that_ends_the_program_is_an_error_like_others(tmp_path: Path) -> None:
    with pytest.raises(ExternalLogicError, match="SystemExit: 3"):
        called(tmp_path, "import sys\n\ndef run(df, links, engine):\n    sys.exit(3)\n")


def test_code_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    held = threading.Event()
    text = "def run(df, links, engine, held):\n    held.wait(30)\n"
    asked = logic(timeout_seconds=0.05, args={"held": held})
    try:
        with pytest.raises(ExternalLogicError, match=r"did not return within 0\.05 seconds"):
            code(tmp_path, text).call(asked, None, {}, "")
    finally:
        held.set()


@pytest.mark.parametrize(
    ("text", "more", "told"),
    [
        ("def runn(df): ...\n", {}, "has no function 'run'. Did you mean 'runn'?"),
        ("def run(df): ...\n", {}, "can't be called: got an unexpected keyword argument 'links'"),
        ("def run(df, links, engine): ...\n", {"args": {"rate": 1}}, "unexpected keyword argument 'rate'"),
        ("def run(df, links, engine, rate): ...\n", {}, "missing a required argument: 'rate'"),
    ],
)
def test_a_function_that_can_not_be_called_is_a_mistake_in_the_contract(
    tmp_path: Path, text: str, more: dict[str, Any], told: str
) -> None:
    with pytest.raises(ContractError) as caught:
        called(tmp_path, text, **more)
    assert told in str(caught.value)


def test_a_function_that_returns_nothing_is_told(tmp_path: Path) -> None:
    with pytest.raises(ExternalLogicError, match=r"run\(\) of logic\.py returned nothing\. Return a frame"):
        called(tmp_path, "def run(df, links, engine): ...\n")


def test_only_files_of_the_project_are_run(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    outside = tmp_path / "outside.py"
    outside.write_text("def run(df, links, engine):\n    return df\n")
    (project / "link.py").symlink_to(outside)
    (project / "folder").symlink_to(tmp_path)
    for path in ("../outside.py", str(outside), "link.py", "folder/outside.py"):
        with pytest.raises(ContractError, match="lies outside of the project"):
            read_code(logic(path), project, project)
    (project / "inside.py").symlink_to(project / "real.py")
    (project / "real.py").write_text("def run(df, links, engine):\n    return df\n")
    assert read_code(logic("inside.py"), project, project).path == (project / "real.py").resolve()


def test_what_can_not_be_read_or_is_no_python_is_told(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match=r"missing\.py can't be read: No such file or directory"):
        read_code(logic("missing.py"), tmp_path, tmp_path)
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    with pytest.raises(ContractError, match=r"loop\.py can't be read"):
        read_code(logic("loop.py"), tmp_path, tmp_path)
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ContractError, match="it is no text file"):
        read_code(logic("bytes.py"), tmp_path, tmp_path)
    with pytest.raises(ContractError) as caught:
        code(tmp_path, "def run(df, links, engine):\n    return (\n")
    assert str(caught.value).startswith(f"{tmp_path / 'logic.py'}:2: no Python: '(' was never closed")
    (tmp_path / "broken.ipynb").write_text("{}")
    with pytest.raises(ContractError, match=r"broken\.ipynb is no notebook"):
        read_code(logic("broken.ipynb"), tmp_path, tmp_path)
    notebook(tmp_path, "%pip install x\n")
    with pytest.raises(ContractError, match=r"cell 1:1: no Python: invalid syntax\. A cell is run as plain Python"):
        read_code(logic("logic.ipynb"), tmp_path, tmp_path)


def test_code_is_known_by_its_text(tmp_path: Path) -> None:
    first = code(tmp_path, "def run(df, links, engine):\n    return 1\n").digest
    assert code(tmp_path, "def run(df, links, engine):\n    return 2\n").digest != first
    assert code(tmp_path, "def run(df, links, engine):\n    return 1\n").digest == first
