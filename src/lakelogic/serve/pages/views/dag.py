"""The graph of contracts, drawn as `lakelogic dag` draws it, with a way from each box to its contract."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from lakelogic.driver.graph import Graph
from lakelogic.serve.pages.links import contract_link
from lakelogic.viewer.drawing import svg
from lakelogic.viewer.layout import lay_out
from lakelogic.viewer.looking import view_of

# A picture up to this width can be made to fit the window and still be read.
_FITS = 1700


@dataclass(frozen=True)
class DagPage:
    """The picture, and how large it is in words."""

    svg: Markup | None
    told: str
    fits: bool = False


def dag_page(graph: Graph) -> DagPage:
    """The page of a graph; columns are not traced, so that it is there at once."""
    if not graph.nodes:
        return DagPage(None, "")
    view = view_of(graph, graph.order, columns=False)
    layout = lay_out(view)
    drawn = svg(view, layout, link=lambda box: contract_link(box.name) if box.kind == "contract" else None)
    needs = sum(len(each) for each in graph.upstreams.values())
    # The viewer escapes every text that it draws.
    return DagPage(Markup(drawn), f"{len(graph.nodes)} contracts, {needs} dependencies", layout.width <= _FITS)  # noqa: S704
