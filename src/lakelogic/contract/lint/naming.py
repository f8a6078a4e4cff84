"""Remarks about names and layers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lakelogic.contract.identity import LAYERS
from lakelogic.contract.lint.base import Remark, lint_rules
from lakelogic.contract.loaded import LoadedContract
from lakelogic.errors import Place, did_you_mean

_NAME = re.compile(r"[a-z0-9]+(_[a-z0-9]+){2,}")
# Dimensions and facts belong to no single system.
_MODELLED = ("gold_dim_", "gold_fact_", "gold_agg_")


@lint_rules.add("name-pattern")
def leaves_the_pattern(loaded: LoadedContract) -> Iterator[Remark]:
    """The dataset's name is not `{layer}_{system}_{entity}`."""
    name, layer, system = loaded.name, loaded.layer, loaded.system
    if name.startswith(_MODELLED) and layer == "gold":
        return
    begin = "_".join(part.lower() for part in (layer, system) if part)
    if not _NAME.fullmatch(name) or not name.startswith(f"{begin}_" if begin else ""):
        pattern = f"{layer or '{layer}'}_{(system or '{system}').lower()}_{{entity}}"
        place = _first_place(loaded, (("dataset",), ("info", "dataset"), ("info", "table_name")))
        yield Remark(f"name '{name}' leaves the pattern {pattern}.", "Set dataset to a name of that form.", place)


@lint_rules.add("no-layer")
def has_no_layer(loaded: LoadedContract) -> Iterator[Remark]:
    """Nothing tells which layer the data belongs to."""
    if loaded.layer is None:
        yield Remark("the layer is not known.", "Add layer: bronze, silver, gold or reference.", loaded.place("info"))


@lint_rules.add("odd-layer")
def has_an_odd_layer(loaded: LoadedContract) -> Iterator[Remark]:
    """The layer is none of reference, bronze, silver and gold, so that its order among others is not known."""
    if loaded.layer is not None and loaded.layer not in LAYERS:
        paths = (("layer",), ("tier",), ("target_layer",), ("info", "target_layer"), ("metadata", "data_layer"))
        cure = did_you_mean(loaded.layer, LAYERS)
        yield Remark(f"layer '{loaded.layer}' is none that is known.", cure, _first_place(loaded, paths))


@lint_rules.add("not-listed")
def is_not_listed(loaded: LoadedContract) -> Iterator[Remark]:
    """The system's file lists contracts, and this one is not among them."""
    system = loaded.mesh.system
    if system is not None and system.model.contracts and loaded.mesh.listed is None and loaded.path is not None:
        cure = f"Add it to contracts in {system.path.name}, or the driver will not run it."
        yield Remark(f"system '{system.model.system}' does not list the contract.", cure, Place(str(loaded.path)))


def _first_place(loaded: LoadedContract, paths: Iterable[tuple[str, ...]]) -> Place:
    """Where the first of these keys stands that was written."""
    return next((loaded.places.keys[path] for path in paths if path in loaded.places.keys), loaded.place())
