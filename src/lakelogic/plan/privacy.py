"""What of a contract's rows is private: masked where it is stored, sealed in quarantine, shown nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.contract.fields import ModelField
from lakelogic.errors import ContractError, ContractInvalid, LakeLogicError
from lakelogic.masks.base import Mask, mask_for
from lakelogic.masks.raw import RAW_SECRETS
from lakelogic.plan.split import Split
from lakelogic.sql.lineage import derived_from
from lakelogic.sql.types import Columns


@dataclass(frozen=True)
class Privacy:
    """The masks of a contract, and which of its columns nobody may see in clear.

    `matched_by` are the columns by which stored rows are found again, in small letters.
    """

    loaded: LoadedContract
    split: Split
    matched_by: frozenset[str]
    has_key: bool

    def masks_of(self, columns: Columns) -> dict[str, Mask]:
        """The mask of each column that has one.

        Raises:
            ContractInvalid: a mask can't do what the field asks of it.
        """
        masks: dict[str, Mask] = {}
        for position, item in enumerate(self.loaded.model.model.fields):
            column = columns.find(item.name)
            if item.is_masked and column is not None:
                try:
                    masks[column.name] = self._mask(item)
                except LakeLogicError as error:
                    raise ContractInvalid([error.at(self.loaded.place("model", "fields", position))]) from None
        return masks

    def refuse_clear_copies(self, out: Columns) -> None:
        """What is masked must not be stored in clear under another name, unless the model says that it may.

        Raises:
            ContractError: it would be.
        """
        # A masked field may be gone from the output while a copy of it stays.
        masked = {name for name, item in self._fields.items() if item.is_masked}
        copies = self._made_from(masked) - set(self._fields)
        for column in out.visible:
            if column.name.lower() in copies and column.type.this != exp.DType.BOOLEAN:
                raise ContractError(
                    f"column '{column.name}' is made from a masked field and would be stored in clear.",
                    cure="Declare it in model.fields with a masking, or with 'masking: none' if it may be read.",
                    place=self.loaded.place("transformations"),
                )

    @property
    def original(self) -> str:
        """How quarantine keeps the original row: plain, sealed with the key, or empty where there is none."""
        if not any(item.is_personal or item.is_masked for item in self._fields.values()):
            return "plain"
        return "sealed" if self.has_key else "empty"

    def secrets(self, masks: Mapping[str, Mask]) -> tuple[str, ...]:
        """The secrets that these masks, and those of bad rows, take from the key."""
        used = (*masks.values(), *self.masks_of(self.split.pre.columns).values())
        wanted = {secret.name for mask in used for secret in mask.secrets}
        if self.original == "sealed":
            wanted |= {secret.name for secret in RAW_SECRETS}
        return tuple(sorted(wanted))

    def hidden(self) -> tuple[str, ...]:
        """Columns that must not be shown: declared as private, or made from one and not declared."""
        declared = [item.name for item in self._fields.values() if item.is_personal or item.is_masked]
        made = self._made_from({name.lower() for name in declared})
        visible = {column.name for stage in (self.split.pre, self.split.post) for column in stage.columns.visible}
        return (*declared, *sorted(name for name in visible if name.lower() in made - set(self._fields)))

    @cached_property
    def _fields(self) -> dict[str, ModelField]:
        return {item.name.lower(): item for item in self.loaded.model.model.fields}

    def _mask(self, item: ModelField) -> Mask:
        mask = mask_for(item.masking, item.masking_format, item.masking_mode == "deterministic")
        if item.name.lower() in self.matched_by and not mask.joinable:
            raise ContractError(
                f"'{item.name}' is a key of the target, and masking '{mask.kind}' does not keep equal values equal.",
                cure="Use masking hash or tokenize, or 'masking_mode: deterministic' with encrypt.",
            )
        return mask

    def _made_from(self, names: set[str]) -> set[str]:
        made: set[str] = set()
        for _, step, _, _ in self.split.steps:
            made |= derived_from(step.select, names | made)
        return made
