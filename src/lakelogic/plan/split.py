"""What happens before the split and after it: transformations, declared types, checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.errors import ContractError, ContractInvalid, LakeLogicError, Place, UnknownColumn
from lakelogic.plan import names
from lakelogic.plan.conform import Declared, conform, declared
from lakelogic.plan.intake import take_in
from lakelogic.plan.kept import KeptValues
from lakelogic.plan.stages import Chain, PlannedStep, lookup_step
from lakelogic.plan.storing import excused
from lakelogic.rules import declared as model_rules
from lakelogic.rules.base import Check, Lookup, RowRule
from lakelogic.rules.naming import unique_names
from lakelogic.sql.build import all_of, quoted
from lakelogic.sql.types import UNKNOWN, Columns, is_unknown, parse_type, type_name
from lakelogic.transforms.base import VALID, Step, Transform, project, ref, transforms


@dataclass
class Stage:
    """A chain of steps with the checks on what it yields.

    `excused_by` maps a column to what is true where its own check has failed. A stage that `judges_both` has checks of
    phase post that count only for rows which pass the others.
    """

    chain: Chain
    checks: list[Check] = field(default_factory=list)
    excused_by: dict[str, exp.Expr] = field(default_factory=dict)
    judges_both: bool = False

    @property
    def columns(self) -> Columns:
        return self.chain.columns

    @property
    def errors(self) -> list[Check]:
        """The checks that send a row to quarantine."""
        return [check for check in self.checks if check.severity == "error"]

    def judge(self, column: str, check: Check) -> None:
        """Add a column's own check; where it fails, rules that are NULL because of the column say nothing new."""
        self.checks.append(check)
        failed = exp.not_(exp.paren(check.predicate.copy()))
        others = self.excused_by.get(column.lower())
        self.excused_by[column.lower()] = exp.or_(others, failed) if others is not None else failed

    @property
    def lookups(self) -> dict[str, Lookup]:
        """What checks must find in links, by the flag that tells whether it is there."""
        return {check.lookup.flag: check.lookup for check in self.checks if check.lookup is not None}

    def bring_in(self, lookups: Mapping[str, Lookup]) -> None:
        """Join the links in which checks must find a value."""
        if lookups:
            used = {lookup.link for lookup in lookups.values()}
            self.chain.add("references", lookup_step(self.columns, list(lookups.values())), used)


@dataclass(frozen=True)
class Split:
    """Both stages of a contract, the source's columns that its model does not know, and what of packs is left out."""

    pre: Stage
    post: Stage
    unknown: tuple[str, ...]
    left_out: Mapping[Place, str] = field(default_factory=dict)

    @property
    def steps(self) -> tuple[PlannedStep, ...]:
        """The steps of both stages, in order."""
        return (*self.pre.chain.steps, *self.post.chain.steps)


