"""What other packages make of the tables: the same rows, and the same kinds, as the program prints and writes."""

import pathlib
import tempfile
import unittest

import tracewright
from house import COMPLETE, LOSSY, TABLES, lines, needs, options, program


def as_text(value):
    """A cell of pyarrow as the program prints it in CSV."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


@needs("pyarrow")
class PyArrow(unittest.TestCase):
    def test_every_cell_is_that_of_the_program(self):
        import pyarrow as pa

        for what, inputs, keywords in TABLES:
            with self.subTest(what=what, **keywords):
                table = pa.table(getattr(tracewright.open(inputs), what)(**keywords))
                numbers = [
                    column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column for column in table.columns
                ]
                cells = [[as_text(cell) for cell in column.to_pylist()] for column in numbers]
                found = [dict(zip(table.column_names, row)) for row in zip(*cells)]
                self.assertEqual(found, lines(what, inputs, keywords))

    def test_a_stream_is_read_batch_by_batch(self):
        import pyarrow as pa

        reader = pa.RecordBatchReader.from_stream(tracewright.open([COMPLETE] * 3).events())
        batches = list(reader)
        self.assertGreaterEqual(len(batches), 3)
        self.assertEqual(sum(batch.num_rows for batch in batches), 3 * len(lines("events", [COMPLETE], {})))

    def test_an_error_is_our_exception(self):
        import pyarrow as pa

        with self.assertRaisesRegex(tracewright.Error, "cannot open none"):
            pa.table(tracewright.open("none").events())


class Frames(unittest.TestCase):
    """Counts and sums by each package, against the rows that the program prints."""

    @classmethod
    def setUpClass(cls):
        printed = lines("gaps", [LOSSY], {})
        cls.rows, cls.events = len(printed), sum(int(row["events"] or 0) for row in printed)
        cls.gaps = tracewright.open(LOSSY).gaps()

    @needs("pandas", "pyarrow")
    def test_pandas(self):
        import pandas

        frame = pandas.DataFrame.from_arrow(self.gaps)
        self.assertEqual((len(frame), frame["events"].sum()), (self.rows, self.events))
        self.assertIn("datetime64[ns, UTC]", str(frame["from"].dtype))

    @needs("polars")
    def test_polars(self):
        import polars

        frame = polars.DataFrame(self.gaps)
        self.assertEqual((len(frame), frame["events"].sum()), (self.rows, self.events))
        self.assertEqual(frame.schema["from"], polars.Datetime("ns", "UTC"))

    @needs("duckdb", "pyarrow")
    def test_duckdb(self):
        import duckdb

        gaps = self.gaps
        asked = duckdb.sql("select count(*), sum(events) from gaps").fetchall()
        self.assertEqual(asked, [(self.rows, self.events)])
        self.assertEqual(len(gaps.notes), 1)


class Parquet(unittest.TestCase):
    """What the program writes is read alike by all."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.files = {}
        for place, (what, inputs, keywords) in enumerate(TABLES):
            file = self.folder / f"{place}.parquet"
            program("table", what, *inputs, *options(keywords), "-o", file)
            self.files[file] = (what, inputs, keywords)

    @needs("pyarrow")
    def test_pyarrow_has_what_the_stream_has(self):
        import pyarrow as pa
        import pyarrow.parquet as pq

        for file, (what, inputs, keywords) in self.files.items():
            with self.subTest(what=what, **keywords):
                stream = pa.table(getattr(tracewright.open(inputs), what)(**keywords))
                self.assertTrue(pq.read_table(file).equals(stream))

    @needs("pyarrow", "pandas", "polars", "duckdb")
    def test_counts_and_kinds_are_equal(self):
        import duckdb
        import pandas
        import polars
        import pyarrow.parquet as pq

        for file in self.files:
            with self.subTest(file=file.name):
                table = pq.read_table(file)
                by_polars = polars.read_parquet(file)
                by_pandas = pandas.read_parquet(file, dtype_backend="pyarrow")
                by_duckdb = duckdb.sql(f"select * from '{file}'")
                counts = {len(by_polars), len(by_pandas), len(by_duckdb), table.num_rows}
                self.assertEqual(len(counts), 1, counts)
                kinds = [KINDS[str(kind)] for kind in table.schema.types]
                self.assertEqual(kinds, [KINDS[str(kind)] for kind in by_polars.dtypes])
                self.assertEqual(kinds, [KINDS[str(kind)] for kind in by_duckdb.types])
                self.assertEqual(kinds, [KINDS[str(kind.pyarrow_dtype)] for kind in by_pandas.dtypes])


# What each package calls the kinds of columns.
KINDS = {
    **dict.fromkeys(["string", "large_string", "String", "VARCHAR"], "text"),
    **dict.fromkeys(["uint64", "UInt64", "UBIGINT"], "unsigned integer"),
    **dict.fromkeys(["int64", "Int64", "BIGINT"], "integer"),
    **dict.fromkeys(["double", "Float64", "DOUBLE"], "double"),
    **dict.fromkeys(["bool", "Boolean", "BOOLEAN"], "boolean"),
    **dict.fromkeys(
        [
            "timestamp[ns, tz=UTC]",
            "Datetime(time_unit='ns', time_zone='UTC')",
            "TIMESTAMPTZ_NS",
            # Of versions that have no nanoseconds.
            "TIMESTAMP WITH TIME ZONE",
        ],
        "timestamp",
    ),
}


if __name__ == "__main__":
    unittest.main()
