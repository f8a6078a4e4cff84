"""SQL in a contract, read before anything runs: what can't be parsed, is not allowed, or names no link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from lakelogic.contract.loaded import LoadedContract
from lakelogic.contract.places import Path
from lakelogic.errors import ContractError, LakeLogicError, did_you_mean
from lakelogic.rules.base import RowRule
from lakelogic.sql.parse import parse_condition, parse_projection, parse_scalar

Parser = Callable[[str], object]

# Which keys of a kind hold SQL; the plan, which knows the columns, reads them again.
_ROW_RULES: dict[str, dict[str, Parser]] = {"sql": {"sql": parse_condition}}
_DATASET_RULES: dict[str, dict[str, Parser]] = {"sql": {"sql": parse_scalar}}
_TRANSFORMS: dict[str, dict[str, Parser]] = {
    "sql": {"sql": parse_projection},
    "derive": {"sql": parse_condition},
    "filter": {"sql": parse_condition},
    "rollup": {"key_expr": parse_condition},
}


def sql_problems(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    """Every SQL text of the contract that can't be read."""
    model = loaded.model
    for path, rule in _row_rules(loaded):
        yield from _unreadable(loaded, path, rule, _ROW_RULES.get(rule.kind, {}))
    for index, audit in enumerate(model.quality.dataset_rules):
        path = ("quality", "dataset_rules", index)
        yield from _unreadable(loaded, path, audit, _DATASET_RULES.get(audit.kind, {}))
    for index, item in enumerate(model.transformations):
        yield from _unreadable(loaded, ("transformations", index), item, _TRANSFORMS.get(item.kind, {}))
    for index, link in enumerate(model.links):
        yield from _unreadable(loaded, ("links", index), link, {"filter": parse_condition, "query": parse_projection})
    yield from _unreadable(loaded, (), model, {"logic": parse_projection})


def link_problems(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    """Every rule or transformation that reads a link which is not declared."""
    known = [link.name for link in loaded.model.links]
    lowered = {name.lower() for name in known}
    for path, name in _links_read(loaded):
        if name.lower() not in lowered:
            yield ContractError(
                f"'{name}' is no link of this contract.", cure=did_you_mean(name, known), place=loaded.place(*path)
            )


def _links_read(loaded: LoadedContract) -> Iterator[tuple[Path, str]]:
    for index, item in enumerate(loaded.model.transformations):
        # SQL that can't be read is told by sql_problems.
        with suppress(LakeLogicError):
            for name in sorted(item.over(loaded.name).links_used()):
                yield ("transformations", index, item.kind), name
    for path, rule in _row_rules(loaded):
        reference = getattr(rule, "reference", None)
        if isinstance(reference, str):
            yield (*path, rule.kind, "reference"), reference


def _row_rules(loaded: LoadedContract) -> Iterator[tuple[Path, RowRule]]:
    for index, rule in enumerate(loaded.model.quality.row_rules):
        yield ("quality", "row_rules", index), rule
    for position, field in enumerate(loaded.model.model.fields):
        for index, rule in enumerate(field.rules):
            yield ("model", "fields", position, "rules", index), rule


def _unreadable(
    loaded: LoadedContract, path: Path, item: object, parsers: dict[str, Parser]
) -> Iterator[LakeLogicError]:
    for key, parse in parsers.items():
        text = getattr(item, key, None)
        if not isinstance(text, str):
            continue
        try:
            parse(text)
        except LakeLogicError as error:
            kind = getattr(item, "kind", key)
            inside = (*path, kind, key)
            yield error.at(loaded.place(*(inside if inside in loaded.places.keys else (*path, kind))))
