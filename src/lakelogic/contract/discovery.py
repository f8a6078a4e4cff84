"""Finding contracts in files and folders, and judging each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lakelogic.contract.loaded import LoadedContract
from lakelogic.contract.loading import load_contract
from lakelogic.contract.mesh import DOMAIN_FILE, SYSTEM_FILE, Domain, System, load_mesh_file
from lakelogic.contract.policy_packs import FOLDER, PolicyPack
from lakelogic.contract.reading import MAX_BYTES
from lakelogic.contract.support import unsupported
from lakelogic.errors import ContractInvalid, LakeLogicError, NotSupportedYet, UsageError
from lakelogic.models import Model

_ENDINGS = (".yaml", ".yml")
# Any of these at the top of a file makes it a contract, unless its name says that it is about others.
_TELLING_KEY = re.compile(r"^(source|server|model|quality|materialization|transformations|dataset)\s*:", re.MULTILINE)


@dataclass(frozen=True)
class Verdict:
    """What validation says about one file."""

    file: Path
    contract: LoadedContract | None = None
    problems: tuple[LakeLogicError, ...] = ()
    not_yet: tuple[NotSupportedYet, ...] = ()

    @property
    def valid(self) -> bool:
        return not self.problems


@dataclass(frozen=True)
class Found:
    """The contracts under some paths, and the YAML files there that are none."""

    contracts: tuple[Path, ...]
    skipped: tuple[Path, ...]


def find_contracts(paths: Iterable[Path]) -> Found:
    """The files named, and the contracts in the folders named.

    Raises:
        UsageError: a path does not exist, or a folder holds no contract.
    """
    contracts: dict[Path, Path] = {}
    skipped: dict[Path, Path] = {}
    for path in paths:
        if not path.is_dir():
            contracts.setdefault(path.absolute(), path)
            continue
        inside = list(_yaml_files(path))
        if not any(_looks_like_contract(file) for file in inside):
            raise UsageError(f"folder '{path}' holds no contract.", cure="Name a contract file, or another folder.")
        for file in inside:
            (contracts if _looks_like_contract(file) else skipped).setdefault(file.absolute(), file)
    return Found(tuple(contracts.values()), tuple(skipped.values()))


def judge(file: Path) -> Verdict:
    """Whether a file is a valid contract, or one that contracts share, with everything that is wrong or not built yet.

    Raises:
        UsageError: the file can't be read, or the project file around it is wrong.
    """
    if (shared := judge_shared(file)) is not None:
        return shared
    try:
        loaded = load_contract(file)
    except ContractInvalid as error:
        return Verdict(file, problems=error.problems)
    return Verdict(file, loaded, not_yet=tuple(unsupported(loaded)))


def judge_shared(file: Path) -> Verdict | None:
    """What is wrong with a file that contracts inherit from, or a policy pack; None for any other file."""
    models: dict[str, type[Model]] = {DOMAIN_FILE: Domain, SYSTEM_FILE: System}
    model = PolicyPack if file.parent.name == FOLDER else models.get(file.name)
    if model is None:
        return None
    try:
        load_mesh_file(file.absolute(), model)
    except ContractInvalid as error:
        return Verdict(file, problems=error.problems)
    return Verdict(file)


def _yaml_files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if file.suffix.lower() in _ENDINGS and not hidden and file.is_file():
            yield file


def _looks_like_contract(file: Path) -> bool:
    if file.name.startswith("_") or file.parent.name == FOLDER:
        return False
    try:
        text = file.read_bytes()[:MAX_BYTES].decode("utf-8-sig", errors="replace")
    except OSError as error:
        raise UsageError(f"file '{file}' can't be read: {error.strerror}.") from None
    return _TELLING_KEY.search(text) is not None
