"""From a contract and the columns of its input to a plan. Pure: reads no data, starts no engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.errors import ContractError, ContractInvalid, LakeLogicError, Place, SourceError, UnknownColumn
from lakelogic.masks.base import Secret
from lakelogic.plan import accounts, names
from lakelogic.plan.again import How, once_more, resolving
from lakelogic.plan.judge import bad_rows, good_rows, original_name
from lakelogic.plan.lineage import Outline
from lakelogic.plan.locations import Location
from lakelogic.plan.model import (
    AuditPlan,
    CheckPlan,
    LinkPlan,
    Plan,
    PolicyPlan,
    QuestionsPlan,
    ReadPlan,
    StagePlan,
    StepPlan,
    TablePlan,
)
from lakelogic.plan.privacy import Privacy
from lakelogic.plan.publish import published, quarantined
from lakelogic.plan.reprocess import made_anew
from lakelogic.plan.rows import Slice
from lakelogic.plan.split import Split, SplitBuilder, Stage
from lakelogic.plan.stamps import lineage_columns
from lakelogic.plan.storing import Render, asked_of, changes_plan, stored_columns, table_columns
from lakelogic.plan.tables import identity_of, quarantine_table, secondary_tables, target_of, target_table
from lakelogic.rules.base import Audit, Check, dataset_rules
from lakelogic.sql.annotate import output_columns
from lakelogic.sql.types import BINARY, Column, Columns, is_unknown
from lakelogic.write.base import Lowered, Rows, strategies
from lakelogic.write.operations import MergeRows, Operation


@dataclass(frozen=True)
class Given:
    """What the outside tells the planner: the input's columns, the links, the engine's rendering of SQL, the masking key.

    `again` tells that the input is rows of quarantine, and how they are to be taken.
    """

    read: ReadPlan
    columns: Columns
    engine: str
    render: Render
    links: Mapping[str, tuple[LinkPlan, Columns]] = field(default_factory=dict)
    target: Location | None = None
    key_id: str | None = None
    part: Slice | None = None
    again: How | None = None


def build_plan(loaded: LoadedContract, given: Given) -> Plan:
    """The plan of a run.

    Raises:
        ContractInvalid: the contract does not fit the columns that are there; names every problem.
    """
    return _planner(loaded, given).plan()


def build_outline(loaded: LoadedContract, given: Given) -> Outline:
    """What of the plan decides where columns come from: much less work than all of it.

    Raises:
        ContractInvalid: as `build_plan` does, but for dataset rules and keys.
    """
    return _planner(loaded, given).outline()


def _planner(loaded: LoadedContract, given: Given) -> _Planner:
    link_columns = {name: columns for name, (_, columns) in given.links.items()}
    split = SplitBuilder(loaded, link_columns).build(given.columns)
    split = once_more(split, given.again) if given.again else split
    return _Planner(loaded, given, split, link_columns)


class _Planner:
    """Puts the parts of a plan together."""

    def __init__(self, loaded: LoadedContract, given: Given, split: Split, links: Mapping[str, Columns]) -> None:
        self._loaded = loaded
        self._contract = loaded.model
        self._given = given
        self._split = split
        self._left_out = dict(split.left_out)
        self._links = links
        self._target = target_of(loaded, given.target)
        self._strategy = strategies.get(self._contract.materialization.strategy)()
        matched_by = frozenset(key.lower() for key in loaded.primary_key) if self._strategy.needs_key else frozenset()
        self._privacy = Privacy(loaded, split, matched_by, has_key=given.key_id is not None)
        self._out = self._output_columns()
        self._masks = self._privacy.masks_of(self._out)
        self._privacy.refuse_clear_copies(self._out)
        self._secrets = self._privacy.secrets(self._masks)
        keys = Columns(tuple(Column(Secret(name).column_name, BINARY) for name in self._secrets))
        self._relations = {**links, names.KEYS: keys}

    def plan(self) -> Plan:
        contract, again = self._contract, self._given.again is not None
        stamps, insert_only = lineage_columns(self._loaded, self._given.read, self._out)
        audits = self._audits()
        good = published(self._out, self._masks, stamps)
        lowered, stored = self._lowered(good, stamps, insert_only)
        target, quarantine = self._table(lowered, stored), self._quarantine_table()
        if again:
            target = replace(target, operation=target.operation.for_some_rows())
            quarantine = resolving(quarantine) if quarantine else None
        pre_bad, post_bad = self._split.pre.columns, self._split.post.columns
        plan = Plan(
            contract=self._loaded.name,
            layer=self._loaded.layer,
            identity=identity_of(self._loaded, self._target),
            engine=self._given.engine,
            read=self._given.read,
            links=tuple(link for link, _ in self._given.links.values()),
            pre=self._stage(self._split.pre, pre_bad, "pre"),
            post=self._stage(self._split.post, post_bad, "post"),
            audits=tuple(self._audit(audit) for audit in audits),
            publish=self._render(_stored(good, lowered), self._out),
            target=target,
            quarantine=quarantine,
            secondary=self._secondary(self._rows(stored, stamps, insert_only), lowered, quarantine),
            masks=tuple((name, mask.kind) for name, mask in self._masks.items()),
            lineage=tuple(stamps),
            secrets=self._secrets,
            fail_on_quarantine=not again
            and (contract.quarantine.fail_on_quarantine or not contract.quarantine.enabled),
            max_quarantine_ratio=None if again else contract.quarantine.max_ratio,
            audits_block_write=contract.quality.fail_pipeline_on_dataset_error,
            hide=self._privacy.hidden(),
            notes=self._notes(),
            policies=self._policies(),
        )
        found_by_key = self._is_found_by_key((*plan.unique_by, *self._told_apart_by(plan)))
        key_id = self._given.key_id if found_by_key else None
        return replace(plan, questions=self._questions(audits, plan), key_id=key_id)

    def outline(self) -> Outline:
        stamps, insert_only = lineage_columns(self._loaded, self._given.read, self._out)
        good = published(self._out, self._masks, stamps)
        lowered, stored = self._lowered(good, stamps, insert_only)
        steps = (step.select for _, step, _, _ in self._split.steps)
        shape = (lowered.changes.shape,) if lowered.changes else ()
        columns = table_columns(lowered, stored)
        return Outline((*steps, _stored(good, lowered), *shape), columns, tuple(self._masks), self._privacy.hidden())

    def _output_columns(self) -> Columns:
        """Good rows as they leave the last step; unknown columns of the source are dropped here if so asked."""
        columns = self._split.post.columns
        if self._contract.schema_policy.unknown_fields == "drop":
            columns = columns.without(self._split.unknown)
        if not columns.visible.names:
            cure = "Declare model.fields, or wait for a file that has some."
            raise SourceError(f"{self._given.read.location} has no columns, and the contract declares none.", cure=cure)
        return columns

    def _stage(self, stage: Stage, columns: Columns, name: str) -> StagePlan:
        render = self._render
        steps = tuple(
            StepPlan(title, render(step.select, before, step.place), links, step.effect, step.row_wise)
            for title, step, before, links in stage.chain.steps
        )
        checks = tuple(_check(c, render(c.predicate, columns, c.place), name) for c in stage.checks)
        errors = stage.errors
        if not errors:
            return StagePlan(steps, checks)
        bad = bad_rows(errors, columns, stage.excused_by, in_turn=stage.judges_both)
        bad_columns = _bad_columns(columns)
        stored = quarantined(self._kept(columns), bad_columns, self._privacy.masks_of(columns), self._privacy.original)
        return StagePlan(
            steps,
            checks,
            good=render(good_rows(errors, columns), columns),
            bad=render(bad, columns),
            quarantine=render(stored, bad_columns),
        )

    def _kept(self, columns: Columns) -> Columns:
        """The columns of quarantine: the model's, or all where there is no model."""
        declared = Columns(tuple(Column(item.name) for item in self._contract.model.fields))
        return (declared if declared.items else columns.visible).without(names.RESERVED)

    def _told_apart_by(self, plan: Plan) -> tuple[str, ...]:
        """Columns whose change makes a new version, which another masking key must not do."""
        operation = plan.target.operation
        return operation.compare or () if self._strategy.keeps_history and isinstance(operation, MergeRows) else ()

    def _is_found_by_key(self, keys: Sequence[str]) -> bool:
        """Whether rows of a table are found by a value that is masked with a key."""
        found_by = {name.lower() for name in keys}
        return any(mask.secrets for name, mask in self._masks.items() if name.lower() in found_by)

    def _audits(self) -> list[Audit]:
        # Dataset rules are about a whole batch, and rows of quarantine are none.
        if self._given.again:
            return []
        rules = [rule.over(self._loaded.name) for rule in self._contract.quality.dataset_rules]
        audits: list[Audit] = []
        problems: list[LakeLogicError] = []
        for position, rule in enumerate(rules):
            place = self._loaded.place("quality", "dataset_rules", position)
            try:
                audits.append(replace(rule.audit(self._out.visible, self._links), place=place))
            except LakeLogicError as error:
                if isinstance(error, UnknownColumn) and place in {brought.place for brought in self._loaded.brought}:
                    self._left_out[place] = error.message
                else:
                    problems.append(error.at(place))
        keys = [self._key(name, problems) for name in self._loaded.primary_key]
        if problems:
            raise ContractInvalid(problems)
        if keys and not self._strategy.needs_key:
            unique = dataset_rules.get("unique").model_validate({"columns": keys}).audit(self._out.visible)
            if unique.name not in {audit.name for audit in audits}:
                audits.append(unique)
        return audits

    def _questions(self, audits: Sequence[Audit], plan: Plan) -> QuestionsPlan:
        keys, each_once = plan.unique_by, plan.each_once
        measure = accounts.measured(audits, keys, each_once=each_once)
        again = accounts.repeated(keys) if each_once else None
        questions = QuestionsPlan(
            measure=self._render(measure, self._out) if measure else None,
            repeated_keys=self._render(again, self._out) if again else None,
        )
        failing = [stage for stage in (self._split.pre, self._split.post) if stage.errors]
        if not failing:
            return questions
        kept = Columns().with_(*(column for stage in failing for column in self._kept(stage.columns)))
        stored = accounts.quarantine_columns(kept)
        judged = {name.lower() for stage in failing for check in stage.checks for name in _columns_read(check)}
        before = [check.name for check in self._split.pre.checks]
        return replace(
            questions,
            any_bad=self._render(accounts.any_bad(), accounts.REASON_COLUMNS),
            tally=self._render(accounts.tally(kept, judged), stored),
            quarantined=self._render(accounts.quarantined(), stored),
            failed_before=self._render(accounts.failed_before(before), stored) if before else None,
        )

    def _render(self, tree: exp.Expr, columns: Columns, place: Place | None = None) -> str:
        try:
            return self._given.render(tree, columns, self._relations)
        except LakeLogicError as error:
            raise error.at(place) from None

    def _key(self, name: str, problems: list[LakeLogicError]) -> str:
        try:
            return self._out.visible.get(name).name
        except LakeLogicError as error:
            problems.append(error.at(self._loaded.key_place))
            return name

    def _audit(self, audit: Audit) -> AuditPlan:
        return AuditPlan(
            audit.name,
            self._render(audit.tree, self._out, audit.place),
            audit.message,
            audit.category,
            audit.severity,
            audit.low,
            audit.high,
            audit.low_open,
            audit.high_open,
            whole_query=audit.measure is None,
        )

    def _lowered(
        self, good: exp.Select, stamps: Mapping[str, exp.Expr], insert_only: Sequence[str]
    ) -> tuple[Lowered, Columns]:
        """The strategy for rows with these columns."""
        columns = output_columns(good, self._out, self._relations)
        rows = self._rows(columns, stamps, insert_only)
        try:
            self._refuse_masked_order()
            asked = asked_of(self._loaded, rows)
            # What is not among rows of quarantine is not gone.
            asked = replace(asked, reconcile=None) if self._given.again else asked
            lowered = self._strategy.lower(asked)
            return replace(lowered, operation=self._of_slice(lowered.operation, columns)), columns
        except LakeLogicError as error:
            raise error.at(self._loaded.place("materialization")) from None

    def _refuse_masked_order(self) -> None:
        masked = {name.lower() for name in self._masks}
        if (time := self._loaded.ordered_by) is not None and time.lower() in masked:
            raise ContractError(f"'{time}' is masked, so changes can't be put in its order.", cure="Leave it unmasked.")

    def _rows(self, columns: Columns, stamps: Mapping[str, exp.Expr], insert_only: Sequence[str]) -> Rows:
        keys = tuple(self._out.visible.get(name).name for name in self._loaded.primary_key)
        return Rows(keys, self._comparable(keys, stamps), tuple(insert_only), columns, tuple(stamps))

    def _table(self, lowered: Lowered, columns: Columns) -> TablePlan:
        strategy = self._contract.materialization.strategy
        changes = changes_plan(lowered, columns, self._target, self._given.render)
        plain = TablePlan(self._target.text, self._target.is_name, strategy, lowered.operation, changes=changes)
        return target_table(self._loaded, plain, table_columns(lowered, columns), self._render)

    def _secondary(self, rows: Rows, lowered: Lowered, quarantine: TablePlan | None) -> tuple[TablePlan, ...]:
        taken = (self._target, Location(quarantine.location)) if quarantine else (self._target,)
        columns = stored_columns(lowered, rows.columns)
        tables = secondary_tables(self._loaded, rows, columns, self._render, taken)
        if self._given.again:
            tables = tuple(replace(table, operation=table.operation.for_some_rows()) for table in tables)
        return tuple(replace(table, operation=self._of_slice(table.operation, columns)) for table in tables)

    def _of_slice(self, operation: Operation, columns: Columns) -> Operation:
        return made_anew(operation, self._given.part, self._loaded, columns, self._masks)

    def _comparable(self, keys: Sequence[str], stamps: Mapping[str, exp.Expr]) -> tuple[str, ...] | None:
        """Columns that tell whether a row has changed; None where that can't be told, so that every match is updated."""
        lowered = {name.lower() for name in (*keys, *stamps)}
        compared = [column for column in self._out.visible if column.name.lower() not in lowered]
        random = any(mask.reversible and not mask.joinable for mask in self._masks.values())
        if random or not all(_is_comparable(column.type) for column in compared):
            return None
        return tuple(column.name for column in compared)

    def _quarantine_table(self) -> TablePlan | None:
        if not (self._split.pre.checks or self._split.post.checks):
            return None
        return quarantine_table(self._loaded, self._target)

    def _policies(self) -> tuple[PolicyPlan, ...]:
        return tuple(
            PolicyPlan(each.pack, each.what, str(each.place), each.left_out or self._left_out.get(each.place))
            for each in self._loaded.brought
        )

    def _notes(self) -> tuple[str, ...]:
        notes = [str(note) for note in self._loaded.notes]
        notes += [note for _, step, _, _ in self._split.steps for note in step.notes]
        if self._privacy.original == "empty":
            notes.append("LAKELOGIC_PII_KEY is not set: quarantine keeps no original rows of this contract.")
        return tuple(notes)


