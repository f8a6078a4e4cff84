"""What happens before the split and after it: transformations, declared types, checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.errors import ContractInvalid, LakeLogicError
from lakelogic.plan import names
from lakelogic.plan.conform import Declared, conform, declared
from lakelogic.plan.stages import Chain, lookup_step
from lakelogic.rules import declared as fields
from lakelogic.rules.base import Check
from lakelogic.sql.types import STRING, Column, Columns
from lakelogic.transforms.base import Step, project, ref


@dataclass
class Stage:
    """A chain of steps with the checks on what it yields."""

    chain: Chain
    checks: list[Check] = field(default_factory=list)
    excused_by: dict[str, exp.Expression] = field(default_factory=dict)

    @property
    def columns(self) -> Columns:
        return self.chain.columns

    def close(self) -> None:
        """Bring in the flags that checks need of links."""
        lookups = {check.lookup.flag: check.lookup for check in self.checks if check.lookup is not None}
        if lookups:
            used = {lookup.link for lookup in lookups.values()}
            self.chain.add("references", lookup_step(self.columns, list(lookups.values())), used)


@dataclass(frozen=True)
class Split:
    """Both stages of a contract, and the columns of the source that its model does not know."""

    pre: Stage
    post: Stage
    unknown: tuple[str, ...]


def build_split(loaded: LoadedContract, source: Columns, links: Mapping[str, Columns]) -> Split:
    """Both stages, checked against the columns that are there.

    Raises:
        ContractInvalid: with every problem that was found.
    """
    model = declared((item.name, item.type) for item in loaded.model.model.fields)
    chain = Chain(source, links)
    _origin(chain)
    _preserve_upstream(loaded, chain)
    _transform(loaded, chain, "pre")
    made_later = _made_later(loaded, chain, model)
    present = [item for item in model if item.name not in made_later]
    known = {item.name.lower() for item in model}
    unknown = tuple(c.name for c in chain.columns.visible if known and c.name.lower() not in known)
    missing = {item.name for item in present if item.name not in chain.columns}
    pre = _conformed(Stage(chain), present)
    _field_checks(loaded, pre, [item.name for item in present], missing, unknown)

    post = Stage(Chain(pre.columns, links))
    _transform(loaded, post.chain, "post")
    post = _conformed(post, [item for item in model if item.name in post.columns])
    _field_checks(loaded, post, sorted(made_later), set(), ())
    _row_rules(loaded, pre, post)
    pre.close()
    # The flags that pre checks needed are of no use after the split.
    post.chain = _rebased(post.chain, pre.columns)
    post.close()
    return Split(pre, post, unknown)


def _origin(chain: Chain) -> None:
    """Keep the row as it was read, as JSON; it costs nothing where nobody asks for it."""
    visible = chain.columns.visible
    if not visible.items:
        return
    whole = exp.Anonymous(
        this="TO_JSON",
        expressions=[
            exp.Anonymous(this="STRUCT", expressions=[ref(column) for column in visible]),
            exp.Anonymous(this="MAP", expressions=[exp.Literal.string("ignoreNullFields"), exp.Literal.string("false")]),
        ],
    )
    if names.MALFORMED.name in chain.columns:
        whole = exp.func("COALESCE", ref(names.MALFORMED), whole)
    step = project(chain.columns, {names.RAW.name: whole})
    chain.add("origin", Step(step.select, chain.columns.with_(names.RAW)))


def _preserve_upstream(loaded: LoadedContract, chain: Chain) -> None:
    lineage = loaded.model.lineage
    kept = {
        column.name: f"{lineage.upstream_prefix}{column.name}"
        for wanted in lineage.preserve_upstream
        if (column := chain.columns.find(wanted)) is not None
    }
    if lineage.enabled and kept:
        out = [exp.alias_(ref(c), exp.to_identifier(kept.get(c.name, c.name), quoted=True)) for c in chain.columns]
        chain.add("upstream lineage", Step(exp.select(*out).from_("source"), chain.columns.rename(kept)))


def _transform(loaded: LoadedContract, chain: Chain, phase: str) -> None:
    for position, transform in enumerate(loaded.model.transformations):
        if transform.phase == phase:
            name = f"{position + 1}. {transform.kind}"
            chain.transform(name, transform, loaded.place("transformations", position))


def _made_later(loaded: LoadedContract, chain: Chain, model: Sequence[Declared]) -> set[str]:
    """Fields of the model that only a post transformation makes."""
    missing = {item.name for item in model if item.name not in chain.columns}
    if not missing:
        return set()
    trial = Chain(chain.columns, chain.links)
    try:
        _transform(loaded, trial, "post")
    except LakeLogicError:
        # A transformation reads a column that is missing and optional: it will be there as NULL.
        return set()
    return {name for name in missing if name in trial.columns}


def _conformed(stage: Stage, model: Iterable[Declared]) -> Stage:
    result = conform(stage.columns, model, keep_read=True)
    if result.step is not None:
        stage.chain.add("declared types", result.step)
    for name in result.fallible:
        stage.checks.append(fields.type_check(name, ref(names.as_read(name)), ref(name), result.columns.get(name).type))
        stage.excused_by[name.lower()] = ref(name).is_(exp.null())
    return stage


def _field_checks(
    loaded: LoadedContract, stage: Stage, wanted: Sequence[str], missing: set[str], unknown: Sequence[str]
) -> None:
    checks: list[Check] = []
    if names.MALFORMED.name in stage.columns and stage.columns.find(names.FILE.name) and not stage.chain.links is None:
        pass
    for position, item in enumerate(loaded.model.model.fields):
        if item.name not in wanted:
            continue
        column = stage.columns.get(item.name)
        if item.must_be_present and loaded.model.quality.enforce_required:
            read = names.as_read(column.name)
            present = ref(read) if read.name in stage.columns else ref(column)
            checks.append(fields.required_check(column.name, present))
            stage.excused_by[column.name.lower()] = ref(column).is_(exp.null())
        try:
            checks.extend(fields.field_checks(item, stage.columns))
        except LakeLogicError as error:
            raise error.at(loaded.place("model", "fields", position)) from None
    stage.checks.extend(checks)
