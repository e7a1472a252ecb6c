"""A unit of work for engines: a path in, rows out. Nothing is kept between two units, so each can be done again anywhere."""

from __future__ import annotations

import contextlib
import os
import posixpath
import tempfile
from collections.abc import Iterable, Iterator

import pyarrow as pa

from ._tracewright import open as _open


def local(path: str) -> bool:
    """Whether the path is one of the file system, not one of fsspec's (``s3://...``)."""
    return "://" not in path and "::" not in path


@contextlib.contextmanager
def fetched(path: str) -> Iterator[str]:
    """The trace as a file or folder on this machine; what fsspec knows lies in a temporary folder meanwhile. Most formats
    are read at any offset, so a stream would not do."""
    if local(path):
        yield path
        return
    import fsspec

    files, name = fsspec.core.url_to_fs(path)
    with tempfile.TemporaryDirectory(prefix="tracewright-") as folder:
        # Its name says what it is (``*.jsonl``).
        place = os.path.join(folder, posixpath.basename(name.rstrip("/")) or "trace")
        files.get(name, place, recursive=files.isdir(name))
        yield place


TABLES = (
    *("events", "gaps", "states", "incoherences", "inferred"),
    *("loops", "calls", "blocks", "sections", "values", "hangs"),
)


class Unit:
    """Reads one table of one trace after the other; small, and pickled to where the work is done."""

    def __init__(self, paths: list[str], what: str, options: dict) -> None:
        if what not in TABLES:
            raise ValueError(f"{what!r} is not a table; there are: {', '.join(TABLES)}")
        names = options.get("name")
        if what == "events" and names and "fields" not in options:
            # All units must have the same columns: those of the first trace. Whatever else an event carries is in `fields`.
            with fetched(paths[0]) as place:
                plain, own = (_table(place, what, some).columns for some in ({}, {"name": names}))
            options = {**options, "fields": [(name, kind) for name, kind, _ in own[len(plain) :]]}
        self.what, self.options = what, options
        self.schema: pa.Schema = pa.schema(_table(os.devnull, what, options))

    def batches(self, path: str) -> Iterator[pa.RecordBatch]:
        """The rows of a trace; of one that cannot be had, a row that says why."""
        try:
            with fetched(path) as place:
                for batch in pa.RecordBatchReader.from_stream(_table(place, self.what, self.options)):
                    yield batch if place == path else _renamed(batch, place, path)
        except Exception as error:
            if local(path):
                raise
            row = {"trace": path, "error": f"cannot open {path}: {type(error).__name__}: {error}"}
            yield pa.RecordBatch.from_pylist([row], self.schema)

    def table(self, path: str) -> pa.Table:
        """The same at once."""
        return pa.Table.from_batches(self.batches(path), self.schema)


def listed(paths: object) -> list[str]:
    """One path or many; folders and patterns of the file system stand for what is in them, as on the command line."""
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    assert isinstance(several, Iterable)
    found: list[str] = []
    for path in map(os.fspath, several):
        found += map(os.fspath, _open(path).paths) if local(path) else [path]
    if not found:
        raise ValueError("give at least one path")
    return found


def _table(place: str, what: str, options: dict):
    # An engine gives each core a unit of its own, and what is in a folder was looked up before.
    return getattr(_open(place, expand=False, jobs=1, errors="rows"), what)(**options)


def _renamed(batch: pa.RecordBatch, place: str, path: str) -> pa.RecordBatch:
    errors = [error and error.replace(place, path) for error in batch.column("error").to_pylist()]
    columns = [pa.array([path] * batch.num_rows), pa.array(errors, pa.string()), *batch.columns[2:]]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)
