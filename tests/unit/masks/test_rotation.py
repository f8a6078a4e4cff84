"""Another masking key: told where rows are found by what the key has masked, and nowhere else."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from lakelogic.contract import load_text
from lakelogic.masks.rotation import KeyChanged, refuse_other_key
from lakelogic.plan.build import Given, build_plan
from lakelogic.plan.model import Plan, ReadPlan
from lakelogic.sql.render import to_spark
from lakelogic.sql.types import Columns
from lakelogic.state.claims import Claim, Claims, Pinned

CONTRACT = """
source: {{path: in.csv}}
model:
  fields:
    - {{name: id, type: string, masking: {key}}}
    - {{name: email, type: string, masking: {other}}}
primary_key: [id]
materialization: {{strategy: {strategy}, target_path: out}}
"""


def planned(key_id: str, *, key: str = "hash", other: str = "redact", strategy: str = "merge") -> Plan:
    text = CONTRACT.format(key=key, other=other, strategy=strategy)
    read = ReadPlan("files", "in.csv", "csv", "full", "load_mode is full", ())
    columns = Columns.of(id="string", email="string")
    return build_plan(
        load_text(text, directory=Path("/project")), Given(read, columns, "spark", to_spark, key_id=key_id)
    )


@pytest.mark.parametrize("key", ["hash", "tokenize", "encrypt, masking_mode: deterministic"])
def test_a_merge_by_a_masked_key_depends_on_the_masking_key(key: str) -> None:
    first, second = planned("aa", key=key), planned("bb", key=key)
    assert (first.key_id, second.key_id) == ("aa", "bb")
    assert first.fingerprint != second.fingerprint


@pytest.mark.parametrize(
    ("key", "other", "strategy"),
    [
        ("none", "hash", "merge"),
        ("none", "encrypt", "merge"),
        ("hash", "hash", "append"),
        ("hash", "redact", "overwrite"),
    ],
)
def test_other_plans_do_not(key: str, other: str, strategy: str) -> None:
    plans = [planned(key_id, key=key, other=other, strategy=strategy) for key_id in ("aa", "bb")]
    assert plans[0] == plans[1]


@pytest.mark.parametrize(("before", "now"), [(None, "aa"), ("aa", "aa"), ("aa", None)])
def test_the_same_key_is_no_change(before: str | None, now: str | None) -> None:
    refuse_other_key("out", before, now)


def test_another_key_is_refused_with_both_ids() -> None:
    with pytest.raises(KeyChanged, match=r"masked with key aa; with key bb .* Put key aa first in LAKELOGIC_PII_KEY"):
        refuse_other_key("out", "aa", "bb")


def test_the_key_of_the_newest_run_that_used_one_is_remembered(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    assert claims.last_key_id() is None
    for number, (key_id, status) in enumerate(
        [("aa", "succeeded"), ("bb", "succeeded"), ("cc", "failed"), (None, "succeeded")], start=1
    ):
        pinned = Pinned("in", "files")
        now = datetime(2026, 3, 28, tzinfo=UTC)
        claim = claims.create(
            Claim(number, str(number), "p", now, "plan", "digest", "why", "full", pinned, key_id=key_id)
        )
        assert claims.read(number).key_id == key_id
        claims.finish(claim, status)
    assert claims.last_key_id() == "bb"
