"""Names as people read them, whatever their spelling: `OrderId`, `order id` and `order_id` are one."""

from __future__ import annotations

import re


def plain(name: str) -> str:
    """A name in lower case, its words joined by underscores."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[^0-9a-zA-Z]+", "_", parted).strip("_").lower()


def singular(word: str) -> str:
    """A word for one of many: policy for policies."""
    return f"{word.removesuffix('ies')}y" if word.endswith("ies") else word.removesuffix("s")
