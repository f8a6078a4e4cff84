"""Functions of text."""

from __future__ import annotations

from functools import partial

from sqlglot import exp

from lakelogic.sql.duckdb.patterns import Pattern, replacement, translated
from lakelogic.sql.duckdb.types import text
from lakelogic.sql.duckdb.writer import CallRendering, NodeRendering, Writer, constant, kind, whole
from lakelogic.sql.types import type_name
from lakelogic.sql.typing.lattice import is_array, is_integer, is_string, named

_SPECIAL = set(r"\.[]{}()*+-?^$|")


def pattern(w: Writer, node: exp.Expr, written: exp.Expr) -> Pattern:
    """A pattern that was written out, for RE2."""
    cure, simpler = "Write the pattern as text.", "Write a simpler pattern."
    return w.written_out(node, written, translated, "pattern", cure=cure, simpler=simpler)


def matches(w: Writer, node: exp.Expr) -> str:
    subject, written = node.expressions[:2] if isinstance(node, exp.Anonymous) else (node.this, node.expression)
    found = pattern(w, node, written)
    return f"regexp_matches({w.as_(subject, 'string')}, {text(found.text)})"


def replace_pattern(w: Writer, node: exp.Anonymous) -> str:
    if len(node.expressions) != 3:
        w.refuse(node, "regexp_replace with a position is not portable")
    subject, written, by = node.expressions
    found = pattern(w, node, written)
    _consumes(w, node, found)
    read, cure = partial(replacement, groups=found.groups), "Write the replacement as text."
    new = w.written_out(node, by, read, "replacement", cure=cure, simpler="Write a simpler replacement.")
    return f"regexp_replace({w.as_(subject, 'string')}, {text(found.text)}, {text(new)}, 'g')"


def _consumes(w: Writer, node: exp.Expr, found: Pattern) -> None:
    """The text that is matched matters here, not only whether it is."""
    if found.may_be_empty:
        w.refuse(node, "the pattern may match nothing at all", "Write a pattern that matches a character at least.")
    if found.has_end:
        w.refuse(node, "$ also stands before a final line break", "Leave the $ out.")


def extract_pattern(w: Writer, node: exp.Anonymous) -> str:
    subject, written = node.expressions[:2]
    number = whole(node.expressions[2]) if len(node.expressions) > 2 else 1
    found = pattern(w, node, written)
    if number is None or not 0 <= number <= found.groups:
        w.refuse(node, "the pattern has no such group", "Name a group that is there, or 0 for all of it.")
    if number == 0 and found.has_end:
        w.refuse(node, "$ also stands before a final line break", "Put what is wanted into a group.")
    return f"regexp_extract({w.as_(subject, 'string')}, {text(found.text)}, {number})"


def extract_every(w: Writer, node: exp.Anonymous) -> str:
    subject, written = node.expressions[:2]
    number = whole(node.expressions[2]) if len(node.expressions) > 2 else 1
    found = pattern(w, node, written)
    _consumes(w, node, found)
    if number is None or not 0 <= number <= found.groups:
        w.refuse(node, "the pattern has no such group", "Name a group that is there, or 0 for all of it.")
    return f"regexp_extract_all({w.as_(subject, 'string')}, {text(found.text)}, {number})"


def count_pattern(w: Writer, node: exp.Anonymous) -> str:
    found = pattern(w, node, node.expressions[1])
    _consumes(w, node, found)
    return f"CAST(len(regexp_extract_all({w.as_(node.expressions[0], 'string')}, {text(found.text)})) AS INTEGER)"


def substring_pattern(w: Writer, node: exp.Anonymous) -> str:
    found = pattern(w, node, node.expressions[1])
    _consumes(w, node, found)
    return f"regexp_extract_all({w.as_(node.expressions[0], 'string')}, {text(found.text)})[1]"


