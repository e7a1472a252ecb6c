"""Many traces by Dask::

    import tracewright.dask
    gaps = tracewright.dask.table("traces/*", "gaps")        # a dask.dataframe.DataFrame
    gaps.groupby("trace").events.sum().compute()

Each trace is a partition, or each part of one with ``parts=``, and its rows are in memory at once. A worker that dies has
its partitions made anew by Dask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._unit import Piece, Unit, count, listed, pieces

if TYPE_CHECKING:
    import dask.dataframe
    import pandas


def table(paths: object, what: str, *, parts: int = 1, **options: Any) -> dask.dataframe.DataFrame:
    """A table of many traces: a method of ``tracewright.Inputs`` by its name, with its keyword arguments.

    ``paths``: a path or a list of paths, those of fsspec too. A trace that cannot be read is a row whose ``error`` says
    why. With ``name=``, fields have the columns that they have in the first trace; others stand in ``fields``. Columns
    have Arrow's kinds, so an empty cell stays empty.
    ``parts``: cuts each trace into so many parts, each a unit of work of its own: of ``events`` and ``gaps``, for long traces.
    Their events are counted first, a task a part, which makes no rows.
    """
    import dask
    import dask.dataframe

    found = listed(paths)
    read = _Read(Unit(found, what, options, parts))
    meta = read.frame(read.unit.schema.empty_table())
    if parts == 1:
        return dask.dataframe.from_map(read, list(map(Piece, found)), meta=meta, label="tracewright")
    frames = []
    for of_trace in pieces(found, parts):
        before: Any = None
        for piece in of_trace:
            after = dask.delayed(Piece.after)(piece, before)
            frames.append(dask.delayed(read)(after))
            before = dask.delayed(Piece.total)(after, dask.delayed(count)(piece))
    return dask.dataframe.from_delayed(frames, meta=meta, verify_meta=False)


class _Read:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit

    def __call__(self, piece: Piece) -> pandas.DataFrame:
        return self.frame(self.unit.table(piece))

    @staticmethod
    def frame(rows: Any) -> pandas.DataFrame:
        import pandas

        return rows.to_pandas(types_mapper=pandas.ArrowDtype)
