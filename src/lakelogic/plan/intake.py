"""Rows as they come in: all as text, structs as columns of their own, columns read out of free text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.contract.logic import Extraction
from lakelogic.errors import ContractError, LakeLogicError, did_you_mean
from lakelogic.plan.stages import Chain
from lakelogic.sql.build import call
from lakelogic.sql.convert import as_text, convert, members
from lakelogic.sql.types import STRING, Column, Columns, parse_type, type_name
from lakelogic.transforms.base import SOURCE, Step, named, project, ref, refuse_hidden, refuse_twice

_OF_REGEX = {"provider", "text_column", "patterns", "output_schema"}


def take_in(loaded: LoadedContract, chain: Chain) -> None:
    """Add what the contract asks of rows before its first transformation.

    Raises:
        ContractError: it names something that is not there, or can't be done; told with its place.
    """
    source, server, extraction = loaded.source, loaded.model.server, loaded.model.extraction
    try:
        if server is not None and server.cast_to_string:
            chain.add("as text", _all_text(chain.columns))
        if source is not None and source.flatten_nested:
            chain.add("flatten", _flattened(chain.columns, source.flatten_nested))
    except LakeLogicError as error:
        raise error.at(loaded.place("source", "flatten_nested")) from None
    try:
        if extraction is not None:
            chain.add("extraction", extracted(extraction, chain.columns))
    except LakeLogicError as error:
        raise error.at(loaded.place("extraction")) from None


def _all_text(columns: Columns) -> Step:
    changes = {column.name: as_text(ref(column), column.type) for column in columns.visible}
    return project(columns, changes, dict.fromkeys(changes, STRING))


def _flattened(columns: Columns, wanted: bool | Sequence[str]) -> Step:
    """Each struct replaced by its members, `address.city` as `address_city`, however deep; lists stay as they are."""
    chosen = columns.visible if wanted is True else [columns.visible.get(name) for name in wanted or ()]
    names = {column.name for column in chosen}
    for column in chosen:
        if wanted is not True and not members(column.type):
            raise ContractError(
                f"'{column.name}' is {type_name(column.type)}, and only a struct can be flattened.",
                cure="Take it off the list.",
            )
    parts = [
        part
        for column in columns
        for part in (_parts(column, ref(column)) if column.name in names else [(column, ref(column))])
    ]
    refuse_twice("flatten_nested", [column.name for column, _ in parts])
    select = exp.select(*(named(column.name, value) for column, value in parts)).from_(SOURCE)
    return Step(select, Columns(tuple(column for column, _ in parts)))


def _parts(column: Column, value: exp.Expr) -> Iterator[tuple[Column, exp.Expr]]:
    inner = members(column.type)
    if not inner:
        yield column, value
    for name, data_type in inner:
        member = exp.Dot(this=value.copy(), expression=exp.to_identifier(name, quoted=True))
        yield from _parts(Column(f"{column.name}_{name}", data_type), member)


def extracted(extraction: Extraction, columns: Columns) -> Step:
    """A column for each pattern: its first group, else the whole match; NULL where nothing, or nothing but '', is found.

    Raises:
        ContractError: a pattern, or a column of output_schema, makes no sense.
    """
    if extraction.text_column is None or not extraction.patterns:
        raise ContractError("extraction by regex needs text_column and patterns.", cure="Add what is missing.")
    if unused := sorted(extraction.model_fields_set - _OF_REGEX):
        raise ContractError(f"extraction by regex has no use for {unused[0]}.", cure="Remove it.")
    text = columns.visible.get(extraction.text_column)
    types = dict(_declared_types(extraction))
    changes: dict[str, exp.Expr] = {}
    for name, pattern in extraction.patterns.items():
        refuse_hidden(columns, name)
        group = exp.Literal.number(min(_groups(name, pattern), 1))
        found = call("REGEXP_EXTRACT", as_text(ref(text), text.type), exp.Literal.string(pattern), group)
        value = exp.Nullif(this=found, expression=exp.Literal.string(""))
        changes[name] = convert(value, STRING, types.get(name, STRING))
    return project(columns, changes, {name: types.get(name, STRING) for name in changes})


def _declared_types(extraction: Extraction) -> Iterator[tuple[str, exp.DataType]]:
    for item in extraction.output_schema:
        name, kind = (item, None) if isinstance(item, str) else (str(item.get("name")), item.get("type"))
        if name not in extraction.patterns:
            raise ContractError(
                f"output_schema names '{name}', for which there is no pattern.",
                cure=did_you_mean(name, extraction.patterns),
            )
        if kind is not None:
            yield name, parse_type(str(kind))


def _groups(name: str, pattern: str) -> int:
    try:
        return re.compile(pattern).groups
    except re.error as error:
        raise ContractError(f"the pattern of '{name}' can't be read: {error}.", cure="Mend it.") from None
