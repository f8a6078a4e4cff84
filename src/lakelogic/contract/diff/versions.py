"""The two versions of a contract: files, or a file as git has it at some revision."""

from __future__ import annotations

import subprocess
from pathlib import Path

from lakelogic.contract.loaded import LoadedContract
from lakelogic.contract.loading import load_contract, load_text
from lakelogic.errors import UsageError

_GIT = "git:"


def load_version(name: str) -> LoadedContract:
    """The contract in a file, or `git:REVISION:FILE` as it was there.

    What a file inherits from `_system.yaml` and `_domain.yaml` is taken from those that are there today.

    Raises:
        ContractInvalid: it is not a valid contract.
        UsageError: it can't be read.
    """
    if not name.startswith(_GIT):
        return load_contract(name)
    revision, colon, path = name.removeprefix(_GIT).partition(":")
    if not (revision and colon and path) or revision.startswith("-"):
        raise UsageError(
            f"'{name}' names no file of a revision.", cure="Write git:REVISION:FILE, such as git:main:a.yaml"
        )
    file = Path(path)
    return load_text(_at(revision, file), file=name, directory=file.parent, path=file)


def _at(revision: str, file: Path) -> str:
    folder = file.parent if file.parent.is_dir() else Path()
    command = ["git", "-C", str(folder), "show", f"{revision}:./{file.name if folder == file.parent else file}"]
    try:
        shown = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        raise UsageError("git is not installed here.", cure="Name two files.") from None
    if shown.returncode:
        told = (shown.stderr.decode("utf-8", "replace").strip().splitlines() or ["git failed"])[-1]
        raise UsageError(
            f"{file} at {revision} can't be read: {told.removeprefix('fatal: ')}.", cure="Check both names."
        )
    return shown.stdout.decode("utf-8", "replace")
