"""The names by which SQL in a contract may call the rows that it reads."""

from __future__ import annotations

from typing import Self

from pydantic import PrivateAttr

from lakelogic.models import Model
from lakelogic.sql.annotate import SOURCE


class ReadsSource(Model):
    """A model whose SQL reads `source`, which may also go by the dataset's own name."""

    _source_names: tuple[str, ...] = PrivateAttr((SOURCE,))

    def over(self, dataset: str) -> Self:
        """The same model, with the dataset's name understood as `source`."""
        renamed = self.model_copy()
        renamed._source_names = (SOURCE, dataset)
        return renamed
