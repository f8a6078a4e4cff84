"""A view as JSON, for programs."""

from __future__ import annotations

import json

from lakelogic.viewer.rendering import Rendering, renderings
from lakelogic.viewer.view import View


def write(view: View) -> str:
    """Everything that is known, as plain data."""
    return json.dumps(view.to_dict(), indent=2, ensure_ascii=False, default=lambda value: value.isoformat()) + "\n"


renderings.add("json")(Rendering(write, ".json", columns=True))
