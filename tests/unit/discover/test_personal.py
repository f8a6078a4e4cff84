"""Personal data, guessed by names and values."""

from __future__ import annotations

import pytest

from lakelogic.discover.personal import guess_personal


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("contact", "ann@example.com", "e-mail"),
        ("pay_with", "4111 1111 1111 1111", "card number"),
        ("konto", "DE89370400440532013000", "iban"),
        ("ref", "123-45-6789", "national id"),
        ("origin", "192.168.0.1", "ip address"),
        ("reach", "+44 20 7946 0440", "phone"),
        ("phone", "020 7946 0440", "phone"),
        ("dateOfBirth", "1990-01-01", "birth date"),
        ("last_name", "Smith", "name of a person"),
        ("street", "Main Street 1", "street address"),
    ],
)
def test_a_column_is_personal_by_its_name_or_its_values(name: str, value: str, kind: str) -> None:
    found = guess_personal(name, [value] * 5)
    assert found is not None
    assert (found.kind, bool(found.masking)) == (kind, True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("order_no", "4111111111111112"),
        ("policy_id", "P00035"),
        ("version", "1.2.3.400"),
        ("amount", "1234567890"),
        ("product_name", "Chair"),
        ("valid_on", "1990-01-01"),
        ("konto", "DE89370400440532013001"),
    ],
)
def test_what_only_looks_like_it_is_not(name: str, value: str) -> None:
    assert guess_personal(name, [value] * 5) is None


def test_the_reason_tells_name_and_support() -> None:
    found = guess_personal("email", ["a@b.co", "c@d.co", "none", "e@f.co", "g@h.co", "i@j.co"])
    assert found is not None
    assert found.reason == "by its name, and 5 of 6 values looked at"


def test_addresses_inside_of_free_text_are_found() -> None:
    found = guess_personal("note", ["please write to a@b.co today"] * 5 + ["fine"] * 50)
    assert found is not None
    assert (found.kind, found.masking) == ("free text", "redact")
