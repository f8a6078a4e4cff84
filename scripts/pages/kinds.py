"""The pages of rules, transformations and masks: one section for each kind, with its keys and its examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lakelogic.masks.base import Mask, MaskExample, masks
from lakelogic.models import keys_of
from lakelogic.rules.base import AuditExample, DatasetRule, RowRule, RuleExample, dataset_rules, row_rules
from lakelogic.transforms.base import Transform, TransformExample, transforms
from scripts.pages.keys import inner_model, key_table
from scripts.pages.markdown import code, listed, page, prose, rows_table, table, yaml_block

_TESTED = "The examples below are tests: they run on every engine."


def rules_page() -> str:
    """Row rules and dataset rules."""
    return page(
        "Rules",
        f"A row rule judges each row by itself; a dataset rule judges all good rows together. {_TESTED}",
        "## Keys of every rule",
        "They stand beside the kind (`- sql: …` and `name: …` in one item) or inside its block.",
        key_table(RowRule),
        "`phase` and `label` belong to row rules only.",
        "## Row rules",
        "Under `quality.row_rules`, or under `rules` of a field. A condition that is NULL has failed, for every kind but `max_length`.",
        *_row_rules(),
        "## Dataset rules",
        "Under `quality.dataset_rules`. Bounds are included.",
        *_dataset_rules(),
    )


def transformations_page() -> str:
    """Transformations."""
    return page(
        "Transformations",
        f"Steps that reshape rows, in the order they are written. `phase: pre` runs before the rules, `phase: post` "
        f"(the default) on good rows. {_TESTED}",
        *_transforms(),
    )


def masks_page() -> str:
    """Masks."""
    return page(
        "Masks",
        "The values of a field's `masking` key. NULL stays NULL. The examples below are tests: they run in Python and on every engine.",
        *_masks(),
    )


def _row_rules() -> Iterator[str]:
    for kind, rule in row_rules:
        yield f"### {kind}"
        yield from _described(rule, keys_of(RowRule))
        for example in rule.examples:
            yield yaml_block({**_links(example.links), "quality": {"row_rules": [{kind: example.arguments}]}})
            yield from _judged_rows(example) if example.types else (_verdicts(example),)


def _dataset_rules() -> Iterator[str]:
    for kind, rule in dataset_rules:
        yield f"### {kind}{' (dataset)' if kind in row_rules else ''}"
        yield from _described(rule, keys_of(DatasetRule))
        for example in rule.examples:
            yield yaml_block({"quality": {"dataset_rules": [{kind: example.arguments}]}})
            yield _measure(example)


def _transforms() -> Iterator[str]:
    for kind, item in transforms:
        yield f"## {kind}"
        yield from _described(item, keys_of(Transform))
        for example in item.examples:
            yield yaml_block({**_links(example.links), "transformations": [{kind: example.arguments}]})
            yield from _before_and_after(example)


def _masks() -> Iterator[str]:
    head = ("mask", "needs a key", "equal values stay equal", "can be undone", "takes `masking_format`")
    yield table(head, [_properties(kind, mask) for kind, mask in masks])
    for kind, mask in masks:
        yield f"## {kind}"
        yield prose(mask.__doc__)
        if mask.examples:
            formats = any(example.format for example in mask.examples)
            columns = ("value", "`masking_format`", "stored") if formats else ("value", "stored")
            yield table(columns, [_stored(example, formats) for example in mask.examples])


def _described(model: Any, shared: set[str]) -> Iterator[str]:
    yield prose(model.__doc__)
    yield key_table(model, without=shared)
    for key, info in model.model_fields.items():
        inner = inner_model(info.annotation)
        if isinstance(inner, type):
            yield f"Each of `{key}`:"
            yield key_table(inner)


def _verdicts(example: RuleExample) -> str:
    parts = [f"passes {listed(example.passes)}"] if example.passes else []
    parts += [f"fails {listed(example.fails)}"] if example.fails else []
    links = [
        f"with {code(tuple(values))} in `{link}.{column}`"
        for link, columns in (example.links or {}).items()
        for column, values in columns.items()
    ]
    return f"`{example.column}` of type `{example.column_type}`{' ' + ' and '.join(links) if links else ''}: {'; '.join(parts)}."


def _judged_rows(example: RuleExample) -> Iterator[str]:
    for link, columns in (example.links or {}).items():
        yield f"Link `{link}`:"
        yield rows_table([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])
    for verdict, rows in (("Passes:", example.passes), ("Fails:", example.fails)):
        yield verdict
        yield rows_table(rows)


def _measure(example: AuditExample) -> str:
    rows = f"the rows {listed(example.rows)}" if example.rows else "no rows"
    return (
        f"`{example.column}` with {rows}: measures {code(example.measured)}, {'passes' if example.passed else 'fails'}."
    )


def _before_and_after(example: TransformExample) -> Iterator[str]:
    types = ", ".join(f"`{name} {kind}`" for name, kind in example.types.items())
    for link, rows in (example.links or {}).items():
        yield f"Link `{link}`:"
        yield rows_table(rows)
    yield f"Before ({types}):"
    yield rows_table(example.before)
    yield "After:" if example.after else "After: no rows."
    if example.after:
        yield rows_table(example.after)


def _links(links: Mapping[str, object] | None) -> dict[str, list[dict[str, str]]]:
    if not links:
        return {}
    return {"links": [{"name": name, "path": f"reference/{name.replace(' ', '_')}.parquet"} for name in links]}


def _properties(kind: str, mask: type[Mask]) -> Sequence[str]:
    made = mask()
    can_join = mask(deterministic=True).joinable
    return (
        f"[`{kind}`](#{kind})",
        "yes" if made.secrets else "no",
        "yes" if made.joinable else "with `masking_mode: deterministic`" if can_join else "no",
        "yes, with `lakelogic decrypt`" if mask.reversible else "no",
        "yes" if mask.takes_format else "no",
    )


def _stored(example: MaskExample, formats: bool) -> Sequence[str]:
    stored = f"text of the form `{example.shape}`" if example.shape else code(example.stored)
    shape = f"`{example.format}`" if example.format else ""
    return (code(example.value), shape, stored) if formats else (code(example.value), stored)
