"""From a landing zone to contracts and a registry that the driver runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lakelogic.contract import load_text
from lakelogic.contract.identity import LAYERS, is_layer, normal_layer
from lakelogic.contract.naming import format_of
from lakelogic.discover.contracts import Place, landing_contract, standing_contract
from lakelogic.discover.keeping import Draft, drafts, marked, read_text, write_all
from lakelogic.discover.landing import Entity, find_entities
from lakelogic.discover.profile import Asked, Profile, profile_of
from lakelogic.discover.registry_text import registry_text
from lakelogic.errors import LakeLogicError, SourceError, UsageError, did_you_mean
from lakelogic.formats.bytes import is_uri

# Folders that every project has say nothing about the system that data comes from.
_GENERAL = {
    "data",
    "landing",
    "raw",
    "bronze",
    "input",
    "inputs",
    "incoming",
    "files",
    "csv",
    "json",
    "parquet",
    "lake",
}
_STANDING = "silver"
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Order:
    """What to look at, and where what is made of it goes."""

    landing: str
    output: Path
    registry: Path
    format: str | None = None
    pattern: str | None = None
    layer: str = "bronze"
    system: str | None = None
    owner: str | None = None
    tables: str | None = None
    silver: bool = False
    sync: bool = False
    asked: Asked = field(default_factory=Asked)


@dataclass(frozen=True)
class Unreadable:
    """An entity that no contract can be made for, and why."""

    entity: Entity
    error: LakeLogicError


@dataclass(frozen=True)
class Outcome:
    """What was found, and what became of the files."""

    profiles: tuple[Profile, ...]
    unreadable: tuple[Unreadable, ...]
    drafts: tuple[Draft, ...]

    @property
    def left(self) -> tuple[Draft, ...]:
        """Files that somebody has edited, which stay as they are."""
        return tuple(draft for draft in self.drafts if draft.state == "edited")


def bootstrap(order: Order, progress: Progress) -> Outcome:
    """Look at a landing zone and write contracts for it, and a registry.

    Raises:
        UsageError: a file is there that would change, and --sync is missing; nothing is written then.
        SourceError: there is nothing to read.
    """
    place = _place(order)
    profiles, unreadable = [], []
    for entity in find_entities(_absolute(order.landing), order.format, order.pattern):
        progress(f"{entity.name}: {len(entity.files):,} files")
        try:
            profiles.append(profile_of(entity, order.asked))
        except SourceError as error:
            unreadable.append(Unreadable(entity, error))
    if not profiles:
        raise unreadable[0].error
    progress("writing contracts")
    found = drafts(_files(order, place, profiles))
    _refuse_overwriting(found, order)
    # The registry is only ever added to, so an edit of it is in no danger.
    write_all(draft for draft in found if draft.state in ("new", "changed") or _is_registry(draft, order))
    kept = [
        Draft(d.path, d.text, "changed", d.before) if _is_registry(d, order) and d.state == "edited" else d
        for d in found
    ]
    return Outcome(tuple(profiles), tuple(unreadable), tuple(kept))


def infer(entity: Entity, asked: Asked, place: Place) -> tuple[Profile, str]:
    """A contract for one file, or for files of one kind.

    Raises:
        SourceError: it can't be read.
    """
    profile = profile_of(entity, asked)
    text = marked(landing_contract(profile, place))
    load_text(text, directory=place.file(entity.name).absolute().parent)
    return profile, text


def place_beside(file: Path | None, layer: str, system: str, owner: str | None) -> Place:
    """The place of a single contract, which is printed where no file is named.

    Raises:
        UsageError: there is no such layer.
    """
    own = file or Path("contract.yaml")
    return Place(own.parent, str(own.absolute().parent / "output"), _layer(layer), system, owner, own)


def system_of(landing: str) -> str:
    """The name of the system that data comes from, after the folders that it lies in."""
    place = landing if is_uri(landing) else str(Path(landing).absolute())
    folders = place.split("/") if not format_of(place) else place.split("/")[:-1]
    parts = [re.sub(r"[^0-9a-z]+", "_", part.lower()).strip("_") for part in folders]
    telling = [part for part in parts if part and part not in _GENERAL and not is_layer(part)]
    return telling[-1] if telling else "source"


def _layer(word: str) -> str:
    if not is_layer(word):
        raise UsageError(f"layer '{word}' is unknown.", cure=did_you_mean(word, LAYERS))
    return normal_layer(word)


def _place(order: Order) -> Place:
    tables = order.tables or str(order.output / "output")
    tables = tables if is_uri(tables) else str(Path(tables).absolute())
    system = order.system or system_of(order.landing)
    return Place(order.output, tables, _layer(order.layer), system, order.owner)


def _files(order: Order, place: Place, profiles: Sequence[Profile]) -> dict[Path, str]:
    standing = Place(place.output, place.tables, _STANDING, place.system, place.owner)
    files: dict[Path, str] = {}
    layers: dict[str, dict[str, Path]] = {}
    for profile in profiles:
        name = profile.entity.name
        files[place.file(name)] = marked(landing_contract(profile, place))
        layers[name] = {place.layer: place.file(name)}
        if order.silver and place.layer != _STANDING:
            files[standing.file(name)] = marked(standing_contract(profile, place, standing))
            layers[name][_STANDING] = standing.file(name)
    for path, text in files.items():
        # What is written must load: better no file than a wrong one.
        load_text(text, file=str(path), directory=path.absolute().parent)
    before = read_text(order.registry)
    # Who took a contract out of the registry wants it to stay out.
    new = {
        name: paths for name, paths in layers.items() if before is None or not all(p.exists() for p in paths.values())
    }
    files[order.registry] = registry_text(order.registry, new, before)
    return files


def _refuse_overwriting(found: Iterable[Draft], order: Order) -> None:
    there = [draft.path for draft in found if draft.state in ("changed", "edited")]
    if there and not order.sync:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise UsageError(
            f"'{there[0]}'{more} would change.",
            cure="Pass --sync: it adds what is new, and shows what would change in files that were edited.",
        )


def _is_registry(draft: Draft, order: Order) -> bool:
    return draft.path == order.registry


def _absolute(path: str) -> str:
    if is_uri(path):
        return path
    if not Path(path).exists():
        raise UsageError(f"'{path}' does not exist.", cure="Check the path of the landing zone.")
    return str(Path(path).absolute())
