"""What a run loads only when it needs it, loaded beforehand: for processes that many others are forked from."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import lakelogic

for _folder in ("rules", "transforms", "masks", "write", "formats", "sources", "catalogs"):
    _package = import_module(f"{lakelogic.__name__}.{_folder}")
    for _module in iter_modules(_package.__path__, f"{_package.__name__}."):
        import_module(_module.name)
