"""SQL over several lines, for people: only blanks change, so that what is shown is what runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token, TokenType

_ONE_LINE = 100
_INDENT = 2
_CLAUSES = {
    TokenType.FROM,
    TokenType.WHERE,
    TokenType.GROUP_BY,
    TokenType.HAVING,
    TokenType.QUALIFY,
    TokenType.ORDER_BY,
    TokenType.LIMIT,
    TokenType.UNION,
    TokenType.LATERAL,
}
_JOIN_WORDS = {TokenType.JOIN, TokenType.LEFT, TokenType.RIGHT, TokenType.FULL, TokenType.INNER, TokenType.CROSS}
_QUERY_WORDS = {TokenType.SELECT, TokenType.WITH}


def laid_out(sql: str, width: int = _ONE_LINE, dialect: str = "spark") -> str:
    """The text with a line for each clause and condition, and columns that fill lines; a short one as it is."""
    tokens = Dialect.get_or_raise(dialect).tokenize(sql)
    if len(sql) <= width or not tokens or tokens[0].token_type not in _QUERY_WORDS:
        return sql
    return _Layout(sql, tokens, width).text()


@dataclass
class _Scope:
    """A query, or something in parentheses that is none."""

    indent: int
    is_query: bool
    clause: TokenType = TokenType.SELECT
    between: bool = False


@dataclass
class _Layout:
    sql: str
    tokens: list[Token]
    width: int
    _scopes: list[_Scope] = field(default_factory=lambda: [_Scope(0, is_query=True)])
    _used: int = 0

    def text(self) -> str:
        out, end = [], 0
        for position, token in enumerate(self.tokens):
            piece = self._before(position, self.sql[end : token.start]) + self.sql[token.start : token.end + 1]
            self._used = len(piece.rpartition("\n")[2]) + (0 if "\n" in piece else self._used)
            out.append(piece)
            self._after(position)
            end = token.end + 1
        return "".join(out) + self.sql[end:]

    def _before(self, position: int, blank: str) -> str:
        """The blanks before a token: a new line where something begins."""
        kind, scope = self.tokens[position].token_type, self._scopes[-1]
        previous = self.tokens[position - 1].token_type if position else None
        if previous is None:
            return blank
        if kind == TokenType.R_PAREN:
            return _line(self._scopes[-2].indent if len(self._scopes) > 1 else 0) if scope.is_query else blank
        if not scope.is_query:
            return blank
        if kind in _CLAUSES or (kind in _JOIN_WORDS and previous not in _JOIN_WORDS):
            return _line(scope.indent)
        if previous == TokenType.L_PAREN and kind in _QUERY_WORDS:
            return _line(scope.indent)
        item = previous == TokenType.COMMA and scope.clause == TokenType.SELECT and not self._fits(position)
        condition = kind == TokenType.AND and scope.clause == TokenType.WHERE and not scope.between
        return _line(scope.indent + _INDENT) if previous == TokenType.SELECT or item or condition else blank

    def _fits(self, position: int) -> bool:
        """Whether an output column can stand on the line that was begun."""
        depth, end = 0, position
        for place in range(position, len(self.tokens)):
            token = self.tokens[place]
            depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(token.token_type, 0)
            if depth < 0 or (depth == 0 and (token.token_type == TokenType.COMMA or token.token_type in _CLAUSES)):
                break
            end = token.end
        return self._used + end - self.tokens[position].start + 2 < self.width

    def _after(self, position: int) -> None:
        """What a token opens or closes."""
        kind, scope = self.tokens[position].token_type, self._scopes[-1]
        if kind == TokenType.L_PAREN:
            following = self.tokens[position + 1].token_type if position + 1 < len(self.tokens) else None
            is_query = following in _QUERY_WORDS
            self._scopes.append(_Scope(scope.indent + _INDENT if is_query else scope.indent, is_query))
        elif kind == TokenType.R_PAREN and len(self._scopes) > 1:
            self._scopes.pop()
        elif scope.is_query and (kind in _CLAUSES or kind == TokenType.SELECT):
            scope.clause = kind
        elif kind in (TokenType.BETWEEN, TokenType.AND):
            scope.between = kind == TokenType.BETWEEN


def _line(indent: int) -> str:
    return "\n" + " " * indent
