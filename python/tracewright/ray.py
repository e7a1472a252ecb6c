"""Many traces by Ray::

    import tracewright.ray
    gaps = tracewright.ray.table("traces/*", "gaps")         # a ray.data.Dataset
    gaps.write_parquet("gaps/")

A task of ``ray.data`` reads a trace, or a part of one with ``parts=``, or several of them where there are many; a task that
dies is done again by Ray. Traces are fetched where they are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ._unit import Piece, Unit, count, counted, listed, pieces

if TYPE_CHECKING:
    import ray.data

# Tasks for each CPU, at most: enough for CPUs to end at about the same time. Ray takes some tenths of a second to begin a
# task, which is more than many traces take.
TASKS = 4


def table(paths: object, what: str, *, parts: int = 1, **options: Any) -> ray.data.Dataset:
    """A table of many traces: a method of ``tracewright.Inputs`` by its name, with its keyword arguments.

    ``paths``: a path or a list of paths, those of fsspec too. A trace that cannot be read is a row whose ``error`` says
    why. With ``name=``, fields have the columns that they have in the first trace; others stand in ``fields``.
    ``parts``: cuts each trace into so many parts, each a unit of work of its own: of ``events`` and ``gaps``, for long traces.
    Their events are counted at once, a task a part, which makes no rows.
    """
    import ray
    import ray.data

    found = listed(paths)
    unit = Unit(found, what, options, parts)
    units = list(map(Piece, found))
    if parts > 1:
        counting = ray.remote(count)
        begun = [(own, [counting.remote(piece) for piece in own]) for own in pieces(found, parts)]
        units = [piece for own, counts in begun for piece in counted(own, ray.get(counts))]
    if not ray.is_initialized():
        ray.init()
    tasks = min(len(units), TASKS * max(1, int(ray.cluster_resources().get("CPU", 1))))
    inputs = ray.data.from_items([{"unit": piece.packed()} for piece in units], override_num_blocks=tasks)
    return inputs.map_batches(_Read(unit), batch_size=1, batch_format="pyarrow", zero_copy_batch=True)


class _Read:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit

    def __call__(self, units: pa.Table) -> Iterator[pa.Table]:
        # Also where there are no rows the columns are known.
        yield self.unit.schema.empty_table()
        for text in units.column("unit").to_pylist():
            for batch in self.unit.batches(Piece.unpacked(text)):
                yield pa.Table.from_batches([batch])
