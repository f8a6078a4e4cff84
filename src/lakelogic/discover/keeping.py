"""Files that were generated once and belong to people since: what nobody edited may be written anew, nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from typing import Literal

from lakelogic.errors import UsageError

_MARK = re.compile(r"# Written by lakelogic \(([0-9a-f]{16})\)")
_DIGITS = 16

State = Literal["new", "same", "changed", "edited"]


@dataclass(frozen=True)
class Draft:
    """A file as it would be written: whether it is new, and what would change."""

    path: Path
    text: str
    state: State
    before: str = ""

    @property
    def diff(self) -> str:
        """What would change, as a patch."""
        old, new = (text.splitlines(keepends=True) for text in (self.before, self.text))
        return "".join(unified_diff(old, new, str(self.path), f"{self.path} (today)"))


def marked(body: str) -> str:
    """A generated text with a first line by which an edit is noticed."""
    return f"# Written by lakelogic ({_hash(body)}). Edit it freely: what was edited is never overwritten.\n{body}"


def drafts(files: Mapping[Path, str]) -> list[Draft]:
    """The files compared with what is there.

    Raises:
        UsageError: one is there and can't be read.
    """
    return [_draft(path, text) for path, text in files.items()]


def write_all(chosen: Iterable[Draft]) -> None:
    """
    Raises:
        UsageError: a file can't be written.
    """
    for draft in chosen:
        try:
            draft.path.parent.mkdir(parents=True, exist_ok=True)
            draft.path.write_text(draft.text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"file '{draft.path}' can't be written: {error.strerror}.") from None


def read_text(path: Path) -> str | None:
    """A file's text; None where there is none.

    Raises:
        UsageError: it can't be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"file '{path}' can't be read: {getattr(error, 'strerror', None) or 'not UTF-8'}.") from None


def _draft(path: Path, text: str) -> Draft:
    before = read_text(path)
    if before is None:
        return Draft(path, text, "new")
    if before == text:
        return Draft(path, text, "same", before)
    return Draft(path, text, "changed" if _is_untouched(before) else "edited", before)


def _is_untouched(text: str) -> bool:
    first, _, body = text.partition("\n")
    mark = _MARK.match(first)
    return mark is not None and mark[1] == _hash(body)


def _hash(body: str) -> str:
    return sha256(body.encode()).hexdigest()[:_DIGITS]
