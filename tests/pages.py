"""The pages of the documentation, and the blocks of code in them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), ROOT / "examples" / "README.md", *(ROOT / "docs").rglob("*.md")])

FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?[^\n]*\n(?P<body>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A block of code in a page; its title is the file that it is."""

    page: Path
    line: int
    language: str
    title: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def shows_a_file(self) -> bool:
        """Whether it shows a file of the project."""
        return self.title is not None and (ROOT / self.title).is_file()


def blocks(language: str) -> list[Block]:
    """The blocks of all pages in a language, but for those that show a file of the project."""
    found = [block for page in PAGES for block in blocks_of(page)]
    return [block for block in found if block.language == language and not block.shows_a_file]


def blocks_of(page: Path) -> Iterator[Block]:
    """The blocks of a page, from top to bottom."""
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(page, line, match["language"], match["title"], textwrap.dedent(match["body"]))
