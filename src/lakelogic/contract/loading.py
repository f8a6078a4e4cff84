"""From a file or text to a contract, with all its problems at once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath

from pydantic import ValidationError

from lakelogic.contract.checks import notes_of, semantic_problems
from lakelogic.contract.inheritance import Mesh, fill_in, find_mesh, inherit, layer_of
from lakelogic.contract.layering import Layered
from lakelogic.contract.loaded import LoadedContract
from lakelogic.contract.model import Contract
from lakelogic.contract.overrides import apply_environment, apply_overrides
from lakelogic.contract.places import Places
from lakelogic.contract.policy_packs import Brought, Wanted, apply_packs
from lakelogic.contract.problems import problems_of
from lakelogic.contract.reading import MAX_BYTES, decode, path_cure, read_yaml
from lakelogic.contract.variables import Variables
from lakelogic.errors import ContractError, ContractInvalid, LakeLogicError, NotSupportedYet, Place, UsageError
from lakelogic.project import find_project


def load_contract(
    path: str | FilePath,
    *,
    overrides: Mapping[str, object] | None = None,
    environment: str | None = None,
    policy_packs: Sequence[str] = (),
    policy_pack_dir: str | FilePath | None = None,
) -> LoadedContract:
    """The contract in a file, with what it inherits and what policy packs bring to it.

    Raises:
        ContractInvalid: the file is not a valid contract; names every problem.
        UsageError: the file can't be read, or the project file around it is wrong.
    """
    file = FilePath(path)
    text = decode(_bytes(file), str(file))
    wanted = Wanted(tuple(policy_packs), FilePath(policy_pack_dir) if policy_pack_dir else None)
    return _Loading(text, str(file), file, file.resolve().parent, overrides or {}, environment, wanted).load()


def load_text(
    text: str, *, file: str = "<text>", directory: FilePath | None = None, path: FilePath | None = None
) -> LoadedContract:
    """The contract in a text; relative paths start at `directory`, else at the working directory.

    `path` is the file whose place the text takes, so that it inherits what that file does.

    Raises:
        ContractInvalid: the text is not a valid contract; names every problem.
        UsageError: the project file around it is wrong.
    """
    return _Loading(text.removeprefix("\ufeff"), file, path, (directory or FilePath.cwd()).resolve()).load()


def _bytes(file: FilePath) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise UsageError(f"file '{file}' does not exist.", cure=path_cure(file)) from None
    except IsADirectoryError:
        raise UsageError(f"'{file}' is a folder.", cure="Name a contract file.") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"file '{file}' can't be read: {getattr(error, 'strerror', None) or error}.") from None


@dataclass
class _Loading:
    """One contract on its way in, with the problems found so far."""

    text: str
    file: str
    path: FilePath | None
    directory: FilePath
    overrides: Mapping[str, object] = field(default_factory=dict)
    environment: str | None = None
    packs: Wanted = field(default_factory=Wanted)
    brought: list[Brought] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    problems: list[LakeLogicError] = field(default_factory=list)

    def load(self) -> LoadedContract:
        written, places = read_yaml(self.text, self.file)
        _refuse_others(written, places)
        project = find_project(self.directory)
        chosen = project.environment_name(self.environment)
        mesh = find_mesh(self.path, self.directory, project)
        self._put_together(Layered(written, places), mesh, chosen)
        variables = Variables(os.environ, places, chosen)
        document = variables.fill(written)
        self.problems += variables.problems
        model = self._model(document, written, places, variables)
        if model is None:
            raise self._invalid()
        loaded = LoadedContract(model, self.path, self.directory, project, places, document, chosen)
        loaded = replace(loaded, written=written, roles=self.roles, brought=tuple(self.brought), mesh=mesh)
        return self._checked(loaded, variables)

    def _put_together(self, layered: Layered, mesh: Mesh, environment: str | None) -> None:
        """What was written, what is inherited, what was asked for, and what packs bring: who comes first, wins."""
        self.roles = {self.file: "contract", **mesh.roles}
        self.problems += inherit(layered, mesh, self.path)
        self.problems += apply_environment(layered.data, layered.places, environment)
        self.problems += apply_overrides(layered.data, layered.places, self.overrides)
        layer = layer_of(layered.data, mesh, self.path)
        brought, files, problems = apply_packs(layered, self.directory, layer, self.packs, self.overrides)
        self.brought += brought
        self.roles |= files
        self.problems += problems
        self.problems += fill_in(layered, mesh, self.path, environment)

    def _model(
        self, document: dict[str, object], written: dict[str, object], places: Places, variables: Variables
    ) -> Contract | None:
        try:
            return Contract.model_validate(document)
        except ValidationError as error:
            self._add(problems_of(error, Contract, written, places), variables)
            return None

    def _checked(self, loaded: LoadedContract, variables: Variables) -> LoadedContract:
        self._add(semantic_problems(loaded), variables)
        if self.problems:
            raise self._invalid()
        return replace(loaded, notes=notes_of(loaded))

    def _add(self, problems: Sequence[LakeLogicError], variables: Variables) -> None:
        for problem in problems:
            problem.message = variables.hide(problem.message)
        self.problems += problems

    def _invalid(self) -> ContractInvalid:
        return ContractInvalid(sorted(self.problems, key=_order))


def _order(problem: LakeLogicError) -> tuple[int, int, str]:
    place = problem.place or Place("")
    return place.line or 0, place.column or 0, problem.message


def _refuse_others(written: Mapping[str, object], places: Places) -> None:
    """Files that are about contracts and are none: their keys would all be unknown."""
    if listing := next((key for key in ("entries", "contracts") if isinstance(written.get(key), list)), None):
        cure = f"`lakelogic-driver {places.file}` runs what it lists."
        raise ContractInvalid(
            [ContractError("the file lists contracts and is none itself.", cure=cure, place=places.of((listing,)))]
        )
    if written.get("kind") == "DataContract" and "apiVersion" in written:
        raise ContractInvalid([NotSupportedYet("Open Data Contract Standard documents", place=places.of(("kind",)))])
