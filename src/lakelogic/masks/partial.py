"""`masking: partial`: enough of the value to recognise it, never all of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.masks.base import Mask, MaskExample, masks
from lakelogic.masks.keys import Keys

HIDDEN = "***"
_EMAIL = "^[^@]+@[^@]+$"
_LAST = 4
_SHORTEST_THAT_SHOWS_ITS_END = 8
_PLACEHOLDER = re.compile(r"\{(?:(first|last)([1-9])|(domain))\}")


@dataclass(frozen=True)
class Piece:
    """A part of a format: fixed text, the first or last characters of the value, or an e-mail's domain."""

    kind: str
    text: str = ""
    count: int = 0


@masks.add("partial")
@dataclass(frozen=True)
class Partial(Mask):
    """`j***@x.com` for an e-mail, else `***` and the end of a long value; or what `masking_format` says."""

    kind = "partial"
    takes_format = True
    examples: ClassVar[tuple[MaskExample, ...]] = (
        MaskExample("jane@x.com", "j***@x.com"),
        MaskExample("j@x.com", "***@x.com"),
        MaskExample("+44 20 7946 0123", "***0123"),
        MaskExample("1234567", "***"),
        MaskExample("", "***"),
        MaskExample("4111111111111111", "4111 **** 1111", format="{first4} **** {last4}"),
        MaskExample("jane@x.com", "ja…e at x.com", format="{first2}…{last1} at {domain}"),
        MaskExample("AB", "*** | ***", format="{first2} | {domain}"),
        MaskExample(None, None),
    )

    def __post_init__(self) -> None:
        if self.format is not None:
            pieces(self.format)

    def expression(self, text: exp.Expr) -> exp.Expr:
        shown = _plain_expression(text) if self.format is None else _format_expression(text, pieces(self.format))
        return exp.case().when(_not_null(text), shown)

    def masked(self, text: str, keys: Keys) -> str:
        return _plain(text) if self.format is None else _formatted(text, pieces(self.format))


@lru_cache
def pieces(format: str) -> tuple[Piece, ...]:
    """A `masking_format`, taken apart.

    Raises:
        ContractError: a placeholder that does not exist.
    """
    found: list[Piece] = []
    end = 0
    for match in _PLACEHOLDER.finditer(format):
        found.append(_fixed(format[end : match.start()], format))
        side, count, domain = match.groups()
        found.append(Piece(domain) if domain else Piece(side, count=int(count)))
        end = match.end()
    found.append(_fixed(format[end:], format))
    return tuple(piece for piece in found if piece != Piece("fixed"))


def _fixed(text: str, format: str) -> Piece:
    if "{" in text or "}" in text:
        raise ContractError(
            f"masking_format '{format}' has a placeholder that is unknown.",
            cure="Known: {first1} to {first9}, {last1} to {last9}, {domain}.",
        )
    return Piece("fixed", text)


def _shown_count(parts: tuple[Piece, ...]) -> int:
    return sum(max((piece.count for piece in parts if piece.kind == side), default=0) for side in ("first", "last"))


def _plain(text: str) -> str:
    if re.search(_EMAIL, text):
        local, domain = text.split("@")
        return f"{local[0] if len(local) > 1 else ''}{HIDDEN}@{domain}"
    return HIDDEN + (text[-_LAST:] if len(text) >= _SHORTEST_THAT_SHOWS_ITS_END else "")


def _plain_expression(text: exp.Expr) -> exp.Expr:
    local, domain = _email_sides(text)
    first = exp.case().when(_longer(local, 1), _first(local, 1)).else_(_literal(""))
    is_long = _longer(text, _SHORTEST_THAT_SHOWS_ITS_END - 1)
    end = exp.case().when(is_long, _last(text, _LAST)).else_(_literal(""))
    email = _concat([first, _literal(f"{HIDDEN}@"), domain])
    return exp.case().when(_is_email(text), email).else_(_concat([_literal(HIDDEN), end]))


def _formatted(text: str, parts: tuple[Piece, ...]) -> str:
    subject, domain = text, HIDDEN
    if Piece("domain") in parts and re.search(_EMAIL, text):
        subject, domain = text.split("@")
    hide = len(subject) <= _shown_count(parts)
    return "".join(_piece_text(piece, subject, domain, hide) for piece in parts)


def _piece_text(piece: Piece, subject: str, domain: str, hide: bool) -> str:
    if piece.kind == "fixed":
        return piece.text
    if piece.kind == "domain":
        return domain
    if hide:
        return HIDDEN
    return subject[: piece.count] if piece.kind == "first" else subject[-piece.count :]


def _format_expression(text: exp.Expr, parts: tuple[Piece, ...]) -> exp.Expr:
    whole = _pieces_expression(text, _literal(HIDDEN), parts)
    if Piece("domain") not in parts:
        return whole
    local, domain = _email_sides(text)
    return exp.case().when(_is_email(text), _pieces_expression(local, domain, parts)).else_(whole)


def _pieces_expression(subject: exp.Expr, domain: exp.Expr, parts: tuple[Piece, ...]) -> exp.Expr:
    hidden = _concat([_piece_expression(piece, subject, domain, hide=True) for piece in parts])
    shown = _concat([_piece_expression(piece, subject, domain, hide=False) for piece in parts])
    count = _shown_count(parts)
    return exp.case().when(_longer(subject, count), shown).else_(hidden) if count else shown


def _piece_expression(piece: Piece, subject: exp.Expr, domain: exp.Expr, *, hide: bool) -> exp.Expr:
    if piece.kind == "fixed":
        return _literal(piece.text)
    if piece.kind == "domain":
        return domain
    if hide:
        return _literal(HIDDEN)
    return _first(subject, piece.count) if piece.kind == "first" else _last(subject, piece.count)


def _is_email(text: exp.Expr) -> exp.Expr:
    return exp.RegexpLike(this=text.copy(), expression=_literal(_EMAIL))


def _email_sides(text: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    local, domain = (
        exp.SubstringIndex(this=text.copy(), delimiter=_literal("@"), count=exp.Literal.number(side))
        for side in (1, -1)
    )
    return local, domain


def _longer(text: exp.Expr, count: int) -> exp.Expr:
    return exp.GT(this=exp.Length(this=text.copy()), expression=exp.Literal.number(count))


def _first(text: exp.Expr, count: int) -> exp.Expr:
    return exp.Left(this=text.copy(), expression=exp.Literal.number(count))


def _last(text: exp.Expr, count: int) -> exp.Expr:
    return exp.Right(this=text.copy(), expression=exp.Literal.number(count))


def _not_null(text: exp.Expr) -> exp.Expr:
    return exp.not_(exp.Is(this=text.copy(), expression=exp.null()))


def _concat(parts: list[exp.Expr]) -> exp.Expr:
    return exp.Concat(expressions=[part.copy() for part in parts])


def _literal(text: str) -> exp.Expr:
    return exp.Literal.string(text)
