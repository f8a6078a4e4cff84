"""Regular expressions of Java, as far as they mean the same in RE2; anything else is refused."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass

_ENDS = r"\n\r\x{85}\x{2028}\x{2029}"
_ANY = f"[^{_ENDS}]"
# Zero-width in Java, where it also stands before a final line break.
_AT_END = rf"(?:\r\n|[{_ENDS}])?\z"
_BLANKS = r"\t\n\x0B\f\r "
_CLASSES = {"d": "0-9", "w": "a-zA-Z0-9_", "s": _BLANKS}
_ESCAPED = set(r"\.[]{}()*+-?^$|/&~#@!%,:;<=>'\" _`")
_CONTROL = {"n": r"\n", "r": r"\r", "t": r"\t", "f": r"\f"}
_IGNORE_CASE = "(?i)"
_LETTERS = frozenset(string.ascii_letters)
_COUNT = re.compile(r"\{(\d{1,3})(?:(,)(\d{0,3}))?\}")


class NotPortable(ValueError):
    """A part of a pattern that RE2 would understand otherwise or not at all."""


@dataclass
class Pattern:
    """A pattern for RE2, and what is known about it."""

    text: str
    groups: int
    may_be_empty: bool
    has_end: bool


@dataclass
class _Parser:
    source: str
    position: int = 0
    groups: int = 0
    has_end: bool = False
    ignores_case: bool = False

    def peek(self) -> str:
        return self.source[self.position : self.position + 1]

    def take(self) -> str:
        found = self.peek()
        self.position += 1
        return found

    def alternatives(self) -> tuple[str, bool]:
        """Branches until the end or a closing parenthesis: their text, and whether one may match nothing."""
        branches, empty = [], False
        while True:
            text, nothing = self.sequence()
            branches.append(text)
            empty = empty or nothing
            if self.peek() != "|":
                return "|".join(branches), empty
            self.take()

    def sequence(self) -> tuple[str, bool]:
        parts, empty = [], True
        while self.peek() not in {"", "|", ")"}:
            atom, nothing, repeatable = self.atom()
            count, none = self.quantifier(repeatable)
            parts.append(atom + count)
            empty = empty and (nothing or none)
        return "".join(parts), empty

    def atom(self) -> tuple[str, bool, bool]:
        """One thing: its text, whether it may match nothing, whether it may be repeated."""
        found = self.take()
        if found == "(":
            return self.group()
        if found == "[":
            return self.char_class(), False, True
        if found == ".":
            return _ANY, False, True
        if found == "^":
            return r"\A", True, False
        if found == "$":
            self.has_end = True
            if self.position != len(self.source):
                raise NotPortable("$ within a pattern")
            return _AT_END, True, False
        if found == "\\" and self.peek() in {"A", "z"}:
            return f"\\{self.take()}", True, False
        if found == "\\":
            return self.escape(), False, True
        if found in "*+?{":
            raise NotPortable(f"'{found}' without anything to repeat")
        return re.escape(found) if found in "]}" else self.both_cases(found), False, True

    def both_cases(self, char: str) -> str:
        """The character, and its other case where case is ignored: for ASCII only, as in Java."""
        if self.ignores_case and char.isascii() and char.isalpha():
            return f"[{char.lower()}{char.upper()}]"
        return char

    def group(self) -> tuple[str, bool, bool]:
        opening = "("
        if self.peek() == "?":
            if self.source[self.position : self.position + 2] != "?:":
                raise NotPortable("look-around, a flag or a named group")
            self.position += 2
            opening = "(?:"
        else:
            self.groups += 1
        inner, empty = self.alternatives()
        if self.take() != ")":
            raise NotPortable("a group that is not closed")
        return f"{opening}{inner})", empty, True

    def escape(self) -> str:
        found = self.take()
        if found.lower() in _CLASSES and found:
            return f"[{'^' if found.isupper() else ''}{_CLASSES[found.lower()]}]"
        return self.escaped_char(found)

    def escaped_char(self, found: str) -> str:
        if found in _CONTROL:
            return _CONTROL[found]
        if found in _ESCAPED and found:
            return re.escape(found)
        raise NotPortable(f"\\{found}")

    def char_class(self) -> str:
        negated = self.peek() == "^"
        if negated:
            self.take()
        parts: list[str] = []
        while (found := self.take()) != "]" or not parts:
            if found == "":
                raise NotPortable("a class that is not closed")
            if found == "[" or (found == "&" and self.peek() == "&"):
                raise NotPortable("classes within classes")
            if found == "]":
                raise NotPortable("']' at the start of a class")
            if found == "^":
                parts.append(r"\^")
            elif found == "\\":
                parts.append(self.class_escape())
            elif found == "-" and parts and parts[-1] in _CLASSES.values():
                # No range begins with many characters.
                parts.append(r"\-")
            else:
                parts.append(found)
        if self.ignores_case:
            others = _other_cases("".join(parts))
            # At the end a hyphen is only that; something follows it now.
            parts = [*parts[:-1], r"\-" if parts[-1] == "-" else parts[-1], others]
        return f"[{'^' if negated else ''}{''.join(parts)}]"

    def class_escape(self) -> str:
        found = self.take()
        if found in _CLASSES:
            return _CLASSES[found]
        return self.escaped_char(found)

    def quantifier(self, repeatable: bool) -> tuple[str, bool]:
        """A repetition, and whether it allows none."""
        found = self.peek()
        if found not in {"*", "+", "?", "{"}:
            return "", False
        if not repeatable:
            raise NotPortable("a repeated anchor")
        if found == "{":
            match = _COUNT.match(self.source, self.position)
            if match is None:
                raise NotPortable("'{' that is no count")
            self.position = match.end()
            text, none = match.group(), int(match[1]) == 0
        else:
            text, none = self.take(), found in "*?"
        if self.peek() == "+":
            raise NotPortable("possessive repetition")
        return text + (self.take() if self.peek() == "?" else ""), none


def translated(pattern: str) -> Pattern:
    """The same pattern for RE2.

    Raises:
        NotPortable: something in it means something else there.
    """
    ignores_case = pattern.startswith(_IGNORE_CASE)
    parser = _Parser(pattern, len(_IGNORE_CASE) if ignores_case else 0, ignores_case=ignores_case)
    text, empty = parser.alternatives()
    if parser.position < len(pattern):
        raise NotPortable("')' without a group")
    return Pattern(text, parser.groups, empty, parser.has_end)


def replacement(text: str, groups: int) -> str:
    """A replacement of Java, `$1` for a group, in RE2's form.

    Raises:
        NotPortable: a group that is not there.
    """
    out, position = [], 0
    while position < len(text):
        found = text[position]
        following = text[position + 1 : position + 2]
        if found == "$":
            if not following.isdigit() or int(following) > groups or text[position + 2 : position + 3].isdigit():
                raise NotPortable("'$' that names no group")
            out.append(f"\\{following}")
            position += 1
        elif found == "\\":
            if not following:
                raise NotPortable("'\\' at its end")
            out.append(_literal_in_replacement(following))
            position += 1
        else:
            out.append(found)
        position += 1
    return "".join(out)


def _literal_in_replacement(char: str) -> str:
    return "\\\\" if char == "\\" else char


def _other_cases(chars: str) -> str:
    """The other cases of the ASCII letters in a class."""
    listed = re.sub(r"\\x..|\\.", "", chars)
    ranges = re.findall(r"(.)-(.)", listed)
    letters = set(re.sub(r".-.", "", listed))
    letters |= {char for char in _LETTERS if any(low <= char <= high for low, high in ranges)}
    return "".join(sorted(char.swapcase() for char in letters if char in _LETTERS))
