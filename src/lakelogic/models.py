"""What every model read from YAML or JSON shares."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


def is_own_key(key: object) -> bool:
    """Whether a key is the user's own (`x-…`): allowed wherever keys stand, and without meaning to us."""
    return isinstance(key, str) and key.startswith("x-")


class Model(BaseModel):
    """A frozen model that refuses keys it does not know, but for those that begin with `x-`."""

    # Numbers become text where text is meant, so that `version: 1.10` need not be quoted.
    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        coerce_numbers_to_str=True,
        allow_inf_nan=False,
        protected_namespaces=(),
    )

    @model_validator(mode="before")
    @classmethod
    def _without_own_keys(cls, value: Any) -> Any:
        if isinstance(value, dict) and any(is_own_key(key) for key in value):
            return {key: item for key, item in value.items() if not is_own_key(key)}
        return value
