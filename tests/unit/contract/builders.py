"""Contracts and answers for the tests of this folder."""

from __future__ import annotations

import textwrap

import pytest

from lakelogic.contract import LoadedContract, load_text
from lakelogic.errors import ContractInvalid

HOME = """\
# 1. Read incrementally from cloud storage
source:
  path: s3://landing/customers/*.json
  load_mode: incremental
  watermark_strategy: pipeline_log  # Only process files newer than last run

# 2. Enforce schema & PII masking
model:
  fields:
    - name: cus_id
      type: string
      required: true
    - name: email
      required: true
      pii: true
      masking: "encrypt"            # AES-256 via LAKELOGIC_PII_KEY env var

# 3. Apply SQL transformations
transformations:
  - sql: "LOWER(TRIM(email)) AS email"

# 4. Enforce quality & SLO guarantees
quality:
  row_rules:
    - sql: "email LIKE '%@%.%'"
service_levels:
  freshness_hours: 24

# 5. Write 100% clean data directly to Catalog
materialization:
  strategy: merge
  primary_key: [cus_id]
  target_path: catalog.silver.customers
"""


def contract(text: str) -> LoadedContract:
    """A contract from an indented text."""
    return load_text(textwrap.dedent(text), file="orders.yaml")


def problems(text: str) -> list[str]:
    """Every problem of a contract, one sentence each."""
    with pytest.raises(ContractInvalid) as caught:
        contract(text)
    return [str(problem) for problem in caught.value.problems]
