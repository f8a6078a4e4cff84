"""Where everything in a contract was written."""

from __future__ import annotations

from dataclasses import dataclass, field

from lakelogic.errors import Place

Path = tuple[str | int, ...]


def dotted(path: Path) -> str:
    """A path as people write it: `links[0].path`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


@dataclass(frozen=True)
class Places:
    """The place of every key, list item and value, by its path from the top."""

    file: str
    keys: dict[Path, Place] = field(default_factory=dict)
    values: dict[Path, Place] = field(default_factory=dict)

    def of(self, path: Path) -> Place:
        """The place of a key or list item, or of the nearest thing around it."""
        for end in range(len(path), 0, -1):
            if (place := self.keys.get(path[:end])) is not None:
                return place
        return Place(self.file)

    def of_value(self, path: Path) -> Place:
        """The place of a value, or of the nearest thing around it."""
        return self.values.get(path) or self.of(path)

    def __contains__(self, path: Path) -> bool:
        return path in self.values
