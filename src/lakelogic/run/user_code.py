"""The user's own code: a Python file or notebook of the contract's project, called under a time limit."""

from __future__ import annotations

import hashlib
import inspect
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb
from types import CodeType, ModuleType

from lakelogic.contract.logic import ExternalLogic
from lakelogic.engines.waiting import Waiting
from lakelogic.errors import ContractError, ExternalLogicError, Place, did_you_mean

_NOTEBOOK = ".ipynb"


@dataclass(frozen=True)
class UserCode:
    """Code that was read and compiled: a file has one part, a notebook one for each cell."""

    path: Path
    parts: Mapping[str, CodeType]
    digest: str

    def call(
        self, logic: ExternalLogic, frame: object, links: Mapping[str, object], engine: str, *, private: bool = False
    ) -> object:
        """What the function returns. Where rows are `private`, the words of an error are not repeated.

        Raises:
            ExternalLogicError: it raised, returned nothing or took too long; told with file and line.
        """
        work = Waiting(
            lambda: self._function(logic)(frame, links=links, engine=engine, **logic.args),
            "external logic",
            logic.timeout_seconds,
        )
        if work.is_late:
            raise ExternalLogicError(
                f"{logic.path} did not return within {logic.timeout_seconds:g} seconds.",
                cure="Make it faster, or raise external_logic.timeout_seconds.",
            )
        if isinstance(work.error, ContractError):
            raise work.error
        if work.error is not None:
            raise self._told(work.error, private) from None if private else work.error
        if work.result is None:
            raise ExternalLogicError(f"{logic.entrypoint}() of {logic.path} returned nothing.", cure="Return a frame.")
        return work.result

    def _function(self, logic: ExternalLogic) -> Callable[..., object]:
        names = self._names()
        function = names.get(logic.entrypoint)
        if not callable(function):
            functions = [name for name, value in names.items() if inspect.isfunction(value)]
            raise ContractError(
                f"{logic.path} has no function '{logic.entrypoint}'.", cure=did_you_mean(logic.entrypoint, functions)
            )
        try:
            inspect.signature(function).bind(None, links={}, engine="", **logic.args)
        except TypeError as error:
            raise ContractError(
                f"{logic.entrypoint}() of {logic.path} can't be called: {error}.",
                cure=f"Write {logic.entrypoint}(df, links, engine), and a parameter for each of external_logic.args.",
            ) from None
        return function

    def _names(self) -> Mapping[str, object]:
        module = ModuleType(f"_external_logic_{self.digest}")
        module.__file__ = str(self.path)
        # Dataclasses look their module up. Once it is gone, functions are sent to workers by value.
        sys.modules[module.__name__] = module
        try:
            for code in self.parts.values():
                exec(code, module.__dict__)  # noqa: S102 it is what the contract asks for, from its own project
        finally:
            del sys.modules[module.__name__]
        return vars(module)

    def _told(self, error: BaseException, private: bool) -> ExternalLogicError:
        own = [frame for frame in extract_tb(error.__traceback__) if frame.filename in self.parts]
        place = Place(own[-1].filename, own[-1].lineno) if own else Place(str(self.path))
        message = "" if private else f": {error}"
        return ExternalLogicError(f"{type(error).__name__}{message}".rstrip(": "), cure="Mend the code.", place=place)


def read_code(logic: ExternalLogic, directory: Path, root: Path) -> UserCode:
    """The code of a contract in `directory`, whose project is in `root`.

    Raises:
        ContractError: the file is not there, lies outside of the project, or is no Python.
    """
    try:
        path = (directory / logic.path).resolve(strict=True)
        content = path.read_bytes() if path.is_relative_to(root.resolve()) else None
        text = content.decode("utf-8-sig") if content is not None else None
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text file"
        raise ContractError(f"{logic.path} can't be read: {reason}.", cure="Check external_logic.path.") from None
    if text is None:
        raise ContractError(f"{logic.path} lies outside of the project {root}.", cure="Move it into the project.")
    is_notebook = logic.type == "notebook" or path.suffix == _NOTEBOOK
    sources = _cells(path, text) if is_notebook else {str(path): text}
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return UserCode(path, {name: _compiled(name, source) for name, source in sources.items()}, digest)


def _cells(path: Path, text: str) -> Mapping[str, str]:
    """The code cells of a notebook, each under a name that tells which it is."""
    try:
        cells = [cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        return {f"{path}, cell {number}": "".join(source) for number, source in enumerate(cells, 1)}
    except (ValueError, TypeError, KeyError):
        raise ContractError(f"{path.name} is no notebook.", cure="Write type: python for a Python file.") from None


def _compiled(name: str, source: str) -> CodeType:
    try:
        return compile(source, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        first = source.splitlines()[line - 1].lstrip() if line and line <= len(source.splitlines()) else ""
        cure = "A cell is run as plain Python." if first[:1] in ("%", "!") else "Mend the code."
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ContractError(f"no Python: {message}.", cure=cure, place=Place(name, line)) from None
