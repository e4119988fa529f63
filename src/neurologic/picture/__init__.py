"""Pictures of searches: from the records of a trace to an offline page, or to an SVG.

`SearchTree` has what a picture shows, `layout` says where; `static` draws it in a browser, `svg` on paper.
`GrowingSearch` tells a browser about a search that still runs.
Nothing here searches: see `neurologic.search.trace` for the records.
"""

from neurologic.picture.columns import GrowingSearch
from neurologic.picture.drawing import STATIC, Picture, PictureBuilder
from neurologic.picture.search_tree import SearchTree

__all__ = ["STATIC", "GrowingSearch", "Picture", "PictureBuilder", "SearchTree"]
