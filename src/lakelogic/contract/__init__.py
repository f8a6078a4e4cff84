"""What the user wrote: a contract, loaded with the place of everything in it."""

from __future__ import annotations

from lakelogic.contract.loaded import LoadedContract, Note
from lakelogic.contract.loading import load_contract, load_text
from lakelogic.contract.model import Contract
from lakelogic.contract.places import Places

__all__ = ["Contract", "LoadedContract", "Note", "Places", "load_contract", "load_text"]
