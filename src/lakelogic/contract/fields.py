"""The shape that rows must have: `model` and `schema_policy`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from lakelogic.contract.kinds import AnyRowRule, problem
from lakelogic.contract.one_of import OneOf
from lakelogic.contract.values import Scalar
from lakelogic.errors import did_you_mean
from lakelogic.masks.base import masks
from lakelogic.models import Model, Name, Names
from lakelogic.rules.base import Severity
from lakelogic.transforms.base import TypeName

NO_MASK = "none"


def masking_names() -> list[str]:
    """Every way a field may be masked."""
    return sorted({NO_MASK, *masks.names()})


Masking = Annotated[str, OneOf("masking", masking_names)]


class ForeignKey(Model):
    """A column of another contract that this one points to."""

    contract: Name = Field(description="Contract that holds the key.")
    column: Name = Field(description="Column that is the key there.")
    severity: Severity = Field(default="error", description="How bad a missing key is.")


class Bounds(Model):
    """Lowest and highest value, both included."""

    min: Scalar | None = Field(default=None, description="Lowest value allowed.")
    max: Scalar | None = Field(default=None, description="Highest value allowed.")


class ModelField(Model):
    """One column: its type, what it must hold, and how it is protected."""

    name: Name = Field(description="Name of the column.")
    type: TypeName | None = Field(
        default=None, description="Spark's name of the type, or a common alias; kept as read when absent."
    )
    required: bool = Field(default=False, description="Whether NULL is an error.")
    nullable: bool | None = Field(default=None, description="false means the same as required: true.")
    description: str | None = Field(default=None, description="What the column holds.")
    pii: bool = Field(default=False, description="Personal data: never printed, logged or sent in clear.")
    phi: bool = Field(default=False, description="Health data: treated like pii.")
    sensitive: bool = Field(default=False, description="Other data worth protecting: treated like pii.")
    classification: str | None = Field(default=None, description="Confidentiality of the column.")
    masking: Masking = Field(default=NO_MASK, description="How the stored value is made unreadable.")
    masking_format: Name | None = Field(
        default=None, description="Pattern of partial masking: {first1} to {last9}, {domain}."
    )
    masking_mode: Literal["random", "deterministic"] = Field(
        default="random", description="deterministic encrypts equal values to equal text, so that keys still match."
    )
    security_groups: Names = Field(default=(), description="Groups that may read the value in clear.")
    pii_vault: str | Mapping[str, object] | None = Field(
        default=None, description="Vault that keeps the original value."
    )
    accepted_values: tuple[Scalar | None, ...] | None = Field(default=None, description="The only values allowed.")
    min: Scalar | None = Field(default=None, description="Lowest value allowed.")
    max: Scalar | None = Field(default=None, description="Highest value allowed.")
    range: Bounds | None = Field(default=None, description="Lowest and highest value allowed, as {min, max}.")
    max_length: int | None = Field(default=None, ge=0, description="Longest text allowed, in characters.")
    foreign_key: ForeignKey | None = Field(default=None, description="Column of another contract this one points to.")
    rules: tuple[AnyRowRule, ...] = Field(
        default=(), description="Row rules, written beside the column they are about."
    )
    milestone: bool | str | None = Field(default=None, description="Marks a date of an accumulating snapshot.")
    generated: bool | str | None = Field(default=None, description="How the column's values are generated.")
    extraction_task: str | None = Field(default=None, description="What an extraction looks for.")
    extraction_examples: tuple[object, ...] = Field(default=(), description="Examples shown to an extraction.")

    @property
    def must_be_present(self) -> bool:
        """Whether NULL is an error, in either spelling."""
        return self.required or self.nullable is False

    @property
    def is_personal(self) -> bool:
        """Whether the value must never be shown in clear."""
        return self.pii or self.phi or self.sensitive

    @property
    def is_masked(self) -> bool:
        return self.masking != NO_MASK

    @model_validator(mode="after")
    def _one_meaning(self) -> ModelField:
        if self.required and self.nullable:
            raise ValueError("required: true and nullable: true contradict each other. Remove one.")
        if self.range is not None and (self.min is not None or self.max is not None):
            raise ValueError("range and min / max say the same. Remove one.")
        return self


class DataModel(Model):
    """The columns of the dataset."""

    fields: tuple[ModelField, ...] = Field(default=(), description="The columns, in order.")
    grain: str | None = Field(default=None, description="What one row stands for, in words.")
    grain_key: Names = Field(default=(), description="Columns that identify one row.")


class SchemaPolicy(Model):
    """What happens when data or target differ from the model."""

    evolution: Literal["strict", "append", "merge", "overwrite", "compatible", "allow"] = Field(
        default="allow", description="How the target's columns may change."
    )
    unknown_fields: Literal["quarantine", "drop", "allow"] = Field(
        default="allow", description="What happens to columns that the model does not list."
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: object) -> object:
        if isinstance(value, str) and value not in SHORT_POLICIES:
            raise problem(f"schema_policy can't be '{value}'.", did_you_mean(value, SHORT_POLICIES))
        return SHORT_POLICIES[value] if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"enum": list(SHORT_POLICIES)}, super().__get_pydantic_json_schema__(schema, handler)]}


SHORT_POLICIES: Mapping[str, Mapping[str, str]] = {
    "strict": {"evolution": "strict", "unknown_fields": "quarantine"},
    "quarantine": {"unknown_fields": "quarantine"},
    "allow": {"evolution": "allow", "unknown_fields": "allow"},
}
