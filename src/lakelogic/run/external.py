"""Rows that the user's own code makes of the source: governed like any others from there on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.contract.logic import ExternalLogic
from lakelogic.engines.base import Engine
from lakelogic.engines.opening import engines
from lakelogic.errors import ContractError, LakeLogicError
from lakelogic.formats.base import refuse_repeated
from lakelogic.plan.model import CODE, ReadPlan
from lakelogic.plan.names import FILE, MALFORMED, POSITION
from lakelogic.run.inputs import Input, described
from lakelogic.run.links import read_links
from lakelogic.run.user_code import UserCode, read_code
from lakelogic.sql.build import has_value, is_null, ref
from lakelogic.sql.types import Columns
from lakelogic.state.claims import Pinned
from lakelogic.transforms.base import SOURCE, named


def refuse_external_logic(loaded: LoadedContract) -> None:
    """For places that must not run a contract's own code, such as a server.

    Raises:
        ContractError: the contract has some.
    """
    if loaded.model.external_logic is not None:
        raise ContractError(
            "external_logic runs code of the contract's project, which is not allowed here.",
            cure="Run it from the command line: lakelogic run.",
            place=loaded.place("external_logic"),
        )


def with_external_logic(loaded: LoadedContract, found: Input) -> Input:
    """The input as it is, or as the contract's own code makes it.

    Raises:
        ContractError: the code is not there, lies outside of the project, or is no Python.
    """
    logic = loaded.model.external_logic
    if logic is None:
        return found
    try:
        code = read_code(logic, loaded.directory, loaded.project.root)
    except LakeLogicError as error:
        raise error.at(loaded.place("external_logic", "path")) from None
    # What the code is belongs to the plan: other code makes other rows of the same input.
    asked = json.dumps([logic.entrypoint, logic.args], sort_keys=True, default=str)
    options = (("external_logic", logic.path), (CODE, code.digest), ("external_logic_call", asked))
    return MadeInput(found, loaded, logic, code, replace(found.read, options=(*found.read.options, *options)))


@dataclass(frozen=True)
class MadeInput:
    """Another input, and the code that makes rows of it."""

    inner: Input
    loaded: LoadedContract
    logic: ExternalLogic
    code: UserCode
    read: ReadPlan
    columns: Columns = field(default_factory=Columns)
    made: Any = None
    rows: int | None = None

    @property
    def pinned(self) -> Pinned:
        return self.inner.pinned

    @property
    def is_empty(self) -> bool:
        return self.inner.is_empty

    @property
    def newest_ns(self) -> int | None:
        return self.inner.newest_ns

    def guessed(self) -> Columns | None:
        return None

    def known(self) -> MadeInput | None:
        return None

    def everything(self) -> MadeInput:
        return replace(self, inner=self.inner.everything())

    def shaped(self, engine: Engine[Any]) -> MadeInput:
        """Call the code: only the frame that it returns tells its columns."""
        inner = self.inner.shaped(engine)
        try:
            made = self._call(self._readable(inner.frame(engine), inner.columns, engine), engine)
            columns = _columns(engine.frame_columns(made))
        except LakeLogicError as error:
            raise error.at(self.loaded.place("external_logic")) from None
        if MALFORMED.name in inner.columns:
            columns = Columns((*columns, FILE, POSITION, MALFORMED))
        read = described(replace(self.read, format=inner.read.format, reason=inner.read.reason), columns)
        return replace(self, inner=inner, columns=columns, made=engine.adopt(made), read=read)

    def frame(self, engine: Engine[Any]) -> Any:
        """The rows, computed once: code need not give the same twice."""
        made = engine.hold(self.made)
        if MALFORMED.name not in self.columns:
            return made
        own = self.columns.visible
        origin = named(FILE.name, exp.Literal.string(self.read.location))
        made = self._select(exp.select(*(ref(column) for column in own), origin).from_(SOURCE), made, own, engine)
        # A record that could not be read is nobody's to reshape: it goes round the code, to be quarantined.
        broken = exp.select(ref(FILE), ref(POSITION), ref(MALFORMED)).from_(SOURCE).where(has_value(ref(MALFORMED)))
        return engine.union([made, self._select(broken, self.inner.frame(engine), self.inner.columns, engine)])

    def rows_before(self, engine: Engine[Any]) -> int | None:
        if self.inner.rows is not None:
            return self.inner.rows
        count = exp.select(named("rows", exp.Count(this=exp.Literal.number(1)))).from_(SOURCE)
        sql = engines.get(engine.name).render(count, self.inner.columns, {})
        return int(str(engine.measure(sql, {"source": self.inner.frame(engine)})["rows"]))

    def _readable(self, source: Any, columns: Columns, engine: Engine[Any]) -> Any:
        """The rows that the code gets: those that could be read, with their own columns."""
        wanted = exp.select(*(ref(column) for column in columns.visible)).from_(SOURCE)
        if MALFORMED.name in columns:
            wanted = wanted.where(is_null(ref(MALFORMED)))
        return self._select(wanted, source, columns, engine)

    def _select(self, tree: exp.Select, source: Any, columns: Columns, engine: Engine[Any]) -> Any:
        return engine.select(engines.get(engine.name).render(tree, columns, {}), {"source": source})

    @property
    def _has_private(self) -> bool:
        return any(item.is_personal or item.is_masked for item in self.loaded.model.model.fields)

    def _call(self, frame: Any, engine: Engine[Any]) -> Any:
        if self.logic.engine not in (None, engine.name):
            raise ContractError(
                f"external_logic is written for {self.logic.engine}, and this run uses {engine.name}.",
                cure=f"Run with --engine {self.logic.engine}.",
            )
        links = {name: engine.handed(link.frame) for name, link in read_links(self.loaded, engine).items()}
        return self.code.call(self.logic, engine.handed(frame), links, engine.name, private=self._has_private)


def _columns(returned: Columns) -> Columns:
    refuse_repeated("the frame of external_logic", returned)
    if reserved := next((name for name in returned.names if name.lower().startswith("_ll_")), None):
        raise ContractError(
            f"external_logic returns column '{reserved}', and names with _ll_ are the run's own.",
            cure="Choose another name.",
        )
    return returned
