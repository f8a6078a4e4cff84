"""Personal data, guessed from the names of columns and from their values, with a mask that suits it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lakelogic.discover.names import plain, singular

# A kind that fewer values show is by chance.
_MOST = 0.8
_FEW = 5
_IN_TEXT = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")


def luhn(digits: str) -> bool:
    """Whether the check digit of a card number is right."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def _is_card(value: str) -> bool:
    return luhn(re.sub(r"\D", "", value))


def _is_iban(value: str) -> bool:
    compact = value.replace(" ", "").upper()
    turned = compact[4:] + compact[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


def _is_phone(value: str) -> bool:
    return 7 <= len(re.sub(r"\D", "", value)) <= 15


def _is_address(value: str) -> bool:
    return all(int(part) < 256 for part in value.split("."))


@dataclass(frozen=True)
class Kind:
    """A kind of personal data: names that say it, values that show it, and what masks it.

    Without values, the name alone tells. One that `needs_name` is told by its values only under such a name. `rule` is a
    pattern that good values meet.
    """

    word: str
    names: str
    pattern: str | None = None
    holds: Callable[[str], bool] | None = None
    masking: str = "partial"
    masking_format: str | None = None
    needs_name: bool = False
    rule: str | None = None


_PEOPLE = "customer|client|contact|holder|user|member|employee|patient|guest|lead|driver|student|passenger"
KINDS = (
    Kind("e-mail", r"e?_?mails?|email_address", r"[^@\s]+@[^@\s]+\.[^@\s.]+", rule="^[^@ ]+@[^@ ]+[.][^@ .]+$"),
    Kind("card number", r"(credit_?)?card(_?(no|nr|number))?|pan", r"\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,7}", _is_card),
    Kind("iban", r"iban|bank_account", r"[A-Z]{2}\d{2}( ?[A-Z0-9]{2,4}){3,8}", _is_iban),
    Kind(
        "national id",
        r"ssn|social_security(_\w+)?|national_id|tax_id|nin|nino|passport(_\w+)?|nif|bsn|steuer_?id",
        r"\d{3}-\d{2}-\d{4}|[A-Z]{2}\d{6}[A-D]",
        masking="redact",
    ),
    Kind("ip address", r"ip|ip_?addr(ess)?|client_ip|remote_addr", r"(\d{1,3}\.){3}\d{1,3}", _is_address),
    Kind("phone", r"phone|telephone|tel|mobile|cell|fax|phone_?(no|nr|number)|msisdn", r"\+?[\d ()./-]{7,20}", _is_phone,
         needs_name=True),
    Kind("birth date", r"dob|birth|birth_?da(te|y)|date_of_birth|born(_on)?", masking="nullify"),
    Kind(
        "name of a person",
        rf"((first|last|full|middle|given|family|person|{_PEOPLE})_?)name|surname|forename",
        masking_format="{first1}***",
    ),
    Kind("street address", r"street(_\w+)?|address(_?line)?(_?\d)?|home_address", masking="redact"),
)  # fmt: skip
_PHONE_WRITTEN = re.compile(r"\+\d[\d ()./-]{6,20}")


@dataclass(frozen=True)
class Personal:
    """That a column is personal: of which kind, why, how it is masked, and a pattern that good values meet."""

    kind: str
    reason: str
    masking: str
    masking_format: str | None = None
    pattern: str | None = None


def guess_personal(name: str, values: Sequence[str], entity: str = "", *, is_text: bool = True) -> Personal | None:
    """What kind of personal data a column of an entity holds, if any; `values` are some of them."""
    # The name of a customer is personal, that of a product is not.
    said = f"{singular(entity)}_{plain(name)}" if plain(name) == "name" else plain(name)
    for kind in KINDS:
        named = re.search(rf"(^|_)({kind.names})(_|$)", said) is not None
        shown = sum(_shows(kind, value, named) for value in values) if kind.pattern and is_text else 0
        if found := _reason(kind, named, shown, len(values)):
            return Personal(kind.word, found, kind.masking, kind.masking_format, kind.rule)
    return _in_free_text(values) if is_text else None


def _shows(kind: Kind, value: str, named: bool) -> bool:
    if kind.needs_name and not named and not _PHONE_WRITTEN.fullmatch(value):
        return False
    return re.fullmatch(kind.pattern or "", value) is not None and (kind.holds is None or kind.holds(value))


def _reason(kind: Kind, named: bool, shown: int, seen: int) -> str | None:
    told = f"{shown:,} of {seen:,} values looked at"
    if kind.pattern is None or not seen:
        return "by its name" if named else None
    if shown >= max(_MOST * seen, 1) and (named or shown >= _FEW):
        return f"by its name, and {told}" if named else f"by {told}"
    # Digits under a telling name are worth protecting whatever their form.
    return "by its name" if named and kind.word != "ip address" else None


def _in_free_text(values: Iterable[str]) -> Personal | None:
    seen = list(values)
    hits = sum(1 for value in seen if " " in value and _IN_TEXT.search(value))
    if hits >= _FEW:
        return Personal("free text", f"e-mail addresses inside of {hits:,} of {len(seen):,} values looked at", "redact")
    return None
