"""The last SELECT before a write: masks, lineage, and the fixed columns of quarantine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from lakelogic.masks.base import Mask, as_text
from lakelogic.masks.raw import raw_expression, row_id_expression
from lakelogic.plan import names
from lakelogic.sql.render import NOW, RUN_ID
from lakelogic.sql.types import BIGINT, STRING, TIMESTAMP, Columns
from lakelogic.transforms.base import SOURCE, named, ref, selected


def published(columns: Columns, masks: Mapping[str, Mask], stamps: Mapping[str, exp.Expr]) -> exp.Select:
    """Good rows as they are stored: masked, then stamped."""
    lowered = {name.lower() for name in stamps}
    out = [
        named(column.name, masks[column.name].apply(ref(column), column.type)) if column.name in masks else ref(column)
        for column in columns.visible
        if column.name.lower() not in lowered
    ]
    out.extend(named(name, value) for name, value in stamps.items())
    return _with_keys(out, any(mask.secrets for mask in masks.values()))


def quarantined(kept: Columns, bad: Columns, masks: Mapping[str, Mask], raw: str) -> exp.Select:
    """Bad rows as they are stored: text, masked, with reasons, state and origin.

    `raw` tells how the original row is kept: plain, sealed or empty.
    """
    stored = [_stored_text(column.name, bad, masks) for column in kept]
    out = [named(column.name, text) for column, text in zip(kept, stored, strict=True)]
    out += [ref(names.CATEGORIES), ref(names.ERRORS), ref(names.RULES), ref(names.REASON)]
    source, original = _with_original(bad) if raw != "empty" else (exp.to_table(SOURCE), exp.null())
    sealed = {"plain": original, "sealed": raw_expression(original), "empty": exp.cast(exp.null(), STRING)}[raw]
    out += [
        named(names.STATE, exp.Literal.string("active")),
        named(names.REPROCESSED, exp.false()),
        named(names.SOURCE_FILE, _hidden(names.FILE.name, bad, STRING)),
        named(names.SOURCE_POSITION, _hidden(names.POSITION.name, bad, BIGINT)),
        named(names.QUARANTINE_RUN, exp.Literal.string(RUN_ID)),
        named(names.QUARANTINED_AT, exp.cast(exp.Literal.string(NOW), TIMESTAMP)),
        named(names.ORIGINAL, sealed),
        named(names.ROW_ID, _row_id(bad, _told_apart(bad, stored, None if raw == "empty" else original), raw)),
        named(names.STATE_RUN, exp.Literal.string(RUN_ID)),
    ]
    return _with_keys(out, raw == "sealed" or any(mask.secrets for mask in masks.values()), source)


def _with_original(bad: Columns) -> tuple[exp.Expr, exp.Expr]:
    """The rows with their original text beside them, which is long and told in two columns."""
    name = "_ll_original"
    inner = selected((*(ref(column) for column in bad), named(name, _original(bad))))
    return inner.subquery(SOURCE, copy=False), ref(name)


def _original(bad: Columns) -> exp.Expr:
    """The row as it was read, as JSON, or the text of a record that could not be read."""
    if names.RAW.name not in bad:
        return exp.cast(exp.null(), STRING)
    with_nulls = exp.Anonymous(this="MAP", expressions=[exp.Literal.string(t) for t in ("ignoreNullFields", "false")])
    row = exp.Anonymous(this="TO_JSON", expressions=[ref(names.RAW), with_nulls])
    return exp.func("COALESCE", ref(names.MALFORMED), row) if names.MALFORMED.name in bad else row


def _told_apart(bad: Columns, stored: Sequence[exp.Expr], original: exp.Expr | None) -> list[exp.Expr]:
    """What tells rows of a file apart: their places in it, where those are known, else all that is known of them."""
    position = exp.cast(_hidden(names.POSITION.name, bad, BIGINT), STRING)
    return [position, *stored] if original is None else [exp.func("COALESCE", position, original)]


def _row_id(bad: Columns, told: Sequence[exp.Expr], raw: str) -> exp.Expr:
    """A name for the row that a repeated write gives it again; rows that are equal in everything told share it."""
    if names.ROW.name in bad:
        return ref(names.ROW)
    parts = [exp.Literal.string(RUN_ID), _hidden(names.FILE.name, bad, STRING), *told]
    texts = [exp.func("COALESCE", part.copy(), exp.Literal.string("")) for part in parts]
    between = [each for text in texts for each in (text, exp.Literal.string("|"))]
    return row_id_expression(exp.Concat(expressions=between[:-1]), keyed=raw == "sealed")


def _stored_text(name: str, bad: Columns, masks: Mapping[str, Mask]) -> exp.Expr:
    column = bad.find(name)
    if column is None:
        return exp.cast(exp.null(), STRING)
    text = as_text(ref(column), column.type)
    return exp.cast(masks[name].expression(text), STRING) if name in masks else text


def _hidden(name: str, bad: Columns, data_type: exp.DataType) -> exp.Expr:
    return ref(name) if name in bad else exp.cast(exp.null(), data_type)


def _with_keys(outputs: Sequence[exp.Expr], needed: bool, source: exp.Expr | str = SOURCE) -> exp.Select:
    """The keys come as a relation of one row, so that they stand in no query text."""
    select = selected(outputs, source)
    return select.join(exp.to_identifier(names.KEYS), join_type="cross") if needed else select
