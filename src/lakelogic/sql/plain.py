"""A tree as Spark reads it: every call by Spark's own name, with the arguments in Spark's order."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp, parse_one
from sqlglot.dialects.spark import Spark
from sqlglot.generators.spark import SparkGenerator
from sqlglot.parsers.spark import SparkParser

_SYNTAX = ("CAST", "TRY_CAST", "EXTRACT", "TRIM")


class PlainSpark(Spark):
    """Spark SQL without the parser's own idea of what a function means; every cast is a try_cast."""

    class Parser(SparkParser):
        FUNCTIONS: ClassVar = {}
        FUNCTION_PARSERS: ClassVar = {name: SparkParser.FUNCTION_PARSERS[name] for name in _SYNTAX}
        NO_PAREN_FUNCTIONS: ClassVar = {}
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


def plainly(tree: exp.Expr) -> exp.Expr:
    """The tree as Spark will read it, whatever classes the parser has for functions."""
    return parse_one(tree.sql(PlainSpark), read=PlainSpark)


def call_name(node: exp.Expr) -> str:
    """The name of a plain call, in lower case; empty for anything else."""
    return node.name.lower() if isinstance(node, exp.Anonymous) else ""
