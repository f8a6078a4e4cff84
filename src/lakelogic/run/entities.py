"""The contracts that a command is about: one, or all of a folder or layer, upstream layers first."""

from __future__ import annotations

from pathlib import Path

from lakelogic.contract import LoadedContract, load_contract
from lakelogic.contract.discovery import find_contracts
from lakelogic.contract.identity import normal_layer
from lakelogic.errors import UsageError

_ORDER = ("reference", "bronze", "silver", "gold")


def entities(path: Path, layer: str | None = None, environment: str | None = None) -> list[LoadedContract]:
    """The contracts of a file or folder.

    Raises:
        UsageError: there is none, or none of this layer.
    """
    found = [load_contract(file, environment=environment) for file in find_contracts([path]).contracts]
    chosen = [each for each in found if layer is None or each.layer == normal_layer(layer)]
    if not chosen:
        layers = ", ".join(sorted({each.layer or "none" for each in found}))
        raise UsageError(f"no contract of layer '{layer}' is in {path}.", cure=f"There is: {layers}.")
    return sorted(chosen, key=_rank)


def _rank(contract: LoadedContract) -> tuple[int, str]:
    layer = contract.layer or ""
    return (_ORDER.index(layer) if layer in _ORDER else len(_ORDER), contract.name)