def _stored(good: exp.Select, lowered: Lowered) -> exp.Query:
    """Good rows with what the strategy adds to each of them."""
    if lowered.stored is None:
        return good
    return lowered.stored.transform(
        lambda node: good.subquery("source") if isinstance(node, exp.Table) and node.name == "source" else node
    )


def _columns_read(check: Check) -> tuple[str, ...]:
    """The user's columns that a check reads."""
    reads = {column.name for column in check.predicate.find_all(exp.Column)}
    plain = sorted({name.removeprefix("_ll_pre_").removeprefix("_ll_read_") for name in reads})
    return tuple(name for name in plain if not name.startswith("_ll_"))


def _check(check: Check, sql: str, stage: str) -> CheckPlan:
    return CheckPlan(
        check.name,
        sql,
        check.message,
        check.category,
        check.severity,
        check.label,
        "post" if "post" in (stage, check.phase) else "pre",
        _columns_read(check),
    )


def _is_comparable(data_type: exp.DataType) -> bool:
    """Spark can't compare maps."""
    return not is_unknown(data_type) and all(
        part.this != exp.DataType.Type.MAP for part in data_type.find_all(exp.DataType)
    )


def _bad_columns(columns: Columns) -> Columns:
    """The columns of a bad row: as read where a cast failed, and the reasons."""
    kept = []
    for column in columns.visible.without(names.REASONS):
        original = columns.get(original_name(column.name, columns))
        kept.append(Column(column.name, original.type))
    origin = (columns.get(column.name) for column in names.ORIGIN if column.name in columns)
    return Columns((*kept, *accounts.REASON_COLUMNS, *origin))
