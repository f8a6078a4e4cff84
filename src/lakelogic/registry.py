"""The one plug-in mechanism: a decorator, a scan of the package, and entry points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, distributions
from pkgutil import iter_modules
from threading import RLock
from typing import Generic, TypeVar

from lakelogic.errors import LakeLogicError, UsageError, did_you_mean

T = TypeVar("T")


class NameTaken(LakeLogicError):
    """Two plug-ins claim one name."""

    code = "name-taken"


class Registry(Generic[T]):
    """Named things of one kind: those in a package of ours, and those that other packages bring.

    Other packages list a module under the entry point group `lakelogic.<kind>s`; importing it registers what is inside.
    """

    def __init__(self, kind: str, package: str, plural: str | None = None, *, of_packages: bool = False) -> None:
        """Where each item is a package of its own, the modules beside them are not looked into."""
        self.kind = kind
        self.group = f"lakelogic.{plural or kind + 's'}"
        self._package = package
        self._of_packages = of_packages
        self._items: dict[str, T] = {}
        self._loaded = self._loading = False
        self._lock = RLock()

    def add(self, name: str) -> Callable[[T], T]:
        """A decorator that registers its class or function under `name`.

        Raises:
            NameTaken: the name is registered already.
        """

        def register(item: T) -> T:
            if name in self._items:
                raise NameTaken(f"{self.kind} '{name}' is registered twice")
            self._items[name] = item
            return item

        return register

    def get(self, name: str) -> T:
        """The item of this name.

        Raises:
            UsageError: no such item; names the nearest known one.
        """
        self._load()
        if name not in self._items:
            raise UsageError(f"{self.kind} '{name}' is unknown.", cure=did_you_mean(name, self._items))
        return self._items[name]

    def names(self) -> list[str]:
        """All names, sorted."""
        self._load()
        return sorted(self._items)

    def __contains__(self, name: object) -> bool:
        self._load()
        return name in self._items

    def __iter__(self) -> Iterator[tuple[str, T]]:
        self._load()
        return iter(sorted(self._items.items()))

    def _load(self) -> None:
        if self._loaded:
            return
        # Another thread waits until all is there; a module that asks while it is imported gets what there is so far.
        with self._lock:
            if self._loading:
                return
            self._loading = True
            package = import_module(self._package)
            for module in iter_modules(package.__path__):
                if module.ispkg or not self._of_packages:
                    import_module(f"{self._package}.{module.name}")
            for entry in _entry_points():
                if entry.group == self.group:
                    entry.load()
            self._loaded = True


@cache
def _entry_points() -> list[EntryPoint]:
    """Those of all packages: looking them up reads a file of each."""
    return [entry for package in distributions() for entry in package.entry_points]


def plugged_in(group: str) -> list[str]:
    """The names of the entry points in a group; nothing is imported."""
    return sorted({entry.name for entry in _entry_points() if entry.group == group})
