"""What the extension module holds."""

import os
from collections.abc import Sequence
from typing import Literal, Optional, Union

_Path = Union[str, os.PathLike[str]]
_Track = Literal["thread", "cpu", "stream"]

__version__: str
SCHEMA_VERSION: int
"""The version of all tables: it changes when a column goes, moves or means something else."""

class Error(Exception):
    """What cannot be done, with the sentence that the command line says."""

def open(
    paths: Union[_Path, Sequence[_Path]],
    *,
    expand: bool = True,
    jobs: Optional[int] = None,
    errors: Literal["raise", "rows"] = "raise",
    part: Optional[tuple[int, int]] = None,
    before: Optional[Sequence[int]] = None,
) -> Inputs:
    """Open one or many traces or recordings of control flow.

    ``paths`` is a path or a list of paths; folders stand for what is in them, patterns with ``*`` and ``?`` for what
    fits. Nothing is read yet but the names.

    ``expand``: with ``False`` each path is one input, whatever is in it.
    ``jobs``: how many inputs to read at a time; one for each core unless given.
    ``errors``: an input that cannot be read is a row whose ``error`` says why. Where none can be read, ``"raise"``
    raises ``Error`` and ``"rows"`` gives the rows.
    ``part``: ``(3, 8)`` is the third of eight parts of the one input. Parts one after the other are the table. Of
    ``events`` and ``gaps``.
    ``before``: with ``part``, the sums of ``events_by_stream`` of all parts before it, where they are known: what is
    before the part is then left out and not stepped over.
    """

class Inputs:
    """Traces or recordings that were opened; each method is a table of ``docs/tables.md``."""

    @property
    def paths(self) -> list[os.PathLike[str]]:
        """The inputs that the paths stand for."""

    def events_by_stream(self) -> Optional[list[int]]:
        """How many events each stream has in the part; ``None`` where they cannot be counted without a look at all that
        is before."""

    def events(
        self,
        *,
        name: Union[str, Sequence[str], None] = None,
        fields: Optional[Sequence[tuple[str, str]]] = None,
    ) -> Table:
        """Events of a trace, or of a recording the blocks that ran.

        ``name``: only events with such a name, and a column for each of their fields; a pattern with ``*`` and ``?``,
        or a list of them.
        ``fields``: with ``name``, the names and kinds of those columns; those that the first events carry unless given.
        """

    def gaps(self) -> Table:
        """Places where something was lost."""

    def states(self, *, model: Optional[str] = None) -> Table:
        """States of threads, CPUs and whatever else a model knows.

        ``model``: a built-in one or a file; ``kernel-2018`` unless given.
        """

    def incoherences(self, *, model: Optional[str] = None) -> Table:
        """Events that the machines of a model do not take: something before them is missing.

        ``model``: a built-in one or a file; ``kernel`` unless given.
        """

    def inferred(self, *, model: Optional[str] = None) -> Table:
        """Events that were lost and are inferred, each with its interval and its probability.

        ``model``: a built-in one or a file; ``kernel`` unless given.
        """

    def loops(self, *, track_by: _Track = "thread") -> Table:
        """Runs of every level: loops, and what lies between them."""

    def calls(self) -> Table:
        """Who called whom from which line, how often, by thread."""

    def blocks(self) -> Table:
        """Blocks that ran, with their lines and counts."""

    def sections(self) -> Table:
        """Tests, requests and tasks that ran, and marks."""

    def values(self) -> Table:
        """With which arguments methods were called, and what came of it."""

    def hangs(self, *, track_by: _Track = "thread") -> Table:
        """Loops that tracks end in, and what threads were in the middle of."""

    def __len__(self) -> int: ...

class Table:
    """A table. ``pyarrow.table``, ``pandas.DataFrame.from_arrow``, ``polars.DataFrame`` and DuckDB take it as it is, by
    ``__arrow_c_stream__``; each time it is read anew, some thousand rows at a time."""

    @property
    def columns(self) -> list[tuple[str, str, str]]:
        """The columns: name, kind and what each holds."""

    @property
    def notes(self) -> list[str]:
        """What the command line says beside the answer, of the stream that was begun last: losses, damage, remarks
        about a model. It is complete when the stream was read to its end."""

    def __arrow_c_schema__(self) -> object:
        """The Arrow C schema of the table, as a capsule."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as an Arrow C stream, in a capsule. ``requested_schema`` is not regarded, as the interface
        allows."""
