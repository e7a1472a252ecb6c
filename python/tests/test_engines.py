"""Engines give the rows that the program gives, on 64 traces of which four are damaged, each where it is installed."""

import collections
import contextlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent import futures
from unittest import mock

import tracewright
from house import COMPLETE, LOSSY, PROGRAM, ROOT, needs, program

COPIES = 64
DAMAGED = 4
PARTS = 5
# Each takes seconds, since a worker is started for one that is killed.
KILLS = int(os.environ.get("TRACEWRIGHT_KILLS", "2"))
WHATS = [("gaps", {}), ("events", {"name": "shop:order_*"}), ("loops", {"track_by": "cpu"})]


def rows(table):
    """The rows of a pyarrow table, in any order, with moments as nanoseconds and all integers alike."""
    import pyarrow as pa

    def plain(column):
        kind = column.type
        if pa.types.is_timestamp(kind):
            column = column.cast(pa.int64())
        return [int(cell) if pa.types.is_decimal(kind) and cell is not None else cell for cell in column.to_pylist()]

    return collections.Counter(zip(*map(plain, table.columns)))


@needs("pyarrow")
class Engines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.paths = copies(pathlib.Path(folder.name))

    def compare(self, read):
        import pyarrow as pa

        for what, options in WHATS:
            with self.subTest(what=what):
                expected = rows(pa.table(getattr(tracewright.open(self.paths), what)(**options)))
                errors = [row for row in expected.elements() if row[1]]
                self.assertEqual(len(errors), DAMAGED)
                self.assertGreater(expected.total(), COPIES)
                self.assertEqual(rows(read(self.paths, what, options)), expected)

    def test_one_unit_after_the_other(self):
        from tracewright import _unit
        import pyarrow as pa

        def read(paths, what, options):
            found = _unit.listed(paths)
            unit = _unit.Unit(found, what, options)
            return pa.concat_tables(unit.table(_unit.Piece(path)) for path in found)

        self.compare(read)

    def compare_parts(self, read):
        """Parts of each trace are the whole of it, in rows, numbers and errors."""
        import pyarrow as pa

        for what, options in WHATS[:2]:
            with self.subTest(what=what):
                expected = rows(pa.table(getattr(tracewright.open(self.paths[:8]), what)(**options)))
                self.assertEqual(rows(read(self.paths[:8], what, {"parts": PARTS, **options})), expected)

    def test_parts_one_after_the_other(self):
        from tracewright import _unit
        import pyarrow as pa

        def read(paths, what, options):
            parts = options.pop("parts")
            found = _unit.listed(paths)
            unit = _unit.Unit(found, what, options, parts)
            tables = []
            for own in _unit.pieces(found, parts):
                counts = list(map(_unit.count, own))
                # Of a trace that cannot be read nothing is counted.
                self.assertEqual(None in counts, own[0].path == found[3])
                tables += map(unit.table, _unit.counted(own, counts))
            return pa.concat_tables(tables)

        self.compare_parts(read)

    @needs("dask", "distributed", "pandas")
    def test_dask(self):
        import dask
        import pyarrow as pa
        import tracewright.dask

        def read(paths, what, options):
            frame = tracewright.dask.table(paths, what, **options)
            self.assertEqual(list(frame.columns), list(frame.compute().columns))
            return pa.Table.from_pandas(frame.compute(), preserve_index=False)

        with dask.config.set(scheduler="threads"):
            self.compare(read)
            self.compare_parts(read)

    @needs("dask", "distributed", "pandas")
    def test_dask_when_workers_are_killed(self):
        import dask
        import pyarrow as pa
        import tracewright.dask
        from distributed import Client

        # Dask gives up a worker that is away so long after it was lost, even if it was started anew meanwhile and killed again.
        patience = dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"})
        rng = random.Random(37)
        expected = {what: rows(pa.table(getattr(tracewright.open(self.paths), what)())) for what in ["events", "gaps"]}
        with patience, Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
            for number in range(KILLS):
                what, parts = rng.choice(["events", "gaps"]), rng.choice([1, 3])
                client.wait_for_workers(2, timeout=60)
                workers = client.run(os.getpid)
                found = client.compute(tracewright.dask.table(self.paths, what, parts=parts))
                time.sleep(rng.random() / 2)
                address = rng.choice(list(workers))
                os.kill(workers[address], signal.SIGKILL)
                table = pa.Table.from_pandas(found.result(timeout=300), preserve_index=False)
                self.assertEqual(rows(table), expected[what], (number, what, parts))
                # Dask may not have noticed yet, and would ask it for its number.
                while address in client.scheduler_info()["workers"]:
                    time.sleep(0.05)

    @needs("ray", "pandas")
    def test_ray(self):
        import pyarrow as pa
        import ray
        import tracewright.ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        self.addCleanup(ray.shutdown)
        ray.data.DataContext.get_current().enable_progress_bars = False

        def read(paths, what, options):
            found = tracewright.ray.table(paths, what, **options)
            return pa.concat_tables(found.iter_batches(batch_format="pyarrow", batch_size=None))

        self.compare(read)
        self.compare_parts(read)

    @needs("ray", "pandas")
    def test_ray_when_workers_are_killed(self):
        import pyarrow as pa
        import ray
        import tracewright.ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        self.addCleanup(ray.shutdown)
        ray.data.DataContext.get_current().enable_progress_bars = False
        rng = random.Random(37)
        expected = {what: rows(pa.table(getattr(tracewright.open(self.paths), what)())) for what in ["events", "gaps"]}
        killed = 0
        while killed < KILLS:
            what, parts = rng.choice(["events", "gaps"]), rng.choice([1, 3])
            with futures.ThreadPoolExecutor(1) as killer:
                # As the first task begins, and some time later.
                victim = killer.submit(kill_a_ray_task, rng, rng.random())
                found = tracewright.ray.table(self.paths, what, parts=parts)
                table = pa.concat_tables(found.iter_batches(batch_format="pyarrow", batch_size=None))
                self.assertEqual(rows(table), expected[what], (killed, what, parts))
                killed += victim.result()

    @needs("pyspark", "pandas")
    @unittest.skipIf(shutil.which("java") is None, "no java")
    def test_spark(self):
        import pyarrow as pa
        import tracewright.spark
        from pyspark.sql import SparkSession

        # Its workers would be those of whatever is called python3.
        patch = mock.patch.dict(os.environ, PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable)
        patch.start()
        self.addCleanup(patch.stop)
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        spark = builder.config("spark.sql.legacy.parquet.nanosAsLong", "true").getOrCreate()
        self.addCleanup(spark.stop)

        def read(paths, what, options):
            return tracewright.spark.table(spark, paths, what, **options).toArrow()

        self.compare(read)
        self.compare_parts(read)
        # And Spark reads the same of a file.
        with tempfile.TemporaryDirectory() as folder:
            import pyarrow.parquet as pq

            file = os.path.join(folder, "gaps.parquet")
            table = pa.table(tracewright.open(LOSSY).gaps())
            pq.write_table(table, file)
            frame = spark.read.parquet(file)
            self.assertEqual(frame.schema, tracewright.spark.table(spark, LOSSY, "gaps").schema)
            self.assertEqual(rows(frame.toArrow()), rows(table))


