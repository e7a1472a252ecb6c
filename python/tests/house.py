"""What the tests share: the example traces, the program of the wheel, and a reader of Arrow's C stream by ctypes alone."""

import csv
import ctypes
import importlib.util
import io
import pathlib
import subprocess
import sysconfig
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sysconfig.get_path("scripts"), "tracewright")
LOSSY = ROOT / "examples/traces/lossy"
COMPLETE = ROOT / "examples/traces/complete"
TALK = ROOT / "examples/pipes/talk.data.gz"
BAKERY = ROOT / "examples/bakery/bakery.capture"

# Every table, with the inputs and the options that it is tried with.
TABLES = [
    ("events", [COMPLETE, BAKERY], {}),
    ("events", [TALK], {"name": "sched_*"}),
    ("events", [TALK], {"name": ["sched_switch", "sched_wakeup"]}),
    ("gaps", [LOSSY, ROOT / "examples/traces/overwrite"], {}),
    ("states", [TALK], {}),
    ("incoherences", [TALK], {"model": "kernel"}),
    ("inferred", [TALK], {}),
    ("loops", [LOSSY], {"track_by": "stream"}),
    ("calls", [BAKERY, ROOT / "examples/uftrace/bakery.data"], {}),
    ("blocks", [BAKERY], {}),
    ("sections", [BAKERY], {}),
    ("values", [ROOT / "web/tests/values.capture"], {}),
    ("hangs", [LOSSY, BAKERY], {}),
]


def needs(*packages):
    """Skips a test, with the reason, where one of these packages is not installed."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


def program(*arguments):
    """What the program of the wheel prints; 1 means that something is missing in the trace."""
    ran = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1):
        raise AssertionError(ran.stderr)
    return ran.stdout


def options(keywords):
    """Keyword arguments as they are typed."""
    for name, values in keywords.items():
        for value in [values] if isinstance(values, str) else values:
            yield from ["--" + name.replace("_", "-"), value]


def lines(what, inputs, keywords):
    """The table that the program prints, as dictionaries of text."""
    text = program("table", what, *inputs, *options(keywords))
    return list(csv.DictReader(io.StringIO(text)))


class _Schema(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ("private_data", ctypes.c_void_p),
]


class _Array(ctypes.Structure):
    _fields_ = [
        ("length", ctypes.c_int64),
        ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.c_void_p),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("private_data", ctypes.c_void_p),
    ]


class _Stream(ctypes.Structure):
    _fields_ = [
        ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
        ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
        ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
        ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("private_data", ctypes.c_void_p),
    ]


class Stream:
    """A stream, read as any consumer does. The capsule has it, and ends it when it goes."""

    def __init__(self, table):
        self.capsule = table.__arrow_c_stream__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        self.address = pointer(self.capsule, b"arrow_array_stream")
        self.stream = _Stream.from_address(self.address)

    def names(self):
        """Names and formats of the columns."""
        schema = _Schema()
        assert self.stream.get_schema(self.address, ctypes.byref(schema)) == 0
        found = [schema.children[place].contents for place in range(schema.n_children)]
        named = [(column.name.decode(), column.format.decode()) for column in found]
        schema.release(ctypes.addressof(schema))
        return named

    def batches(self):
        """The number of rows of each batch."""
        while True:
            array = _Array()
            if self.stream.get_next(self.address, ctypes.byref(array)):
                raise OSError(self.stream.get_last_error(self.address).decode())
            if not array.release:
                return
            rows = array.length
            array.release(ctypes.addressof(array))
            yield rows
