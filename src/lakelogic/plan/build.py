"""From a contract and the columns of its input to a plan. Pure: reads no data, starts no engine."""

from __future__ import annotations

import getpass
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.contract.fields import ModelField
from lakelogic.errors import ContractError, ContractInvalid, LakeLogicError
from lakelogic.masks.base import Mask, mask_for
from lakelogic.masks.raw import RAW_SECRETS
from lakelogic.plan import names
from lakelogic.plan.conform import conform, declared
from lakelogic.plan.judge import bad_rows, good_rows
from lakelogic.plan.locations import Location, locate, quarantine_of
from lakelogic.plan.model import AuditPlan, CheckPlan, LinkPlan, Plan, ReadPlan, StagePlan, StepPlan, TablePlan
from lakelogic.plan.publish import published, quarantined
from lakelogic.plan.stages import Chain, lookup_step
from lakelogic.rules.base import Audit, Check
from lakelogic.rules.naming import unique_names
from lakelogic.sql.render import NOW, PIPELINE_RUN_ID, RUN_ID
from lakelogic.sql.types import STRING, TIMESTAMP, Column, Columns
from lakelogic.transforms.base import Step, named, project, ref

Render = Callable[[exp.Expression, Columns], str]
