"""The allow-list: which kinds of SQL nodes and which functions a contract may use."""

from __future__ import annotations

from itertools import pairwise

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.tokenizer_core import TokenType

from lakelogic.errors import SqlError, nearest
from lakelogic.sql.functions import ALLOWED, KEYWORDS, why_refused

_NODES = frozenset(
    """
    Alias Aliases And Or Not Paren Column Identifier Literal Null Boolean Between In Is Like ILike Escape RegexpLike
    RegexpILike LikeAny EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ Add Sub Mul Div IntDiv Mod Neg DPipe BitwiseAnd
    BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift BitwiseRightShift Bracket Slice Dot Case If Cast TryCast DataType
    DataTypeParam ColumnDef Interval IntervalSpan Var Lambda Distinct Filter Window WindowSpec Ordered Order WithinGroup
    IgnoreNulls RespectNulls Star Select From Table TableAlias Join Where Group Having Limit Offset Union Intersect
    Except Subquery CTE With Lateral Exists Tuple Array Map Struct PropertyEQ Kwarg AtTimeZone Collate All Any Cube
    Rollup GroupingSets JSONPath JSONPathRoot JSONPathKey JSONPathSubscript JSONPathWildcard JSONExtract Xor Values
    RawString National HexString BitString FromTimeZone
    """.split()
)
_CALL_STARTERS = frozenset({TokenType.VAR, TokenType.IDENTIFIER})


def check_functions(text: str) -> None:
    """Look at every `name(` as it was written.

    Raises:
        SqlError: a function that is not on the list, underlined.
    """
    tokens = Spark().tokenize(text)
    for token, following in pairwise(tokens):
        if following.token_type != TokenType.L_PAREN:
            continue
        name = token.text.strip("`").lower()
        is_word = token.token_type in _CALL_STARTERS or name.replace("_", "").isalnum()
        if not is_word or name.isdigit() or name in ALLOWED or name in KEYWORDS or token.token_type == TokenType.STRING:
            continue
        raise _refused(text, name, token.start, token.end)


def check_nodes(tree: exp.Expr, text: str) -> None:
    """Look at every node of the parsed tree.

    Raises:
        SqlError: a statement, hint, parameter or anything else that is not an expression or a query.
    """
    for node in tree.walk():
        kind = type(node).__name__
        if isinstance(node, exp.Func) or kind in _NODES:
            continue
        if isinstance(node, (exp.DDL, exp.DML, exp.Command)) or kind in {"Drop", "Alter", "Use", "Set", "Describe"}:
            what = "Alter" if kind == "AlterTable" else kind.upper()
            raise SqlError(
                f"a contract may not run statements ({what}): {text}.", cure="Write an expression or a SELECT."
            )
        raise SqlError(f"{kind} is not allowed in contract SQL: {text}")


def check_tables(query: exp.Expr, known: set[str]) -> None:
    """Every table that is read must be `source`, the dataset or a link.

    Raises:
        SqlError: names another table.
    """
    local = {cte.alias.lower() for cte in query.find_all(exp.CTE)}
    allowed = {name.lower() for name in known} | local
    for table in query.find_all(exp.Table):
        name = ".".join(part.name for part in table.parts)
        if name.lower() not in allowed:
            close = nearest(name, known)
            hint = f"Did you mean '{close}'?" if close else "Declare it under 'links', or read from 'source'."
            raise SqlError(f"table '{name}' is not a link of this contract.", cure=hint)


def _refused(text: str, name: str, start: int, end: int) -> SqlError:
    line_start = text.rfind("\n", 0, start) + 1
    line = text[line_start:].splitlines()[0]
    close = nearest(name, ALLOWED)
    # A name on the list of reasons is no typo.
    reason = why_refused(name)
    hint = f"Did you mean '{close}'?" if close and reason.startswith("it is not on") else None
    underline = " " * (start - line_start) + "^" * (end - start + 1)
    return SqlError(f"function '{name}' is refused: {reason}.\n  {line}\n  {underline}", cure=hint)
