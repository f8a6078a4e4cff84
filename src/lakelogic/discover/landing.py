"""What lies in a landing zone: files told apart into entities by folder and name, with the pattern that finds them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path

from lakelogic.contract.naming import format_of
from lakelogic.discover.names import plain
from lakelogic.errors import SourceError, UsageError
from lakelogic.formats.base import formats
from lakelogic.formats.bytes import is_uri
from lakelogic.sources.files import Listing, SourceFile, list_files
from lakelogic.sources.partitions import DatedFolders

# From the longest form on: a part of a long one would be found in it.
_FORMS = tuple(
    (DatedFolders(form), re.compile(pattern), form)
    for form, pattern in (
        ("%Y-%m-%dT%H-%M-%S", r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d"),
        ("%Y-%m-%d_%H-%M-%S", r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d"),
        ("%Y%m%dT%H%M%S", r"\d{8}T\d{6}"),
        ("%Y%m%d_%H%M%S", r"\d{8}_\d{6}"),
        ("%Y%m%d%H%M%S", r"\d{14}"),
        ("%Y-%m-%d", r"\d{4}-\d\d-\d\d"),
        ("%Y_%m_%d", r"\d{4}_\d\d_\d\d"),
        ("%Y%m%d", r"\d{8}"),
        ("%Y-%m", r"\d{4}-\d\d"),
        ("%Y_%m", r"\d{4}_\d\d"),
    )
)
_FOLDERS = tuple(
    (DatedFolders(form), form)
    for form in ("%Y/%m/%d/%H", "%Y/%m/%d", "%Y/%m", *(form for _, _, form in _FORMS if "H" not in form))
)
_HIVE = {"year": "%Y", "month": "%m", "day": "%d", "hour": "%H"}
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# What writers add to a name so that no two are the same.
_COUNTER = re.compile(rf"(?<![a-z])({_UUID}|[0-9]+)(?![a-z])", re.IGNORECASE)
_ENDING = re.compile(r"(.+?)((?:\.[A-Za-z0-9]{1,7})+)")
# Names that say nothing of what is inside.
_NAMELESS = {"", "part", "data", "file", "export", "extract", "dump", "output", "batch", "chunk", "c", "tid"}


@dataclass(frozen=True)
class Entity:
    """Files that hold rows of one kind; `pattern` finds them, and no others, in `path`.

    `dated` is the form of the date in their names or folders. What of the path is `fixed` is no glob.
    """

    name: str
    format: str
    path: str
    pattern: str | None
    files: tuple[SourceFile, ...]
    dated: str | None = None
    fixed: str = ""

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


@dataclass(frozen=True)
class _Named:
    """A file with what its name and folders tell."""

    file: SourceFile
    folder: str
    stem: str
    glob: str
    format: str
    dated: str | None


def find_entities(landing: str, format: str | None = None, pattern: str | None = None) -> tuple[Entity, ...]:
    """The entities of a landing zone, by name.

    Raises:
        UsageError: there is no such folder, or the format is unknown.
        SourceError: no file in it is one that can be read.
    """
    if format is not None and format not in formats:
        raise UsageError(f"format '{format}' is unknown.", cure=f"Known: {', '.join(formats.names())}.")
    listing = list_files(landing, pattern, landing)
    kept = [file for file in listing.files if format is not None or format_of(file.path) in formats]
    if not kept:
        what = f"no file of {landing} matches" if listing.files or pattern else f"{landing} holds no file"
        raise SourceError(
            f"{what}{f' {pattern}' if pattern else ''}.",
            cure=f"Check --landing, --pattern and --format; formats: {', '.join(formats.names())}.",
        )
    named = sorted((_named(listing, file, format) for file in kept), key=_group)
    groups = [tuple(members) for _, members in groupby(named, key=_group)]
    return _apart([_entity(listing, members, named, alone=_is_alone(members, groups)) for members in groups])


def entity_of(path: str, format: str | None = None) -> Entity:
    """The one entity that a file, folder or pattern holds.

    Raises:
        UsageError: there is no file, or its format can't be told.
    """
    here = str(Path.cwd())
    place = path if is_uri(path) else str(Path(path).absolute())
    listing = list_files(place, None, here)
    if not listing.files:
        raise UsageError(f"there is no file at {path}.", cure="Check the path.")
    told = format or format_of(listing.files[0].path) or ""
    if told not in formats:
        raise UsageError(f"the format of {path} can't be told.", cure=f"Pass --format: {', '.join(formats.names())}.")
    named = [_named(listing, file, told) for file in listing.files]
    stems, forms = {each.stem for each in named}, {each.dated for each in named}
    name = (stems.pop() if len(stems) == 1 else "") or plain(listing.root.rpartition("/")[2]) or "data"
    is_file = [file.path for file in listing.files] == [place]
    dated = None if is_file or len(forms) > 1 else forms.pop()
    return Entity(name, told, place, None, listing.files, dated, fixed=here)


def _group(each: _Named) -> tuple[str, str, str]:
    return each.folder, each.stem, each.format


def _named(listing: Listing, file: SourceFile, format: str | None) -> _Named:
    *folders, name = listing.below(file).split("/")
    kept, dated = _undated(folders)
    parts = _ENDING.fullmatch(name)
    stem, ending = parts.groups() if parts else (name, "")
    glob = stem
    for form, pattern, text in _FORMS:
        if (found := pattern.search(stem)) and form.period(found[0]):
            dated = dated or text
            glob = stem[: found.start()] + re.sub(r"\d", "?", found[0]) + stem[found.end() :]
            stem = stem[: found.start()] + stem[found.end() :]
            break
    stem = plain(_COUNTER.sub("", stem))
    glob = _COUNTER.sub("*", glob)
    told = format or format_of(name) or ""
    return _Named(file, "/".join(kept), "" if _is_nameless(stem) else stem, f"{glob}{ending}", told, dated)


def _is_nameless(stem: str) -> bool:
    return all(part.rstrip("0123456789") in _NAMELESS for part in stem.split("_"))


def _undated(folders: Sequence[str]) -> tuple[list[str], str | None]:
    """Folders without those that tell a date or a partition, and the form of that date."""
    others = [folder for folder in folders if "=" not in folder]
    hive = [f"{name}={_HIVE[name.lower()]}" for name in (f.partition("=")[0] for f in folders if "=" in f)
            if name.lower() in _HIVE]  # fmt: skip
    if hive and "year" in hive[0].lower():
        return others, "/".join(hive)
    joined = "/".join(others)
    for form, text in _FOLDERS:
        parts = text.count("/") + 1
        if len(others) >= parts and form.period(joined) is not None:
            kept = [each for each in others if not re.fullmatch(r"[\dT:_-]+", each)]
            if len(others) - len(kept) == parts:
                return kept, text
    return others, None


def _entity(listing: Listing, members: Sequence[_Named], everything: Iterable[_Named], *, alone: bool) -> Entity:
    first = members[0]
    folder = f"{listing.root}/{first.folder}" if first.folder else listing.root
    name = first.stem or plain(first.folder.rpartition("/")[2]) or plain(listing.root.rpartition("/")[2]) or "data"
    forms = {each.dated for each in members}
    inside = [each for each in everything if f"{each.folder}/".startswith(f"{first.folder}/" if first.folder else "")]
    return Entity(
        name,
        first.format,
        folder,
        None if alone and not first.stem and first.folder else _pattern(members, inside),
        tuple(each.file for each in members),
        forms.pop() if len(forms) == 1 else None,
        fixed=folder,
    )


def _is_alone(members: Sequence[_Named], groups: Iterable[Sequence[_Named]]) -> bool:
    """Whether nothing else lies in the folder of a group, or below it."""
    folder = members[0].folder
    return all(other is members or not f"{other[0].folder}/".startswith(f"{folder}/") for other in groups)


def _pattern(members: Sequence[_Named], inside: Sequence[_Named]) -> str:
    """The shortest pattern that finds these files, and no others below their folder.

    Raises:
        SourceError: their names are too much like those of others.
    """
    mine = {each.file.path for each in members}
    for pattern in _patterns(members):
        found = {each.file.path for each in inside if fnmatchcase(each.file.path.rpartition("/")[2], pattern)}
        if found == mine:
            return pattern
    raise SourceError(
        f"no pattern tells {members[0].file.path} and the like from other files there.",
        cure="Move one kind of files into a folder of its own, or pass --pattern.",
    )


def _patterns(members: Sequence[_Named]) -> Iterator[str]:
    globs = {each.glob for each in members}
    if len(globs) == 1:
        yield (glob := globs.pop())
        yield glob.replace("?", "[0-9]").replace("*", "[0-9]*")
    stars = {re.sub(r"[?*][?*_T-]*", "*", glob) for glob in {each.glob for each in members}}
    if len(stars) == 1:
        yield (star := stars.pop())
        yield star.replace("*", "[0-9]*")
    endings = {each.file.path.rpartition(".")[2] for each in members}
    if len(endings) == 1:
        yield f"*.{endings.pop()}"
    yield "*"


def _apart(found: Sequence[Entity]) -> tuple[Entity, ...]:
    """The same entities; those of one name are told apart by their folders or formats."""
    named = defaultdict(list)
    for entity in found:
        named[entity.name].append(entity)
    out = []
    for same in named.values():
        for number, entity in enumerate(same, 1):
            parent = plain(entity.path.rstrip("/").rpartition("/")[2])
            others = [f"{plain(e.path.rstrip('/').rpartition('/')[2])}_{e.name}" for e in same]
            fuller = f"{parent}_{entity.name}"
            unique = len(set(others)) == len(others)
            out.append(entity if len(same) == 1 else replace(entity, name=fuller if unique else f"{fuller}_{number}"))
    return tuple(sorted(out, key=lambda entity: entity.name))
