"""What the user wrote: a contract, loaded with the place of everything in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakelogic.lazy_names import loaded_on_use

if TYPE_CHECKING:
    from lakelogic.contract.loaded import LoadedContract, Note
    from lakelogic.contract.loading import load_contract, load_text
    from lakelogic.contract.model import Contract
    from lakelogic.contract.places import Places

__all__ = ["Contract", "LoadedContract", "Note", "Places", "load_contract", "load_text"]

# Who asks for a small part of this package does not wait for all models.
__getattr__ = loaded_on_use(
    __name__,
    {
        "Contract": "lakelogic.contract.model",
        "LoadedContract": "lakelogic.contract.loaded",
        "Note": "lakelogic.contract.loaded",
        "Places": "lakelogic.contract.places",
        "load_contract": "lakelogic.contract.loading",
        "load_text": "lakelogic.contract.loading",
    },
)