class SplitBuilder:
    """Builds both stages against the columns that are there, and gathers what is wrong."""

    def __init__(self, loaded: LoadedContract, links: Mapping[str, Columns]) -> None:
        self._loaded = loaded
        self._contract = loaded.model
        self._links = links
        self._problems: list[LakeLogicError] = []
        self._from_packs = {brought.place for brought in loaded.brought}
        self._left_out: dict[Place, str] = {}
        self._model = declared((item.name, item.type) for item in self._contract.model.fields)

    def build(self, source: Columns) -> Split:
        """Both stages.

        Raises:
            ContractInvalid: with every problem that was found.
        """
        pre = Stage(Chain(source, self._links))
        _keep_origin(pre.chain)
        take_in(self._loaded, pre.chain)
        self._preserve_upstream(pre.chain)
        self._transform(pre, "pre")
        made_later = self._made_later(pre.columns)
        early = [item for item in self._model if item.name not in made_later]
        unknown = self._unknown(pre.columns)
        if names.MALFORMED.name in pre.columns:
            pre.checks.insert(0, model_rules.malformed_check(ref(names.MALFORMED), "it does not have the file's form"))
        if unknown and self._contract.schema_policy.unknown_fields == "quarantine":
            pre.checks.append(model_rules.unknown_fields_check(unknown))
        self._conform(pre, early)
        self._field_checks(pre, {item.name for item in early})

        post = self._after(pre.columns)
        self._field_checks(post, made_later)
        self._row_rules(pre, post)
        self._require_order(pre, post)
        if self._problems:
            raise ContractInvalid(self._problems)
        for stage in (pre, post):
            stage.checks = [excused(check, self._loaded, stage.columns) for check in stage.checks]
        return self._joined_up(pre, post, unknown)

    def _joined_up(self, pre: Stage, post: Stage, unknown: tuple[str, ...]) -> Split:
        """Both stages with what their rules find in links, and with the steps that wait for rules."""
        at_once = post.chain.row_wise and bool(post.errors) and not self._waiting("post")
        # A flag is that of the values before the split, or of those after it.
        at_once = at_once and not pre.lookups.keys() & post.lookups.keys()
        pre.bring_in(pre.lookups)
        self._keep_valid(pre, post.errors, "pre")
        if not at_once:
            post.bring_in(post.lookups)
            self._keep_valid(post, (), "post")
        self._name(pre, post)
        if at_once:
            pre = self._judged_at_once(pre, post)
            post = Stage(Chain(pre.columns, self._links))
        return Split(pre, post, unknown, self._left_out)

    def _waiting(self, phase: str) -> list[tuple[int, Transform]]:
        return [(at, item) for at, item in self._of_phase(phase) if item.waits_for_rules]

    def _of_phase(self, phase: str) -> list[tuple[int, Transform]]:
        return [(at, item) for at, item in enumerate(self._contract.transformations) if item.phase == phase]

    def _keep_valid(self, stage: Stage, judged_later: Sequence[Check], phase: str) -> None:
        """Add the steps that must know which rows are good, after the rules that tell it."""
        for position, transform in self._waiting(phase):
            place = self._loaded.place("transformations", position)
            if judged_later:
                raise ContractError(
                    f"{transform.kind} in phase pre can't prefer valid rows: '{judged_later[0].name}' is judged later.",
                    cure="Give it phase: post.",
                    place=place,
                )
            passed = all_of(exp.true(), *(exp.paren(check.predicate.copy()) for check in stage.errors))
            flag = exp.func("COALESCE", exp.paren(passed), exp.false())
            step = project(stage.columns, {VALID.name: flag})
            stage.chain.add("valid rows", replace(step, columns=stage.columns.with_(VALID)))
            self._add_step(stage, position, transform)
            # Nobody else may ask for it: after the next step it would no longer be true.
            stage.chain.columns = stage.columns.without([VALID.name])

    def _after(self, columns: Columns) -> Stage:
        """What follows the split: transformations, then the declared types of what they made."""
        post = Stage(Chain(columns, self._links))
        self._transform(post, "post")
        self._conform(post, [item for item in self._model if item.name in post.columns])
        self._keep_newest(post)
        return post

    def _keep_newest(self, post: Stage) -> None:
        """`merge_dedup_guard`: of repeated keys in the batch, only the newest is merged."""
        if not self._contract.materialization.merge_dedup_guard:
            return
        source = self._loaded.source
        newest_by = (source.watermark_field or source.cdc_timestamp_field) if source else None
        if newest_by is None:
            raise ContractError(
                "merge_dedup_guard needs a column that tells which row is the newest.",
                cure="Name it as source.watermark_field.",
                place=self._loaded.place("materialization", "merge_dedup_guard"),
            )
        body = {"on": list(self._loaded.primary_key), "sort_by": [newest_by], "phase": "post"}
        guard = transforms.get("deduplicate").model_validate(body)
        post.chain.transform("merge_dedup_guard", guard, self._loaded.place("materialization", "merge_dedup_guard"))

    def _judged_at_once(self, pre: Stage, post: Stage) -> Stage:
        """Both stages as one, where each row stays one row: bad rows of both are then found in a single pass.

        The values before the split are kept under names of their own, and what comes after it is judged only for
        rows that passed before.
        """
        kept = KeptValues.of(pre.columns)
        later = self._after(kept.columns)
        pre.chain.add("values before the split", kept.step)
        pre.chain.steps += later.chain.steps
        pre.chain.columns = later.columns
        checks = [
            *(kept.check(check) for check in pre.checks),
            *(replace(check, phase="post") for check in post.checks),
        ]
        excuses = {kept.name(name).lower(): kept.expression(tree) for name, tree in pre.excused_by.items()}
        both = Stage(pre.chain, checks, {**excuses, **post.excused_by}, judges_both=True)
        both.bring_in(post.lookups)
        return both

    def _unknown(self, columns: Columns) -> tuple[str, ...]:
        known = {item.name.lower() for item in self._model}
        return tuple(c.name for c in columns.visible if known and c.name.lower() not in known)

    def _preserve_upstream(self, chain: Chain) -> None:
        lineage = self._contract.lineage
        found = (chain.columns.find(name) for name in lineage.preserve_upstream)
        kept = {column.name: f"{lineage.upstream_prefix}{column.name}" for column in found if column is not None}
        if lineage.enabled and kept:
            out = [exp.alias_(ref(c), exp.to_identifier(kept.get(c.name, c.name), quoted=True)) for c in chain.columns]
            chain.add("upstream lineage", Step(exp.select(*out).from_("source"), chain.columns.rename(kept)))

    def _transform(self, stage: Stage, phase: str) -> None:
        waiting = False
        for position, transform in self._of_phase(phase):
            if waiting:
                raise ContractError(
                    "nothing of its phase may follow a deduplication with prefer: valid, which waits for the rules.",
                    cure="Put it before the deduplication.",
                    place=self._loaded.place("transformations", position),
                )
            waiting = transform.waits_for_rules
            if not waiting:
                self._add_step(stage, position, transform)

    def _add_step(self, stage: Stage, position: int, transform: Transform) -> None:
        place = self._loaded.place("transformations", position)
        try:
            stage.chain.transform(f"{position + 1}. {transform.kind}", transform.over(self._loaded.name), place)
        except UnknownColumn as error:
            if not self._leave_out(place, error):
                raise
        else:
            stage.checks.extend(transform.checks(stage.columns))

    def _made_later(self, columns: Columns) -> set[str]:
        """Fields of the model that only a post transformation makes."""
        missing = {item.name for item in self._model if item.name not in columns}
        trial = Stage(Chain(columns, self._links))
        try:
            if missing:
                self._transform(trial, "post")
        except LakeLogicError:
            # A transformation reads a column that is missing and optional: it will be there as NULL.
            return set()
        return {name for name in missing if name in trial.columns}

    def _conform(self, stage: Stage, model: Iterable[Declared]) -> None:
        result = conform(stage.columns, model)
        if result.step is None:
            return
        stage.chain.add("declared types", result.step)
        for name in result.fallible:
            read, cast = ref(names.as_read(name)), ref(name)
            stage.judge(name, model_rules.type_check(name, read, cast, result.columns.get(name).type))

    def _field_checks(self, stage: Stage, wanted: set[str]) -> None:
        for position, item in enumerate(self._contract.model.fields):
            if item.name not in wanted:
                continue
            name = stage.columns.get(item.name).name
            if item.must_be_present and self._contract.quality.enforce_required:
                stage.judge(name, _required(name, stage.columns))
            place = self._loaded.place("model", "fields", position)
            for rule in model_rules.field_rules(item):
                self._add(rule, place, stage)

    def _require_order(self, pre: Stage, post: Stage) -> None:
        """A change without a time can't be put in order, so its row is quarantined as if the field were required."""
        name = self._loaded.ordered_by
        declared = {item.name.lower() for item in self._contract.model.fields if item.must_be_present}
        if name is None or (name.lower() in declared and self._contract.quality.enforce_required):
            return
        stage = pre if name in pre.columns else post
        try:
            column = stage.columns.visible.get(name).name
        except LakeLogicError as error:
            self._problems.append(error.at(self._loaded.place("source", "cdc_timestamp_field")))
            return
        stage.judge(column, _required(column, stage.columns))

    def _row_rules(self, pre: Stage, post: Stage) -> None:
        for position, rule in enumerate(self._contract.quality.row_rules):
            place = self._loaded.place("quality", "row_rules", position)
            self._add(rule.over(self._loaded.name), place, pre, post)

    def _add(self, rule: RowRule, place: Place, *stages: Stage) -> None:
        """Judge a rule as early as its columns are there, unless it names its phase."""
        if len(stages) > 1 and rule.phase is not None:
            stages = (stages[0] if rule.phase == "pre" else stages[1],)
        errors = []
        for stage in stages:
            try:
                checks = rule.checks(stage.columns)
                links = [check.lookup.spelt(self._links) if check.lookup else None for check in checks]
            except LakeLogicError as error:
                errors.append(error)
            else:
                found = zip(checks, links, strict=True)
                stage.checks.extend(replace(check, lookup=link, place=place) for check, link in found)
                return
        if not self._leave_out(place, *errors):
            self._problems.append(errors[0].at(place))

    def _leave_out(self, place: Place, *errors: LakeLogicError) -> bool:
        """Leaves out what a policy pack brought for columns that are not there; whether it is of that kind."""
        if place not in self._from_packs or not all(isinstance(error, UnknownColumn) for error in errors):
            return False
        self._left_out[place] = errors[0].message
        return True

    def _name(self, *stages: Stage) -> None:
        everything = [check for stage in stages for check in stage.checks]
        fresh = iter(unique_names([check.name for check in everything]))
        for stage in stages:
            stage.checks = [replace(check, name=next(fresh)) for check in stage.checks]


def _keep_origin(chain: Chain) -> None:
    """Keep the row as it was read: as a struct, which costs next to nothing until it is written as JSON."""
    visible = chain.columns.visible
    if not visible.items:
        return
    struct = exp.Anonymous(this="STRUCT", expressions=[ref(column) for column in visible])
    step = project(chain.columns, {names.RAW.name: struct})
    chain.add("origin", Step(step.select, chain.columns.with_(replace(names.RAW, type=_struct_of(visible)))))


def _struct_of(columns: Columns) -> exp.DataType:
    if any(is_unknown(column.type) for column in columns):
        return UNKNOWN
    return parse_type("struct<" + ",".join(f"{quoted(c.name)}:{type_name(c.type)}" for c in columns) + ">")


def _required(name: str, columns: Columns) -> Check:
    """A value that was there but could not be cast is a type mismatch, not a missing value."""
    read = names.as_read(name)
    return model_rules.required_check(name, ref(read) if read.name in columns else None)
