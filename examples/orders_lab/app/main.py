"""The API and the pages of the lab: `uvicorn app.main:app --host 127.0.0.1 --port 8096`."""

from __future__ import annotations

import os
from pathlib import Path

from lakelogic.serve import create_app

app = create_app(Path(__file__).parents[1], token=os.environ.get("LAKELOGIC_SERVE_TOKEN") or None)
