"""ORC: columns and row counts from footers."""

from __future__ import annotations

from lakelogic.errors import SourceError, first_line
from lakelogic.formats.arrow_types import columns_of
from lakelogic.formats.base import FileFormat, ReadOptions, formats
from lakelogic.formats.bytes import open_file
from lakelogic.sql.types import Columns


@formats.add("orc")
class Orc(FileFormat):
    """Typed columns, with a footer that tells them."""

    def columns(self, path: str, options: ReadOptions) -> tuple[Columns, int | None]:
        from pyarrow import ArrowException
        from pyarrow.orc import ORCFile

        try:
            with open_file(path) as stream:
                footer = ORCFile(stream)
                return columns_of(footer.schema), footer.nrows
        except (ArrowException, OSError) as error:
            raise SourceError(f"{path} is not a readable orc file: {first_line(error)}") from None
