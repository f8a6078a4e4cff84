"""A tree as Spark reads it: every call by Spark's own name, with the arguments in Spark's order."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp, parse_one
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError
from sqlglot.generators.spark import SparkGenerator
from sqlglot.parsers.spark import SparkParser

from lakelogic.errors import SqlError

_CASTS = {name: name for name in "bigint binary boolean date double float int smallint string tinyint".split()}
_CASTS |= {"timestamp": "timestamp", "decimal": "decimal(10,0)"}
_SHOWN = 100
_SYNTAX = ("CAST", "TRY_CAST", "EXTRACT", "TRIM", "OVERLAY")


class PlainSpark(Spark):
    """Spark SQL without the parser's own idea of what a function means; every cast is a try_cast."""

    class Parser(SparkParser):
        FUNCTIONS: ClassVar = {}
        FUNCTION_PARSERS: ClassVar = {name: SparkParser.FUNCTION_PARSERS[name] for name in _SYNTAX}
        NO_PAREN_FUNCTIONS: ClassVar = {}
        # Else ARRAY(1, 2)[0] is taken for a constructor of its own.
        ARRAY_CONSTRUCTORS: ClassVar = {}
        NO_PAREN_FUNCTION_PARSERS: ClassVar = {
            name: SparkParser.NO_PAREN_FUNCTION_PARSERS[name] for name in ("CASE", "IF")
        }

    class Generator(SparkGenerator):
        TRANSFORMS: ClassVar = {
            **SparkGenerator.TRANSFORMS,
            exp.Cast: lambda self, e: self._try_cast(e),
            exp.TryCast: lambda self, e: self._try_cast(e),
        }

        def _try_cast(self, node: exp.Cast) -> str:
            return f"TRY_CAST({self.sql(node, 'this')} AS {self.sql(node, 'to')})"


def plainly(tree: exp.Expr, *, copy: bool = True) -> exp.Expr:
    """The tree as Spark will read it, whatever classes the parser has for functions; without `copy`, it is used up.

    Raises:
        SqlError: it can't be written in Spark's SQL.
    """
    text = tree.transform(_open_cast, copy=copy).sql(PlainSpark, copy=False)
    try:
        plain = parse_one(text, read=PlainSpark)
    except RecursionError:
        raise too_deep(text) from None
    except ParseError:
        plain = None
    if plain is None or plain.sql(PlainSpark) != text:
        raise SqlError(f"the SQL has no plain form: {text}", cure="Write it in another way.")
    return plain


def too_deep(text: str) -> SqlError:
    """What to say of SQL that nobody can go through."""
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return SqlError(f"the SQL is nested too deeply: {shown}", cure="Write several rules or steps in its place.")


def _open_cast(node: exp.Expr) -> exp.Expr:
    """BIGINT(x) is a cast by another name, which would raise or wrap around."""
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    if name not in _CASTS or len(node.expressions) != 1:
        return node
    return exp.TryCast(this=node.expressions[0], to=exp.DataType.build(_CASTS[name], dialect="spark"))


def call_name(node: exp.Expr) -> str:
    """The name of a plain call, in lower case; empty for anything else."""
    return node.name.lower() if isinstance(node, exp.Anonymous) else ""
