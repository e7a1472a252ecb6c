"""Many traces by Ray::

    import tracewright.ray
    gaps = tracewright.ray.table("traces/*", "gaps")         # a ray.data.Dataset
    gaps.write_parquet("gaps/")

Each trace is a task of ``ray.data``'s own; a task that dies is done again by Ray. Traces are fetched where they are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ._unit import Unit, listed

if TYPE_CHECKING:
    import ray.data


def table(paths: object, what: str, **options: Any) -> ray.data.Dataset:
    """A table of many traces: a method of ``tracewright.Inputs`` by its name, with its keyword arguments.

    ``paths``: a path or a list of paths, those of fsspec too. A trace that cannot be read is a row whose ``error`` says
    why. With ``name=``, fields have the columns that they have in the first trace; others stand in ``fields``.
    """
    import ray.data

    found = listed(paths)
    unit = Unit(found, what, options)
    inputs = ray.data.from_items([{"path": path} for path in found], override_num_blocks=len(found))
    return inputs.map_batches(_Read(unit), batch_size=1, batch_format="pyarrow", zero_copy_batch=True)


class _Read:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit

    def __call__(self, paths: pa.Table) -> Iterator[pa.Table]:
        # Also where there are no rows the columns are known.
        yield self.unit.schema.empty_table()
        for path in paths.column("path").to_pylist():
            for batch in self.unit.batches(path):
                yield pa.Table.from_batches([batch])
