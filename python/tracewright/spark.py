"""Many traces by Spark::

    import tracewright.spark
    gaps = tracewright.spark.table(spark, "traces/*", "gaps")   # a pyspark.sql.DataFrame
    gaps.groupBy("trace").sum("events").show()

Each trace, or each part of one with ``parts=``, is a task; one that dies is done again by Spark. Spark knows neither unsigned integers nor nanoseconds: unsigned
integers are ``decimal(20,0)``, moments ``bigint``, nanoseconds since 1970 in UTC, as when it reads our Parquet files with
``spark.sql.legacy.parquet.nanosAsLong``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ._unit import Piece, Unit, count, counted, listed, pieces

if TYPE_CHECKING:
    import pyspark.sql


def table(
    spark: pyspark.sql.SparkSession, paths: object, what: str, *, parts: int = 1, **options: Any
) -> pyspark.sql.DataFrame:
    """A table of many traces: a method of ``tracewright.Inputs`` by its name, with its keyword arguments.

    ``paths``: a path or a list of paths, those of fsspec too. A trace that cannot be read is a row whose ``error`` says
    why. With ``name=``, fields have the columns that they have in the first trace; others stand in ``fields``.
    ``parts``: cuts each trace into so many parts, each a unit of work of its own: of ``events`` and ``gaps``, for long traces.
    Their events are counted at once, a task a part, which makes no rows.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    found = listed(paths)
    read = _Read(Unit(found, what, options, parts))
    units = list(map(Piece, found))
    if parts > 1:
        cut = pieces(found, parts)
        units = [piece for own in cut for piece in own]
        counts = iter(spark.sparkContext.parallelize(units, len(units)).map(count).collect())
        units = [piece for own in cut for piece in counted(own, counts)]
    inputs = spark.sparkContext.parallelize([(piece.packed(),) for piece in units], len(units)).toDF("unit string")
    return inputs.mapInArrow(read, from_arrow_schema(read.schema))


class _Read:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.schema = pa.schema([pa.field(field.name, _known(field.type)) for field in unit.schema])

    def __call__(self, units: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in units:
            for text in batch.column("unit").to_pylist():
                for rows in self.unit.batches(Piece.unpacked(text)):
                    columns = [column.cast(kind) for column, kind in zip(rows.columns, self.schema.types)]
                    yield pa.RecordBatch.from_arrays(columns, schema=self.schema)


def _known(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.int64()
    return pa.decimal128(20, 0) if pa.types.is_uint64(kind) else kind
