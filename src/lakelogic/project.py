"""The project file, `lakelogic.toml`: what all contracts below a folder share."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal, cast

from lakelogic.errors import NotSupportedYet, Place, UsageError, did_you_mean

FILE_NAME = "lakelogic.toml"
STATE_FOLDER = ".lakelogic"

UnmaskedPii = Literal["warn", "refuse"]

_TEXTS = ("root", "engine", "state", "environment")
_SECTIONS = ("spark", "privacy", "openlineage", "serve")
_UNMASKED = ("warn", "refuse")


@dataclass(frozen=True)
class Project:
    """Settings of the project around a contract; environment variables are asked before the file."""

    root: Path
    file: Path | None = None
    engine: str | None = None
    state: str | None = None
    environment: str | None = None
    spark: Mapping[str, str] = field(default_factory=dict)
    unmasked_pii: UnmaskedPii = "warn"
    openlineage: Mapping[str, object] = field(default_factory=dict)
    serve: Mapping[str, str] = field(default_factory=dict)
    # What is listed, or the file that lists it; read where exports are known.
    exports: str | tuple[Mapping[str, object], ...] = ()

    @property
    def state_dir(self) -> Path:
        """The folder of claims, run log and watermarks.

        Raises:
            NotSupportedYet: the state is named by an address.
        """
        chosen = os.environ.get("LAKELOGIC_STATE") or self.state
        if chosen is None:
            return self.root / STATE_FOLDER
        if "://" in chosen:
            raise NotSupportedYet(f"state at '{chosen}'", place=Place(str(self.file)) if self.file else None)
        # A variable is set where the command is typed, the file's own text is about the project.
        base = Path.cwd() if os.environ.get("LAKELOGIC_STATE") else self.root
        return base / Path(chosen).expanduser()

    @property
    def service(self) -> str:
        """What the project is called where it is served."""
        return self.serve.get("service") or self.root.name

    def engine_name(self, asked: str | None = None) -> str | None:
        """The engine to use: as asked, else LAKELOGIC_ENGINE, else the project's; None leaves it to the default."""
        return asked or os.environ.get("LAKELOGIC_ENGINE") or self.engine

    def engine_place(self) -> Place | None:
        """Where the engine is named that is used when none is asked for."""
        if os.environ.get("LAKELOGIC_ENGINE"):
            return Place("LAKELOGIC_ENGINE")
        return place_of(self.file, "engine") if self.file and self.engine else None

    def environment_name(self, asked: str | None = None) -> str | None:
        """The environment to run in: as asked, else LAKELOGIC_ENV, else the project's."""
        return asked or os.environ.get("LAKELOGIC_ENV") or self.environment


def find_project(folder: Path) -> Project:
    """The project that a folder is in: of the nearest lakelogic.toml upwards, else the folder by itself.

    Raises:
        UsageError: the file can't be read, or holds something unknown.
    """
    start = folder.resolve()
    for candidate in (start, *start.parents):
        if (file := candidate / FILE_NAME).is_file():
            stat = file.stat()
            return _loaded(file, (stat.st_mtime_ns, stat.st_size))
    return Project(root=start)


@lru_cache(maxsize=64)
def _loaded(file: Path, _state: tuple[int, int]) -> Project:
    """A project file as it is; read once for all the contracts below it."""
    return load_project(file)


def load_project(file: Path) -> Project:
    """The settings of a project file.

    Raises:
        UsageError: the file can't be read, or holds something unknown.
    """
    text = _read(file)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax(file, error) from None
    _refuse_unknown(file, text, data)
    texts = {key: _text(file, text, key, data[key]) for key in _TEXTS if key in data}
    root = (file.parent / Path(texts.pop("root", ".")).expanduser()).resolve()
    spark, privacy, openlineage, serve = (_section(file, text, data, name) for name in _SECTIONS)
    return Project(
        root,
        file,
        **texts,
        spark=_spark(spark),
        unmasked_pii=_privacy(file, text, privacy),
        openlineage=openlineage,
        serve={key: _text(file, text, key, value) for key, value in serve.items()},
        exports=_exports(file, text, data.get("exports", ())),
    )


def place_of(file: Path, key: str) -> Place:
    """Where a project file sets a key."""
    return _line(file, _read(file), key)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            "the file is not UTF-8 text.", cure="Save it with encoding UTF-8.", place=Place(str(file))
        ) from None
    except OSError as error:
        raise UsageError(f"can't be read: {error.strerror}.", place=Place(str(file))) from None


def _syntax(file: Path, error: tomllib.TOMLDecodeError) -> UsageError:
    where = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
    place = Place(str(file), int(where[1]), int(where[2])) if where else Place(str(file))
    reason = str(error).split(" (at ")[0]
    cure = "Put text in quotes." if reason == "Invalid value" else None
    return UsageError(f"not TOML: {reason}.", cure=cure, place=place)


def _refuse_unknown(file: Path, text: str, data: Mapping[str, object]) -> None:
    known = {
        "": (*_TEXTS, *_SECTIONS, "exports"),
        "privacy": ("unmasked_pii",),
        "openlineage": ("namespace", "transport"),
        "serve": ("service", "quality"),
    }
    for section, keys in known.items():
        table = data if not section else data.get(section, {})
        for key in table if isinstance(table, dict) else ():
            if key not in keys:
                raise UsageError(f"key '{key}' is unknown.", cure=did_you_mean(key, keys), place=_line(file, text, key))


def _text(file: Path, text: str, key: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise UsageError(f"{key} must be text in quotes.", place=_line(file, text, key))
    return value


def _section(file: Path, text: str, data: Mapping[str, object], name: str) -> Mapping[str, object]:
    section = data.get(name, {})
    if not isinstance(section, dict):
        raise UsageError(f"'{name}' must be a section.", cure=f"Write [{name}].", place=_line(file, text, name))
    return cast("Mapping[str, object]", section)


def _spark(section: Mapping[str, object], prefix: str = "spark") -> dict[str, str]:
    """Spark settings by their full names; `sql.shuffle.partitions = 8` and the quoted full name are the same."""
    settings: dict[str, str] = {}
    for key, value in section.items():
        name = key if key == "spark" or key.startswith("spark.") else f"{prefix}.{key}"
        if isinstance(value, dict):
            settings |= _spark(value, name)
        else:
            settings[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return settings


def _privacy(file: Path, text: str, section: Mapping[str, object]) -> UnmaskedPii:
    value = section.get("unmasked_pii", "warn")
    if value not in _UNMASKED:
        raise UsageError(
            f"unmasked_pii '{value}' is unknown.",
            cure=did_you_mean(str(value), _UNMASKED),
            place=_line(file, text, "unmasked_pii"),
        )
    return cast("UnmaskedPii", value)


def _exports(file: Path, text: str, value: object) -> str | tuple[Mapping[str, object], ...]:
    listed = isinstance(value, (list, tuple)) and all(isinstance(entry, dict) for entry in value)
    if not listed and not (isinstance(value, str) and value):
        raise UsageError(
            "'exports' must be sections, or the name of a JSON file.",
            cure="Write [[exports]].",
            place=_line(file, text, "exports"),
        )
    return value if isinstance(value, str) else tuple(cast("list[Mapping[str, object]]", value))


def _line(file: Path, text: str, key: str) -> Place:
    """The first line that mentions a key: tomllib does not keep places."""
    pattern = re.compile(rf"""\s*\[*\s*["']?{re.escape(key)}["']?\s*(=|\.|\])""")
    for number, line in enumerate(text.splitlines(), 1):
        if pattern.match(line):
            return Place(str(file), number)
    return Place(str(file))
