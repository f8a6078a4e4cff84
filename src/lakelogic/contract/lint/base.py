"""What a lint rule is: one small function with a code, from a contract to what a reviewer would say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from lakelogic.contract.loaded import LoadedContract
from lakelogic.errors import Place
from lakelogic.registry import Registry


@dataclass(frozen=True)
class Remark:
    """What a rule says: about which place, and what to do."""

    message: str
    cure: str
    place: Place


@dataclass(frozen=True)
class Finding:
    """A remark with the code of the rule that made it."""

    code: str
    message: str
    cure: str
    place: Place

    def __str__(self) -> str:
        return f"{self.place}: warning: {self.message} {self.cure} [{self.code}]"


LintRule = Callable[[LoadedContract], Iterator[Remark]]

lint_rules: Registry[LintRule] = Registry("lint_rule", "lakelogic.contract.lint")


def lint(loaded: LoadedContract, ignored: Collection[str] = ()) -> list[Finding]:
    """Everything that the rules have to say, in the order of the file."""
    found = [
        Finding(code, remark.message, remark.cure, remark.place)
        for code, rule in lint_rules
        if code not in ignored
        for remark in rule(loaded)
    ]
    return sorted(found, key=lambda each: (each.place.file, each.place.line or 0, each.place.column or 0, each.code))