def split(w: Writer, node: exp.Anonymous) -> str:
    """SPLIT at a pattern; at plain text, also into a given number of parts."""
    subject = w.as_(node.expressions[0], "string")
    limit = whole(node.expressions[2]) if len(node.expressions) > 2 else -1
    plain = _plain_text(constant(node.expressions[1]))
    if plain:
        if limit is None:
            w.refuse(node, "the limit is not written out", "Write it as a number.")
        parts = f"string_split({subject}, {text(plain)})"
        return parts if limit <= 0 else f"ll_first_parts({parts}, {limit}, {text(plain)})"
    found = pattern(w, node, node.expressions[1])
    _consumes(w, node, found)
    if limit is None or limit > 0:
        w.refuse(node, "a limit together with a pattern is not portable", "Split at plain text, or without a limit.")
    return f"string_split_regex({subject}, {text(found.text)})"


def _plain_text(source: str | None) -> str | None:
    """The text that a pattern without any operator stands for."""
    if not source:
        return None
    out, position = [], 0
    while position < len(source):
        found = source[position]
        if found == "\\":
            position += 1
            found = source[position : position + 1]
            if found not in _SPECIAL:
                return None
        elif found in _SPECIAL and found != "-":
            return None
        out.append(found)
        position += 1
    return "".join(out)


def concat(w: Writer, node: exp.Expr) -> str:
    parts = node.expressions if isinstance(node, exp.Anonymous) else [node.this, node.expression]
    if is_array(kind(node)):
        return f"({' || '.join(w.as_(part, kind(node)) for part in parts)})"
    if not parts:
        return "''"
    return f"({' || '.join(w.as_(part, kind(node)) for part in parts)})"


def concat_ws(w: Writer, node: exp.Anonymous) -> str:
    separator, *parts = node.expressions
    written = []
    for part in parts:
        if is_array(kind(part)):
            written.append(f"coalesce(list_filter({w.as_(part, 'array<string>')}, lambda ll_e: ll_e IS NOT NULL), [])")
        else:
            value = w.as_(part, "string")
            written.append(f"CASE WHEN {value} IS NULL THEN [] ELSE [{value}] END")
    joined = " || ".join(written) if written else "CAST([] AS VARCHAR[])"
    between = w.as_(separator, "string")
    return f"CASE WHEN {between} IS NOT NULL THEN ll_glued({joined}, {between}) END"


def trimmed(w: Writer, node: exp.Expr) -> str:
    """TRIM with its words: of blanks only, or of given characters."""
    function = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or "").upper(), "trim")
    characters = node.args.get("expression")
    listed = w.as_(characters, "string") if characters is not None else "' '"
    return f"{function}({w.as_(node.this, 'string')}, {listed})"


def digest(w: Writer, node: exp.Anonymous) -> str:
    if whole(node.expressions[1]) not in {0, 256}:
        w.refuse(node, "only SHA-256 is there", "Write sha2(…, 256).")
    return f"sha256({_bytes(w, node.expressions[0])})"


def hashed(function: str) -> CallRendering:
    return lambda w, node: f"{function}({_bytes(w, node.expressions[0])})"


def _bytes(w: Writer, node: exp.Expr) -> str:
    found = kind(node)
    if is_string(found) or found == named("binary"):
        return w.sql(node)
    return w.as_(node, "string")


def substring(w: Writer, node: exp.Anonymous) -> str:
    """Positions count from 1, or from the end below 0; 0 is taken for 1."""
    value, first, *rest = node.expressions
    size = rest[0] if rest else None
    place, length_ = whole(first), whole(size) if size is not None else 2**31 - 1
    text_ = w.as_(value, "string")
    if place is not None and place > 0 and length_ is not None and length_ >= 0:
        return f"substring({text_}, {place}, {length_})" if size is not None else f"substring({text_}, {place})"
    return f"ll_substring({text_}, {w.as_(first, 'int')}, {w.as_(size, 'int') if size is not None else length_})"


def hex_(w: Writer, node: exp.Anonymous) -> str:
    value = node.expressions[0]
    if is_integer(kind(value)):
        return f"to_hex({w.as_(value, 'bigint')})"
    if is_string(kind(value)) or kind(value) == named("binary"):
        return f"hex({w.sql(value)})"
    return w.refuse(node, f"hex of a {type_name(kind(value))} is not portable")


def reverse(w: Writer, node: exp.Anonymous) -> str:
    value = node.expressions[0]
    if is_array(kind(value)):
        return f"list_reverse({w.sql(value)})"
    return f"ll_reverse({w.as_(value, 'string')})"


