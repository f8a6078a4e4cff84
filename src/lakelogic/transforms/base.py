"""What a transformation is: a model of its YAML, and a pure function to a SELECT."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, Field
from sqlglot import exp

from lakelogic.errors import ContractError, Place, SqlError, did_you_mean
from lakelogic.models import Names
from lakelogic.registry import Registry
from lakelogic.rules.base import Check
from lakelogic.sql.annotate import SOURCE
from lakelogic.sql.build import named, ref
from lakelogic.sql.source_names import ReadsSource
from lakelogic.sql.types import BOOLEAN, UNKNOWN, Column, Columns, parse_type
from lakelogic.sql.typing.lattice import MAX_DIGITS, digits_of, is_decimal

__all__ = [
    "SOURCE",
    "VALID",
    "Effect",
    "Names",
    "Phase",
    "Step",
    "Transform",
    "TransformExample",
    "TypeName",
    "link_columns",
    "link_table",
    "named",
    "pick",
    "project",
    "ref",
    "refuse_hidden",
    "refuse_twice",
    "selected",
    "transform",
    "transforms",
]

Phase = Literal["pre", "post"]
Effect = Literal["filtered", "deduplicated", "expanded"]

VALID = Column("_ll_valid", BOOLEAN, hidden=True)
"""Whether a row passes all rules of its phase."""

transforms: Registry[type[Transform]] = Registry("transform", "lakelogic.transforms")


def _known_type(text: str) -> str:
    try:
        parsed = parse_type(text)
    except ContractError as error:
        raise ValueError(f"{error.message} {error.cure}") from None
    decimals = (digits_of(part) for part in parsed.find_all(exp.DataType) if is_decimal(part))
    if not all(0 <= scale <= digits and 0 < digits <= MAX_DIGITS for digits, scale in decimals):
        raise ValueError(f"type '{text}' is too wide: a decimal has at most {MAX_DIGITS} digits, scale included.")
    return text


TypeName = Annotated[str, AfterValidator(_known_type)]
"""Spark's name of a type, or a common alias."""


@dataclass(frozen=True)
class Step:
    """A SELECT over `source` (the step before) and links, with the columns it yields.

    `row_wise` steps give one row for each row, from that row alone, so rules may be judged beside them.
    `notes` are said once, before the run. Where it `marks_dropped`, rows that it drops stay until the split.
    """

    select: exp.Query
    columns: Columns
    row_wise: bool = True
    effect: Effect | None = None
    notes: tuple[str, ...] = ()
    marks_dropped: bool = False
    place: Place | None = None


@dataclass(frozen=True)
class TransformExample:
    """Rows before and after; `types` are Spark types of the input columns, `links` rows of reference tables."""

    arguments: Any
    before: tuple[Mapping[str, Any], ...]
    after: tuple[Mapping[str, Any], ...]
    types: Mapping[str, str]
    links: Mapping[str, tuple[Mapping[str, Any], ...]] | None = None
    link_types: Mapping[str, Mapping[str, str]] | None = None


class Transform(ReadsSource):
    """A step that reshapes rows."""

    phase: Phase = Field("post", description="pre: before the rules; post: on good rows.")

    kind: ClassVar[str]
    examples: ClassVar[tuple[TransformExample, ...]] = ()

    @classmethod
    def from_yaml(cls, body: Any) -> Any:
        """The short forms of the YAML body as the mapping that the model reads."""
        return body

    @abstractmethod
    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        """The SELECT, given the columns that come in.

        Raises:
            SqlError: it names a column or link that is not there.
        """

    @property
    def waits_for_rules(self) -> bool:
        """Whether the step must know which rows are good: it then comes after the rules, which tell it in VALID."""
        return False

    def checks(self, columns: Columns) -> tuple[Check, ...]:
        """Rows that the step can't treat, as checks on the columns that it yields."""
        return ()

    def links_used(self) -> set[str]:
        """The links that the step reads."""
        return set()


Kind = TypeVar("Kind", bound=Transform)


def transform(kind: str) -> Callable[[type[Kind]], type[Kind]]:
    """Registers a transformation under the key that contracts use for it.

    Raises:
        NameTaken: the kind is registered already.
    """

    def register(item: type[Kind]) -> type[Kind]:
        item.kind = kind
        transforms.add(kind)(item)
        return item

    return register


def project(columns: Columns, changes: Mapping[str, exp.Expr], types: Mapping[str, exp.DataType] | None = None) -> Step:
    """A SELECT of all columns with some replaced in place and the others added at the end.

    Raises:
        ContractError: a change would overwrite a hidden column.
    """
    types = types or {}
    for name in changes:
        refuse_hidden(columns, name)
    by_lower = {name.lower(): name for name in changes}
    out: list[exp.Expr] = []
    for column in columns:
        changed = by_lower.pop(column.name.lower(), None)
        out.append(named(column.name, changes[changed]) if changed else ref(column))
    out.extend(named(name, changes[name]) for name in by_lower.values())
    # A changed column keeps its old spelling, as Spark's own case-insensitive replacement does.
    added = [
        Column(found.name if (found := columns.find(name)) else name, types.get(name, UNKNOWN)) for name in changes
    ]
    return Step(selected(out), columns.with_(*added))


def pick(columns: Iterable[Column]) -> exp.Select:
    """A SELECT of these columns as they are."""
    return selected(ref(column) for column in columns)


def selected(outputs: Iterable[exp.Expr], source: exp.Expr | str = SOURCE) -> exp.Select:
    """A SELECT of new expressions, which become part of it: a table may have thousands, and copies take time."""
    return exp.select(*outputs, copy=False).from_(source, copy=False)


def refuse_hidden(columns: Columns, name: str) -> None:
    """Refuses a name that the run itself uses.

    Raises:
        ContractError: a hidden column has this name.
    """
    if (found := columns.find(name)) is not None and found.hidden:
        raise ContractError(f"the column name '{name}' is used by the run itself.", cure="Choose another name.")


def refuse_twice(kind: str, names: Sequence[str]) -> None:
    """Refuses two columns of one name.

    Raises:
        ContractError: a name is there twice; case makes no difference.
    """
    lowered = [name.lower() for name in names]
    if twice := next((name for name in names if lowered.count(name.lower()) > 1), None):
        raise ContractError(f"{kind} would yield column '{twice}' twice.", cure="Give one of them another name.")


def link_columns(links: Mapping[str, Columns], name: str) -> Columns:
    """The columns of a link.

    Raises:
        SqlError: no such link; names the nearest one.
    """
    if name not in links:
        raise SqlError(f"link '{name}' is unknown.", cure=did_you_mean(name, links))
    return links[name]


def link_table(name: str) -> exp.Table:
    """A link as a table, quoted whole: a dot in its name separates nothing."""
    return exp.Table(this=exp.to_identifier(name, quoted=True))
