"""Contracts that use, between them, all that a contract may say; each has rows that hurt."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet

from tests.scenarios.one_meaning.seen import Scenario

# A rule that fails for two rows may tell of either, so that after a shuffle each fails for one.
_ORDERS = """id,at,amount,state,note
1,2026-01-01 10:00:00,10.50,open,a
2,2026-01-02,-1,paid,"2
lines"
2,2026-01-03T08:00:00Z,20,paid,
3,not a time,NaN,PAID,"say ""hi"" now"
,2026-01-04,1e3,open,ünïcode
5,2026-01-05,,lost,x
6,2026-01-06,12345678901234567890,open
"""
_FIELDS = """
model:
  fields:
    - {name: id, type: int, required: true}
    - {name: at, type: timestamp}
    - {name: amount, type: "decimal(10,2)"}
    - {name: state, type: string, accepted_values: [open, paid]}
    - {name: note, type: string, max_length: 8}
"""
_CHANGES = (
    "id,at,name,op\n1,2026-01-01,a,c\n2,2026-01-01,b,c\n2,2026-01-03,B,u\n3,,no time,c\n",
    "id,at,name,op\n1,2026-01-05,,d\n2,2026-01-02,late,u\n,2026-01-05,,d\n4,2026-01-01,d,c\n",
    "id,at,name,op\n1,2026-01-02,late,u\n4,2026-01-01,d,c\n",
)
_CHANGED = """
source: {path: in/*.csv, load_mode: cdc, cdc_op_field: op, cdc_timestamp_field: at}
model:
  fields: [{name: id, type: int, required: true}, {name: at, type: timestamp}, {name: name, type: string, required: true}]
primary_key: [id]
"""
_STATES = ("id,name,part\n1,a,p\n2,b,q\nx,bad,p\n", "id,name,part\n2,B,q\n3,c,\n", "id,name,part\n2,B,q\n3,c,\n")
_STATE_FIELDS = (
    "model: {fields: [{name: id, type: int, required: true}, {name: name}, {name: part}]}\nprimary_key: [id]\n"
)


def _written(materialization: str, *, extra: str = "", full: bool = False) -> Scenario:
    """Three batches of which the last repeats the one before."""
    mode = "full" if full else "incremental"
    names = ["in/1.csv"] * 3 if full else ["in/1.csv", "in/2.csv", "in/3.csv"]
    return Scenario(
        f"written by {materialization}",
        f"source: {{path: in/*.csv, load_mode: {mode}}}\n{_STATE_FIELDS}{extra}"
        f"materialization: {{target_path: out, {materialization}}}\n",
        [{name: rows} for name, rows in zip(names, _STATES, strict=True)],
    )


def _changed(materialization: str) -> Scenario:
    return Scenario(
        f"changes into {materialization}",
        f"{_CHANGED}materialization: {{target_path: out, {materialization}}}\n",
        [{f"in/{number}.csv": rows} for number, rows in enumerate(_CHANGES, 1)],
    )


def _typed(kind: str) -> str:
    return f"source: {{path: in.csv}}\nmodel: {{fields: [{{name: id, type: {kind}}}]}}\nmaterialization: {{target_path: out}}\n"


def _columns() -> pa.Table:
    return pa.table(
        {
            "id": pa.array([1, 2, None], pa.int64()),
            "small": pa.array([1, -128, None], pa.int8()),
            "real": pa.array([1.5, float("nan"), -0.0], pa.float64()),
            "price": pa.array(["1.10", "-2.20", None]).cast(pa.decimal128(9, 2)),
            "day": pa.array([0, 20_000, None], pa.date32()),
            "many": pa.array([[1, None], [], None], pa.list_(pa.int64())),
            "deep": pa.array([{"x": 1, "y": ["a"]}, {"x": None, "y": None}, None]),
            "flag": pa.array([True, False, None]),
        }
    )


def _file(module: Any, table: pa.Table) -> bytes:
    sink = BytesIO()
    module.write_table(table, sink)
    return sink.getvalue()


_JSON = (
    '{"id": 1, "name": "Ada", "at": {"city": "London", "geo": {"lat": 51.5}}, "tags": [{"k": "a"}], "n": 1}\n'
    '{"id": 2, "name": "Bob", "at": null, "tags": [], "n": 2.5}\n'
    '{"id": "x", "name": "Cy", "at": {"city": "Rome", "geo": null}, "n": "three"}\n'
    '{"id": 4, "name": {"first": "Di"}, "n": 12345678901234567890}\n{"id": 5\n'
)

_MASKS = """
source: {path: in.csv}
model:
  fields:
    - {name: id, type: int, required: true}
    - {name: email, type: string, pii: true, masking: encrypt}
    - {name: phone, type: string, pii: true, masking: partial}
    - {name: card, type: string, pii: true, masking: partial, masking_format: "{first4} **** {last4}"}
    - {name: vat, type: string, pii: true, masking: hash}
    - {name: iban, type: string, pii: true, masking: tokenize}
    - {name: secret, type: string, masking: redact}
    - {name: salary, type: "decimal(9,2)", masking: nullify}
    - {name: born, type: date, masking: hash}
    - {name: score, type: double, masking: tokenize}
quality: {row_rules: [{name: has_mail, sql: "email LIKE '%@%'"}]}
lineage: {enabled: true}
materialization: {target_path: out}
"""

SCENARIOS = (
    Scenario(
        "every rule, severity and label, and a gate after the fact",
        f"""
info: {{title: Orders, version: 1.2.0, domain: shop, system: till, target_layer: silver}}
source: {{path: in.csv}}
{_FIELDS}
quality:
  row_rules:
    - {{name: positive, sql: amount > 0, label: NEGATIVE}}
    - {{sql: "note NOT LIKE '%hi%'"}}
    - {{not_null: amount, severity: warning}}
    - {{regex_match: {{field: note, pattern: '[a-z]+'}}, severity: info, name: letters}}
    - {{range: {{field: id, min: 1, max: 5}}, category: timeliness}}
  dataset_rules:
    - unique: id
    - unique: [id, at]
    - null_ratio: {{field: note, max: 0.1}}
    - row_count_between: {{min: 1, max: 3}}
    - {{name: total, sql: sum(amount), must_be_between: [0, 5]}}
    - {{name: spread, sql: stddev(amount), must_be_less_than: 1, severity: warning}}
service_levels: {{row_count: {{min_rows: 100}}}}
quarantine: {{max_ratio: 0.5}}
lineage: {{enabled: true, capture_domain: true, capture_system: true}}
materialization: {{target_path: out}}
""",
        [{"in.csv": _ORDERS}],
        exits=[1],
    ),
    Scenario(
        "transformations of values, before and after the rules",
        f"""
source: {{path: in.csv}}
links: [{{name: states, path: states.csv, filter: "old = 'n'"}}, {{name: days, path: days.json}}]
{_FIELDS}
transformations:
  - {{trim: [note], phase: pre}}
  - {{upper: state, phase: pre}}
  - {{map_values: {{field: state, mapping: {{OPEN: open, PAID: paid}}}}, phase: pre}}
  - {{deduplicate: {{on: id, sort_by: at, dropped: quarantine, name: newest, label: stale}}, phase: pre}}
  - sql: coalesce(note, 'none') AS note
  - derive: {{field: taxed, sql: "round(amount * 1.19, 1)"}}
  - derive: {{field: week, sql: "date_format(at, 'EEE')"}}
  - lookup: {{field: state_name, reference: states, on: state, key: code, value: name, default_value: '?'}}
  - join: {{reference: days, on: id, fields: [day], prefix: due_, type: left}}
  - bucket: {{field: size, source: amount, bins: [{{label: small, lt: 10}}, {{label: big, gte: 10}}], default: none}}
  - date_diff: {{field: late, from_col: at, to_col: due_day}}
  - split: {{field: note, delimiter: " "}}
  - rename: {{from: note, to: words}}
  - filter: {{sql: "taxed IS NULL OR taxed > -100"}}
materialization: {{target_path: out}}
""",
        [
            {
                "in.csv": _ORDERS,
                "states.csv": "code,name,old\nopen,Open,n\npaid,Paid,n\npaid,Ancient,y\n",
                "days.json": '{"id": 1, "day": "20260131"}\n{"id": 2, "day": "2026-02-01"}\n{"id": 2, "day": null}\n',
            }
        ],
    ),
    Scenario(
        "rollup with keys and run ids",
        """
source: {path: in.csv}
model: {fields: [{name: sale_id, type: int}, {name: amount, type: double}, {name: day, type: date}]}
transformations:
  - rollup:
      group_by: [day]
      aggregations: {total: SUM(amount), sales: COUNT(*), mean: AVG(amount), top: MAX(amount)}
      keys: sale_id
      rollup_keys_count_column: _lakelogic_rollup_keys_count
      upstream_run_id_column: run
      upstream_run_ids_column: runs
quality: {row_rules: [{name: sold, sql: total > 0}]}
materialization: {target_path: out, strategy: overwrite}
""",
        [{"in.csv": "sale_id,amount,day,run\n2,5,2026-01-01,b\n1,7,2026-01-01,a\n3,,2026-01-02,b\n4,1,,a\nx,1,,a\n"}],
    ),
    Scenario(
        "pivot, and a period of a key",
        """
source: {path: in.csv}
links: [{name: periods, path: periods.csv}]
model: {fields: [{name: id, type: int}, {name: at, type: timestamp}, {name: amount, type: int}]}
transformations:
  - pivot: {id_vars: [id], pivot_col: month, value_col: amount, values: [jan, feb], agg: sum, fill_value: 0}
quality:
  row_rules:
    - lifecycle_window: {event_ts: at, event_key: id, reference: periods, start_field: begins, end_field: ends}
materialization: {target_path: out}
""",
        [
            {
                "in.csv": "id,at,month,amount\n1,2026-01-31 23:59:00,jan,5\n1,2026-02-01,feb,1\n2,2030-01-01,feb,7\n3,2026-01-01,jan,1\n",
                "periods.csv": "id,begins,ends\n1,2026-01-01,2026-01-31\n1,2026-03-01,2026-03-31\n2,2020-01-01,\n",
            }
        ],
    ),
    Scenario(
        "unpivot, exploded days and documents",
        """
source: {path: in.csv}
transformations:
  - {explode: {field: tags}, phase: pre}
  - json_extract: {field: city, source: doc, path: $.at.city}
  - date_range_explode: {output: day, start_col: a, end_col: b}
  - unpivot: {id_vars: [id, city, day], value_vars: [x, y], key_field: what, value_field: much}
  - deduplicate_by_latest: {key_columns: [id, what, day], timestamp_column: much}
materialization: {target_path: out}
""",
        [
            {
                "in.csv": 'id,tags,doc,a,b,x,y\n1,"[1,2]","{""at"": {""city"": ""Köln""}}",20260227,2026-03-01,1,\n'
                '2,[],{broken,2026-01-01,2026-01-01,3,4\n3,,"{""at"": 5}",,,5,6\n'
            }
        ],
    ),
    Scenario(
        "masks of every kind",
        _MASKS,
        [
            {
                "in.csv": "id,email,phone,card,vat,iban,secret,salary,born,score\n"
                "1,ada@x.org,+44 20 7946 0123,4111111111111111,DE1,DE12 3,s,10.50,1815-12-10,1.0\n"
                "2,bob,,41,,,,,,\n3,çé@ü.de,12345678,,ÄÖ,é,,x,2000-02-30,1e-7\n4,d@d,,,,,,,,123456789.125\n"
            }
        ],
        in_ci=True,
    ),
    Scenario(
        "json with nested values as they are",
        """
source: {path: in/*.json}
model: {fields: [{name: id, type: int, required: true}, {name: at, type: "struct<city:string,geo:struct<lat:int>>"}]}
schema_policy: {unknown_fields: allow}
materialization: {target_path: out}
""",
        [{"in/1.json": _JSON}],
        in_ci=True,
    ),
    Scenario(
        "json flattened, and columns that nobody knows",
        """
source: {path: in/*.json, flatten_nested: true}
model: {fields: [{name: id, type: int}, {name: at_geo_lat, type: "decimal(4,1)"}, {name: name}]}
schema_policy: {unknown_fields: quarantine}
materialization: {target_path: out}
""",
        [{"in/1.json": _JSON}],
    ),
    Scenario(
        "parquet of many types",
        """
source: {path: in/*.parquet}
quality: {row_rules: [{sql: "real <> 0"}, {sql: "size(many) > 0", severity: warning}]}
materialization: {target_path: out}
""",
        [{"in/1.parquet": _file(pyarrow.parquet, _columns())}],
    ),
    Scenario(
        "orc",
        "source: {path: in/*.orc}\nmodel: {fields: [{name: id, required: true}]}\nmaterialization: {target_path: out}\n",
        [{"in/1.orc": _file(pyarrow.orc, _columns().select(["id", "price", "day", "many"]))}],
    ),
    Scenario(
        "text read out of text, and everything as text",
        """
server: {type: local, mode: ingest, path: in.json, cast_to_string: true}
extraction: {provider: regex, text_column: name, patterns: {first: '^([A-Z])', digits: '(\\d+)'}}
materialization: {target_path: out}
""",
        [{"in.json": _JSON}],
    ),
    Scenario(
        "columns that come and go",
        "source: {path: in/*.csv, load_mode: incremental}\nmodel: {fields: [{name: id, type: int}]}\n"
        "schema_policy: {evolution: append}\nmaterialization: {target_path: out}\n",
        [{"in/1.csv": "id,a\n1,x\n"}, {"in/2.csv": "b,id\ny,2\nz,no\n"}, {"in/3.csv": "ID,A\n3,z\n"}],
    ),
    Scenario(
        "columns that may not come",
        "source: {path: in/*.csv, load_mode: incremental}\nmodel: {fields: [{name: id, type: int}]}\n"
        "schema_policy: {evolution: strict}\nmaterialization: {target_path: out}\n",
        [{"in/1.csv": "id,a\n1,x\n"}, {"in/2.csv": "b,id\ny,2\nz,no\n"}],
        exits=[0, 1],
        in_ci=True,
    ),
    Scenario(
        "a type that the table can't hold, and one that it can",
        _typed("bigint"),
        [
            {"in.csv": "id\n1\n"},
            {"in.csv": "id\n22\n", "contract.yaml": _typed("string")},
            {"contract.yaml": _typed("int")},
        ],
        exits=[0, 1, 0],
    ),
    _written("strategy: append"),
    _written("strategy: overwrite", full=True),
    _written("strategy: merge", extra="lineage: {enabled: true}\n"),
    _written("strategy: snapshot"),
    _written("strategy: replace_partitions, partition_by: [part]"),
    _written("strategy: merge, deletion: {strategy: snapshot_reconcile, max_delete_ratio: 0.5}", full=True),
    _written("format: parquet"),
    _written("format: csv"),
    _written("format: json"),
    _written("secondary_targets: [{target_path: out_more, format: parquet}]"),
    _changed("strategy: merge"),
    _changed("strategy: merge, soft_delete_column: gone, soft_delete_time_column: gone_at"),
    _changed("strategy: scd2, scd2: {timestamp_field: at}"),
)
