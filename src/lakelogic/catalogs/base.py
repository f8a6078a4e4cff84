"""What a catalog is: it knows where a table's files are, and how to get at them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from lakelogic.errors import LakeLogicError, UsageError
from lakelogic.registry import Registry
from lakelogic.wording import HIDDEN

_SECRET = re.compile("secret|token|key")

Access = Literal["read", "write"]

catalogs: Registry[type[Catalog]] = Registry("catalog", "lakelogic.catalogs")


class CatalogError(LakeLogicError):
    """A catalog does not tell where a table is."""

    code = "catalog"


class CatalogUnset(UsageError):
    """The variables that a catalog needs are not set."""

    code = "catalog-unset"


@dataclass(frozen=True)
class Resolved:
    """Where a table's files are. The options open them and hold secrets, so they are not shown."""

    location: str
    storage_options: Mapping[str, str] = field(repr=False)
    catalog: str

    def without_secrets(self, text: str) -> str:
        """A message of a library, fit to be shown: it may quote an address with its signature."""
        secrets = (value for name, value in self.storage_options.items() if _SECRET.search(name.lower()))
        for secret in sorted(secrets, key=len, reverse=True):
            text = text.replace(secret, HIDDEN)
        return text


class Catalog(ABC):
    """A kind of catalog. A variable in `signs` tells that names are meant for it; `needs` is what a user must set."""

    signs: ClassVar[tuple[str, ...]]
    needs: ClassVar[str]

    @abstractmethod
    def resolve(self, parts: Sequence[str], environment: Mapping[str, str], access: Access) -> Resolved:
        """Where the table of a name is.

        Raises:
            CatalogUnset: a variable is missing.
            CatalogError: the catalog does not know the table, or does not give it.
        """
