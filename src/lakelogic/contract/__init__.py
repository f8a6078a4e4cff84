"""What the user wrote: a contract, loaded with the place of everything in it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lakelogic.contract.loaded import LoadedContract, Note
    from lakelogic.contract.loading import load_contract, load_text
    from lakelogic.contract.model import Contract
    from lakelogic.contract.places import Places

__all__ = ["Contract", "LoadedContract", "Note", "Places", "load_contract", "load_text"]

# Who asks for a small part of this package does not wait for all models.
_HOMES = {"Contract": "model", "LoadedContract": "loaded", "Note": "loaded", "Places": "places"}
_HOMES |= {"load_contract": "loading", "load_text": "loading"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
