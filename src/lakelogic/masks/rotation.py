"""Another key: what was masked under the one before is not found again."""

from __future__ import annotations

from lakelogic.errors import UsageError
from lakelogic.masks.keys import VARIABLE


class KeyChanged(UsageError):
    """The keys of the target are masked under another key, so every row would be inserted again."""

    code = "key-changed"


def refuse_other_key(target: str, before: str | None, now: str | None) -> None:
    """Refuse to match rows by a masked key that was masked under another key (both by their ids).

    Raises:
        KeyChanged: it was.
    """
    if before is None or now is None or before == now:
        return
    raise KeyChanged(
        f"the keys of {target} are masked with key {before}; with key {now} no row would be found again.",
        cure=f"Put key {before} first in {VARIABLE}, or remove the table and write it anew with --force.",
    )
