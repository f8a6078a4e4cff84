"""Data contracts that run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakelogic.lazy_names import loaded_on_use

if TYPE_CHECKING:
    from lakelogic.contract import LoadedContract, load_contract
    from lakelogic.driver.functions import (
        build_dag_from_upstream,
        load_all_contracts,
        run_contract,
        stop_downstream,
        topo_sort,
    )
    from lakelogic.errors import LakeLogicError
    from lakelogic.plan.model import Plan
    from lakelogic.quarantine.lifecycle import Quarantine
    from lakelogic.run.processor import DataProcessor
    from lakelogic.run.result import RunResult

__version__ = "0.1.0"

__all__ = [
    "DataProcessor",
    "LakeLogicError",
    "LoadedContract",
    "Plan",
    "Quarantine",
    "RunResult",
    "__version__",
    "build_dag_from_upstream",
    "load_all_contracts",
    "load_contract",
    "run_contract",
    "stop_downstream",
    "topo_sort",
]

# So that the command line answers at once.
__getattr__ = loaded_on_use(
    __name__,
    {
        "DataProcessor": "lakelogic.run.processor",
        "LakeLogicError": "lakelogic.errors",
        "LoadedContract": "lakelogic.contract.loaded",
        "Plan": "lakelogic.plan.model",
        "Quarantine": "lakelogic.quarantine.lifecycle",
        "RunResult": "lakelogic.run.result",
        "build_dag_from_upstream": "lakelogic.driver.functions",
        "load_all_contracts": "lakelogic.driver.functions",
        "load_contract": "lakelogic.contract.loading",
        "run_contract": "lakelogic.driver.functions",
        "stop_downstream": "lakelogic.driver.functions",
        "topo_sort": "lakelogic.driver.functions",
    },
)
