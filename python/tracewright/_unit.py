"""A unit of work for engines: a path, or a part of one, in; rows out. Nothing is kept between two units, so each can be
done again anywhere."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import posixpath
import tempfile
from collections.abc import Iterable, Iterator
from typing import Optional

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


@dataclasses.dataclass(frozen=True)
class Piece:
    """What one unit of work reads: a trace, or part ``number`` of ``of``; ``before``: how many events each stream has
    before that, where it is known."""

    path: str
    number: int = 1
    of: int = 1
    before: Optional[list[int]] = None

    def after(self, counts: Optional[list[int]]) -> Piece:
        """The same, with what is known of the parts before it."""
        return dataclasses.replace(self, before=counts)

    def total(self, counts: Optional[list[int]]) -> Optional[list[int]]:
        """How many events each stream has before the next part."""
        before = [0] * len(counts or ()) if self.number == 1 else self.before
        if counts is None or before is None:
            return None
        return [one + other for one, other in zip(before, counts)]

    def packed(self) -> str:
        """As text, for engines that carry columns."""
        return json.dumps(dataclasses.astuple(self))

    @staticmethod
    def unpacked(text: str) -> Piece:
        """See ``packed``."""
        return Piece(*json.loads(text))


def pieces(paths: list[str], parts: int) -> list[list[Piece]]:
    """The parts of each trace."""
    return [[Piece(path, number, parts) for number in range(1, parts + 1)] for path in paths]


def count(piece: Piece) -> Optional[list[int]]:
    """How many events each stream has in a part: the first pass over a trace in parts, which makes no rows. ``None``: the
    parts behind this one have to find out by themselves. Of a trace that cannot be had, the second pass says why."""
    try:
        with fetched(piece.path) as place:
            return _open(place, expand=False, part=(piece.number, piece.of)).events_by_stream()
    except Exception:
        return None


def counted(pieces: list[Piece], counts: Iterable[Optional[list[int]]]) -> list[Piece]:
    """The parts of a trace with what is before them, by the counts of all."""
    known: list[Piece] = []
    before: Optional[list[int]] = None
    for piece, own in zip(pieces, counts):
        known.append(piece.after(before))
        before = known[-1].total(own)
    return known


class Unit:
    """Reads one table of one trace after the other; small, and pickled to where the work is done."""

    def __init__(self, paths: list[str], what: str, options: dict, parts: int = 1) -> None:
        if what not in TABLES:
            raise ValueError(f"{what!r} is not a table; there are: {', '.join(TABLES)}")
        names = options.get("name")
        if what == "events" and names and "fields" not in options:
            # All units must have the same columns: those of the first trace. Whatever else an event carries is in `fields`.
            with fetched(paths[0]) as place:
                plain, own = (_table(place, what, some).columns for some in ({}, {"name": names}))
            options = {**options, "fields": [(name, kind) for name, kind, _ in own[len(plain) :]]}
        self.what, self.options = what, options
        self.schema: pa.Schema = pa.schema(_table(os.devnull, what, options, Piece(os.devnull, 1, parts)))

    def batches(self, piece: Piece) -> Iterator[pa.RecordBatch]:
        """The rows of a trace or of a part; of a trace that cannot be had, a row that says why, in its first part."""
        path = piece.path
        try:
            with fetched(path) as place:
                for batch in pa.RecordBatchReader.from_stream(_table(place, self.what, self.options, piece)):
                    yield batch if place == path else _renamed(batch, place, path)
        except Exception as error:
            if local(path):
                raise
            if piece.number > 1:
                return
            row = {"trace": path, "error": f"cannot open {path}: {type(error).__name__}: {error}"}
            yield pa.RecordBatch.from_pylist([row], self.schema)

    def table(self, piece: Piece) -> pa.Table:
        """The same at once."""
        return pa.Table.from_batches(self.batches(piece), self.schema)


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


def _table(place: str, what: str, options: dict, piece: Piece = Piece(os.devnull)):
    # An engine gives each core a unit of its own, and what is in a folder was looked up before.
    part, before = ((piece.number, piece.of), piece.before) if piece.of != 1 else (None, None)
    inputs = _open(place, expand=False, jobs=1, errors="rows", part=part, before=before)
    return getattr(inputs, what)(**options)


def _renamed(batch: pa.RecordBatch, place: str, path: str) -> pa.RecordBatch:
    errors = [error and error.replace(place, path) for error in batch.column("error").to_pylist()]
    columns = [pa.array([path] * batch.num_rows), pa.array(errors, pa.string()), *batch.columns[2:]]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)
