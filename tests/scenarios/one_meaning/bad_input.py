"""Input that can't be used, and contracts that can't be kept: every engine says it in the same words."""

from __future__ import annotations

from io import BytesIO

import pyarrow as pa
import pyarrow.parquet

from tests.scenarios.one_meaning.seen import Files, Scenario

_FIELDS = "model: {fields: [{name: id, type: int, required: true}, {name: name}]}\n"
_OUT = "materialization: {target_path: out}\n"


def _bad(name: str, contract: str, *arrivals: Files, exits: tuple[int, ...] = (1,), in_ci: bool = True) -> Scenario:
    return Scenario(name, contract, arrivals or [{}], exits=exits, in_ci=in_ci)


def _csv(content: str | bytes, options: str = "") -> tuple[str, Files]:
    said = f", options: {{{options}}}" if options else ""
    return f"source: {{path: in.csv{said}}}\n{_FIELDS}{_OUT}", {"in.csv": content}


def _half_a_parquet_file() -> bytes:
    sink = BytesIO()
    pyarrow.parquet.write_table(pa.table({"id": list(range(10_000))}), sink)
    return sink.getvalue()[: sink.tell() // 2]


_PARQUET = f"source: {{path: in.parquet}}\n{_OUT}"
_ONE = {"in.csv": "id,name\n1,a\n2,b\n2,c\n"}

BAD_INPUT = (
    _bad("nothing there", f"source: {{path: in/*.csv}}\n{_OUT}", exits=(0,)),
    _bad("an empty file", *_csv(""), exits=(0,)),
    _bad("a header alone", *_csv("id,name\n"), exits=(0,), in_ci=False),
    _bad("a column twice", *_csv("id,ID\n1,2\n")),
    _bad("a wrong encoding", *_csv("id,name\n1,größe\n".encode("latin1"))),
    _bad("a wrong encoding far behind", *_csv(b"id,name\n" + b"1,a\n" * 300_000 + b"2,gr\xf6\xdfe\n")),
    _bad("lines that end in several ways", *_csv("id,name\n1,a\r\n2,b\n")),
    _bad("an encoding that nobody knows", *_csv("id,name\n", "encoding: klingon")),
    _bad("a parquet file cut in half", _PARQUET, {"in.parquet": _half_a_parquet_file()}),
    _bad("a parquet file that is none", _PARQUET, {"in.parquet": b"PAR1 or so"}),
    _bad("a json file that is none", f"source: {{path: in.json}}\n{_FIELDS}{_OUT}", {"in.json": b"\x00\xff\x00"}),
    _bad("json of scalars", f"source: {{path: in.json}}\n{_FIELDS}{_OUT}", {"in.json": "[1, 2]"}, exits=(0,)),
    _bad(
        "keys that differ in case only",
        f"source: {{path: in.json}}\n{_OUT}",
        {"in.json": '{"id": 1, "ID": 2}\n'},
    ),
    _bad(
        "a rule on a column that is not there",
        f"source: {{path: in.csv}}\nquality: {{row_rules: [{{sql: nope > 1}}]}}\n{_OUT}",
        _ONE,
        exits=(2,),
    ),
    _bad(
        "a pattern that is none",
        f"source: {{path: in.csv}}\nquality: {{row_rules: [{{sql: \"name RLIKE '('\"}}]}}\n{_OUT}",
        _ONE,
        exits=(2,),
    ),
    _bad("a link that is not there", f"source: {{path: in.csv}}\nlinks: [{{name: x, path: x.csv}}]\n{_OUT}", _ONE),
    _bad(
        "a key twice in a batch",
        f"source: {{path: in.csv}}\n{_FIELDS}primary_key: [id]\nmaterialization: {{target_path: out, strategy: merge}}\n",
        _ONE,
    ),
    _bad(
        "no bad row is allowed",
        f"source: {{path: in.csv}}\n{_FIELDS}quarantine: {{fail_on_quarantine: true}}\n{_OUT}",
        {"in.csv": "id,name\n1,a\nx,b\n,c\n"},
    ),
    _bad(
        "a dataset rule that stops the write",
        f"source: {{path: in.csv}}\n{_FIELDS}{_OUT}"
        "quality: {fail_pipeline_on_dataset_error: true, dataset_rules: [{unique: id}]}\n",
        _ONE,
    ),
    _bad("a target in the way", f"source: {{path: in.csv}}\n{_OUT}", {**_ONE, "out": "a file"}),
    _bad("a key that nobody knows", f"source: {{path: in.csv}}\n{_OUT}colour: red\n", _ONE, exits=(2,)),
    _bad(
        "columns of many kinds under one name",
        f"source: {{path: in.csv}}\n{_FIELDS.replace('int', 'struct<a:int>')}{_OUT}",
        _ONE,
        exits=(0,),
        in_ci=False,
    ),
)