def length(w: Writer, node: exp.Anonymous) -> str:
    value = node.expressions[0]
    if kind(value) == named("binary"):
        return f"CAST(octet_length({w.sql(value)}) AS INTEGER)"
    return f"CAST(length({w.as_(value, 'string')}) AS INTEGER)"


def encrypt(w: Writer, node: exp.Anonymous) -> str:
    """AES-GCM by the function that the engine registers; the mode and padding are fixed."""
    value, key, *rest = node.expressions
    nonce = w.as_(rest[2], "binary") if len(rest) > 2 else "CAST(NULL AS BLOB)"
    return f"ll_aes_gcm({w.as_(value, 'binary')}, {w.as_(key, 'binary')}, {nonce})"


NODES: dict[type[exp.Expr], NodeRendering] = {
    exp.RegexpLike: matches,
    exp.DPipe: concat,
    exp.Trim: trimmed,
}
CALLS: dict[str, str | CallRendering] = {
    "upper": "ll_upper({0:string})",
    "ucase": "ll_upper({0:string})",
    "lower": "ll_lower({0:string})",
    "lcase": "ll_lower({0:string})",
    "initcap": "ll_initcap({0:string})",
    "length": length,
    "len": length,
    "char_length": length,
    "character_length": length,
    "octet_length": "CAST(octet_length(encode({0:string})) AS INTEGER)",
    "bit_length": "CAST(8 * octet_length(encode({0:string})) AS INTEGER)",
    "btrim/1": "trim({0:string}, ' ')",
    "btrim/2": "trim({0:string}, {1:string})",
    "ltrim/1": "ltrim({0:string}, ' ')",
    "rtrim/1": "rtrim({0:string}, ' ')",
    "trim/1": "trim({0:string}, ' ')",
    "substring": substring,
    "substr": substring,
    "left": "ll_left({0:string}, {1:int})",
    "right": "ll_right({0:string}, {1:int})",
    "instr": "CAST(ll_instr({0:string}, {1:string}) AS INTEGER)",
    "locate/2": "CAST(ll_instr({1:string}, {0:string}) AS INTEGER)",
    "locate/3": "CAST(ll_locate({0:string}, {1:string}, {2:int}) AS INTEGER)",
    "position/2": "CAST(ll_instr({1:string}, {0:string}) AS INTEGER)",
    "contains": "contains({0:string}, {1:string})",
    "startswith": "starts_with({0:string}, {1:string})",
    "endswith": "suffix({0:string}, {1:string})",
    "replace/3": "ll_replace({0:string}, {1:string}, {2:string})",
    "replace/2": "ll_replace({0:string}, {1:string}, '')",
    "translate": "translate({0:string}, {1:string}, {2:string})",
    "repeat": "repeat({0:string}, greatest({1:int}, 0))",
    "space": "repeat(' ', greatest({0:int}, 0))",
    "lpad/2": "ll_lpad({0:string}, {1:int}, ' ')",
    "lpad/3": "ll_lpad({0:string}, {1:int}, {2:string})",
    "rpad/2": "ll_rpad({0:string}, {1:int}, ' ')",
    "rpad/3": "ll_rpad({0:string}, {1:int}, {2:string})",
    "reverse": reverse,
    "ascii": "ll_ascii({0:string})",
    "concat": concat,
    "concat_ws": concat_ws,
    "split": split,
    "split_part": "ll_split_part({0:string}, {1:string}, {2:int})",
    "substring_index": "ll_substring_index({0:string}, {1:string}, {2:int})",
    "rlike": matches,
    "regexp": matches,
    "regexp_like": matches,
    "regexp_replace": replace_pattern,
    "regexp_extract": extract_pattern,
    "regexp_extract_all": extract_every,
    "regexp_count": count_pattern,
    "regexp_substr": substring_pattern,
    "md5": hashed("md5"),
    "sha": hashed("sha1"),
    "sha1": hashed("sha1"),
    "sha2": digest,
    "hex": hex_,
    "unhex": "ll_unhex({0:string})",
    "base64": "to_base64({0:binary})",
    "aes_encrypt": encrypt,
}