@needs("pyarrow", "fsspec")
class Remote(unittest.TestCase):
    def test_what_fsspec_has_is_fetched_and_goes_again(self):
        import fsspec
        import pyarrow as pa
        from tracewright._unit import Piece, Unit

        memory = fsspec.filesystem("memory")
        memory.put(str(LOSSY), "/traces/lossy", recursive=True)
        memory.pipe("/traces/app.jsonl", b'{"ts":1,"name":"a"}\n{"ts":2,"name":"b"}\n')
        self.addCleanup(memory.rm, "/traces", recursive=True)
        before = set(os.listdir(tempfile.gettempdir()))
        found = ["memory://traces/lossy", "memory://traces/app.jsonl", "memory://traces/none"]
        unit = Unit(found, "events", {})
        lossy, app, none = map(unit.table, map(Piece, found))
        local = pa.table(tracewright.open(LOSSY).events())
        self.assertEqual(rows(lossy.drop_columns("trace")), rows(local.drop_columns("trace")))
        self.assertEqual(app.column("name").to_pylist(), ["a", "b"])
        for path, table in zip(found, [lossy, app, none]):
            self.assertEqual(set(table.column("trace").to_pylist()), {path})
        self.assertRegex(none.column("error")[0].as_py(), "cannot open memory://traces/none: FileNotFoundError")
        left = {name for name in os.listdir(tempfile.gettempdir()) if name.startswith("tracewright-")}
        self.assertEqual(left - before, set())

    def test_an_error_names_what_was_given(self):
        import fsspec
        from tracewright._unit import Piece, Unit

        memory = fsspec.filesystem("memory")
        memory.pipe("/traces/app.bin", b"\0\1\2")
        self.addCleanup(memory.rm, "/traces", recursive=True)
        table = Unit(["memory://traces/app.bin"], "events", {}).table(Piece("memory://traces/app.bin"))
        self.assertRegex(table.column("error")[0].as_py(), "^memory://traces/app.bin is no trace")

    def test_only_tables_are_asked_for(self):
        from tracewright._unit import Unit

        self.assertRaises(ValueError, Unit, [str(LOSSY)], "paths", {})
        self.assertRaises(TypeError, Unit, [str(LOSSY)], "gaps", {"model": "kernel"})
        for what, parts in [("loops", 2), ("events", 0), ("events", -1)]:
            self.assertRaises((ValueError, OverflowError), Unit, [str(LOSSY)], what, {}, parts)


