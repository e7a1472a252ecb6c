"""Answers about execution traces as tables: ``tracewright.open(path).events()``.

Each table is handed to pyarrow, pandas, Polars and DuckDB without a copy::

    import pandas, tracewright
    events = pandas.DataFrame.from_arrow(tracewright.open("trace/").events())

``tracewright.ray``, ``tracewright.dask`` and ``tracewright.spark`` read many traces on many machines.
"""

from ._tracewright import SCHEMA_VERSION, Error, Inputs, Table, __version__, open

__all__ = ["SCHEMA_VERSION", "Error", "Inputs", "Table", "__version__", "open"]
