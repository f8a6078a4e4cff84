"""`python -m lakelogic` is the command `lakelogic`."""

from __future__ import annotations

from lakelogic.cli.main import main

raise SystemExit(main())
