"""Many traces by Dask::

    import tracewright.dask
    gaps = tracewright.dask.table("traces/*", "gaps")        # a dask.dataframe.DataFrame
    gaps.groupby("trace").events.sum().compute()

Each trace is a partition, and its rows are in memory at once. A worker that dies has its partitions made anew by Dask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._unit import Unit, listed

if TYPE_CHECKING:
    import dask.dataframe
    import pandas


def table(paths: object, what: str, **options: Any) -> dask.dataframe.DataFrame:
    """A table of many traces: a method of ``tracewright.Inputs`` by its name, with its keyword arguments.

    ``paths``: a path or a list of paths, those of fsspec too. A trace that cannot be read is a row whose ``error`` says
    why. With ``name=``, fields have the columns that they have in the first trace; others stand in ``fields``. Columns
    have Arrow's kinds, so an empty cell stays empty.
    """
    import dask.dataframe

    found = listed(paths)
    read = _Read(Unit(found, what, options))
    return dask.dataframe.from_map(read, found, meta=read.frame(read.unit.schema.empty_table()), label="tracewright")


class _Read:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit

    def __call__(self, path: str) -> pandas.DataFrame:
        return self.frame(self.unit.table(path))

    @staticmethod
    def frame(rows: Any) -> pandas.DataFrame:
        import pandas

        return rows.to_pandas(types_mapper=pandas.ArrowDtype)
