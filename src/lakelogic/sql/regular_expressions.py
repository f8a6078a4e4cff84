"""Regular expressions in a contract: those that no engine can read are told before anything runs."""

from __future__ import annotations

import re
import warnings

from sqlglot import exp

from lakelogic.errors import SqlError
from lakelogic.sql.underlining import underlined

# Constructs that engines know and Python's `re` does not, and what stands for them when a pattern is tried out.
_FOREIGN = (
    (re.compile(r"\\Q.*?(\\E|$)", re.DOTALL), "x"),
    # A backslash that stands for itself.
    (re.compile(r"\\\\"), "x"),
    (re.compile(r"\\[pP](\{\w+=?\w*\}|\w)"), "x"),
    (re.compile(r"\\(x\{\w+\}|c.|b\{g\}|N\{[^}]*\}|k<\w+>)"), "x"),
    (re.compile(r"\\[hHRXGvVzZeKbB1-9]"), "x"),
    # In a class, a hyphen behind one of these is only that.
    (re.compile(r"\\[dDwWsS]-"), r"x\\-"),
    (re.compile(r"(?<!\\)\(\?<[A-Za-z]\w*>"), "("),
    (re.compile(r"(?<!\\)\(\?<[=!]"), "(?:"),
    (re.compile(r"(?<!\\)\(\?[a-zA-Z]*-?[a-zA-Z]*\)"), ""),
    (re.compile(r"(?<!\\)\(\?[a-zA-Z]*-?[a-zA-Z]+:"), "(?:"),
    # A repeated anchor.
    (re.compile(r"(?<![\[\\])[\^$](?=[*+?{])"), "x"),
)
# Escapes and classes, in which nothing opens a group or counts.
_QUIET = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
# What Python's `re` takes, and no engine does.
_ODD = (
    (re.compile(r"\{(?!\d+(,\d*)?\})"), "a { without a count"),
    (re.compile(r"\(\?P"), "a group with a name is written (?<name>…)"),
    (re.compile(r"\(\?[#(]"), "a group of an unknown kind"),
)
_WITH_PATTERN = (
    exp.RegexpLike,
    exp.RegexpILike,
    exp.RegexpCount,
    exp.RegexpExtract,
    exp.RegexpExtractAll,
    exp.RegexpInstr,
    exp.RegexpReplace,
    exp.RegexpSplit,
    exp.RegexpSubstr,
)


def broken(pattern: str) -> str | None:
    """Why a text is no regular expression; None where it is one, also if only some engines know what is in it."""
    tried = pattern
    for construct, stand_in in _FOREIGN:
        tried = construct.sub(stand_in, tried)
    try:
        with warnings.catch_warnings():
            # A nested set means something else in Python, but it does compile.
            warnings.simplefilter("ignore", FutureWarning)
            re.compile(tried)
    except re.error as error:
        return error.msg
    bare = _QUIET.sub("x", tried)
    return next((reason for construct, reason in _ODD if construct.search(bare)), None)


def refuse_broken_patterns(tree: exp.Expr) -> None:
    """
    Raises:
        SqlError: a pattern that is written out is no regular expression; underlines it.
    """
    for node in tree.find_all(*_WITH_PATTERN):
        pattern = node.args.get("expression")
        if not isinstance(pattern, exp.Literal) or not pattern.is_string:
            continue
        if reason := broken(pattern.name):
            raise SqlError(
                f"the pattern is no regular expression: {reason}.\n{underlined(pattern)}\n ", cure="Mend the pattern."
            )