class Search(unittest.TestCase):
    @needs("dask", "distributed")
    def test_the_script_of_the_guide_puts_a_search_together(self):
        guide = (ROOT / "docs/guide/search-2l.md").read_text()
        script = guide.split("```python\n")[1].split("```")[0]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "search.py")
            file.write_text(script)
            paths = os.pathsep.join([str(PROGRAM.parent), os.environ["PATH"]])
            parts = os.path.join(folder, "parts")
            command = [sys.executable, str(file), "4", "3", parts]
            run = subprocess.run(
                command, env={**os.environ, "PATH": paths}, capture_output=True, text=True, check=False
            )
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(run.stdout, program("2l", "search", "4", "3"))
            # Each part was verified by itself; together they cover the size.
            proofs = "".join(path.read_text() for path in sorted(pathlib.Path(parts).glob("*.txt")))
            file.write_text(proofs)
            self.assertIn("4 by 3", program("2l", "verify", "--covers", "4", "3", file))


def kill_a_ray_task(rng, delay):
    """Kills a worker of Ray on this machine that does a task, once there is one; whether there was."""
    until = time.monotonic() + 60
    began = None
    while time.monotonic() < until:
        workers = []
        for process in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                # Workers that have nothing to do call themselves `ray::IDLE`.
                title = (process / "cmdline").read_bytes() if process.name.isdigit() else b""
                if title.startswith(b"ray::") and any(name in title for name in [b"Read", b"count"]):
                    workers.append(int(process.name))
        if workers and began is None:
            began = time.monotonic()
        if workers and time.monotonic() - began >= delay:
            with contextlib.suppress(ProcessLookupError):
                os.kill(rng.choice(workers), signal.SIGKILL)
                return True
        if began is not None and not workers and time.monotonic() - began > delay + 5:
            return False
        time.sleep(0.01)
    return False


def copies(folder):
    """Copies of the example traces, four of them damaged so that they cannot be read."""
    paths = []
    for number in range(COPIES):
        path = folder / f"{number:02}"
        shutil.copytree(LOSSY if number % 2 else COMPLETE, path)
        if number % (COPIES // DAMAGED) == 3:
            # One has no description, another an empty one, a third one of something else.
            metadata = next(path.rglob("metadata"))
            metadata.unlink() if number < 16 else metadata.write_bytes(b"" if number < 32 else b"\0\1")
        paths.append(str(path))
    return paths


if __name__ == "__main__":
    unittest.main()
