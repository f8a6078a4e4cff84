"""Remarks about personal data."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lakelogic.contract.lint.base import Remark, lint_rules
from lakelogic.contract.loaded import LoadedContract

_PERSONAL = re.compile(
    r"(^|_)(e?mail|phone|mobile|ssn|iban|passport|birth|birthday|dob|first_?name|last_?name|surname|full_?name|street)(_|$)"
)


@lint_rules.add("unmasked-pii")
def stores_pii_in_clear(loaded: LoadedContract) -> Iterator[Remark]:
    """A field is declared as personal and stored as it is."""
    for index, field in enumerate(loaded.model.model.fields):
        if field.is_personal and not field.is_masked:
            place = loaded.place("model", "fields", index)
            yield Remark(
                f"'{field.name}' is personal and stored in clear.", "Add masking, such as hash or encrypt.", place
            )


@lint_rules.add("likely-pii")
def looks_personal(loaded: LoadedContract) -> Iterator[Remark]:
    """A field has a name that personal data has, and is not declared as such."""
    for index, field in enumerate(loaded.model.model.fields):
        if _PERSONAL.search(field.name.lower()) and not field.is_personal and "pii" not in field.model_fields_set:
            place = loaded.place("model", "fields", index)
            yield Remark(f"'{field.name}' looks like personal data.", "Add pii: true, or pii: false.", place)
