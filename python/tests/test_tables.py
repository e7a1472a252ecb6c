"""The package alone: what needs nothing else to be installed."""

import contextlib
import importlib.metadata
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import tracewright
from house import BAKERY, COMPLETE, LOSSY, PROGRAM, ROOT, TABLES, TALK, Stream, lines, program

FORMATS = {
    "text": "u",
    "unsigned integer": "L",
    "integer": "l",
    "double": "g",
    "boolean": "b",
    "timestamp": "tsn:UTC",
}


def rows(table):
    return sum(Stream(table).batches())


class Tables(unittest.TestCase):
    def test_the_program_comes_along(self):
        self.assertEqual(program("--version").split(), ["tracewright", tracewright.__version__])

    def test_columns_and_rows_are_those_of_the_program(self):
        for what, inputs, keywords in TABLES:
            with self.subTest(what=what, **keywords):
                table = getattr(tracewright.open(inputs), what)(**keywords)
                printed = lines(what, inputs, keywords)
                # Of talk.data nothing is inferred, and nothing in it contradicts the model.
                self.assertEqual(not printed, what in ("incoherences", "inferred"))
                self.assertEqual(rows(table), len(printed))
                names = [(name, FORMATS[kind]) for name, kind, _ in table.columns]
                self.assertEqual(Stream(table).names(), names)
                if printed:
                    self.assertEqual([name for name, _ in names], list(printed[0]))

    def test_a_table_can_be_read_again_and_by_two_at_once(self):
        table = tracewright.open(COMPLETE).events()
        first, second = Stream(table), Stream(table)
        pairs = list(zip(first.batches(), second.batches()))
        self.assertGreater(len(pairs), 0)
        self.assertTrue(all(one == other for one, other in pairs))
        self.assertEqual(rows(table), rows(table))

    def test_folders_patterns_and_lists_are_inputs(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder, name) for name in ("a.jsonl", "b.jsonl")]
            for file in files:
                file.write_text('{"ts":1,"name":"a"}\n')
            for paths in [folder, pathlib.Path(folder), os.path.join(folder, "*.jsonl"), files]:
                inputs = tracewright.open(paths)
                self.assertEqual(list(map(pathlib.Path, inputs.paths)), files)
                self.assertEqual((len(inputs), rows(inputs.events())), (2, 2))
            with self.assertRaisesRegex(tracewright.Error, "holds no CTF trace"):
                rows(tracewright.open(folder, expand=False).events())


class Wheel(unittest.TestCase):
    def test_licences_come_with_it(self):
        files = importlib.metadata.files("tracewright")
        texts = {file.name: file.read_text() for file in files if file.name.startswith("LICENSE-")}
        for name, words in [
            ("LICENSE-MIT", "Permission is hereby granted"),
            ("LICENSE-APACHE", "Apache License"),
            ("LICENSE-zstd", "Zstandard"),
        ]:
            self.assertIn(words, texts[name])


class Parts(unittest.TestCase):
    def test_parts_are_counted_and_have_all_rows(self):
        for what, path in [("events", LOSSY), ("gaps", LOSSY), ("events", COMPLETE)]:
            before, found = None, 0
            for number in range(1, 6):
                # Each reads no more than its own with what is known of the parts before it.
                inputs = tracewright.open(path, part=(number, 5), before=before)
                found += rows(getattr(inputs, what)())
                counts = inputs.events_by_stream()
                before = [one + other for one, other in zip(before or [0] * len(counts), counts)]
            self.assertEqual(found, len(lines(what, [path], {})))
            self.assertEqual(sum(before), len(lines("events", [path], {})))
        self.assertIsNone(tracewright.open(TALK, part=(2, 3)).events_by_stream())


class Errors(unittest.TestCase):
    def test_what_cannot_be_read_raises_the_sentence_of_the_command_line(self):
        for what, path in [("events", ROOT / "none.jsonl"), ("calls", ROOT / "README.md")]:
            run = subprocess.run([PROGRAM, "table", what, path], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 2)
            with self.assertRaises(tracewright.Error) as caught:
                Stream(getattr(tracewright.open(path), what)())
            self.assertEqual(run.stderr.splitlines()[0], f"tracewright: {caught.exception}")

    def test_one_of_several_is_a_row(self):
        damaged = ROOT / "none.jsonl"
        table = tracewright.open([damaged, LOSSY]).gaps()
        self.assertEqual(rows(table), 1 + len(lines("gaps", [LOSSY], {})))
        self.assertTrue(any("none.jsonl" in note for note in table.notes), table.notes)
        with self.assertRaisesRegex(tracewright.Error, "none of the inputs could be read; of the first: .*none.jsonl"):
            Stream(tracewright.open([damaged, damaged]).gaps())
        self.assertEqual(rows(tracewright.open(damaged, errors="rows").gaps()), 1)

    def test_arguments_are_checked(self):
        for call in [
            lambda: tracewright.open(LOSSY, jobs=0),
            lambda: tracewright.open(LOSSY, errors="ignore"),
            lambda: tracewright.open(LOSSY).loops(track_by="process"),
            lambda: tracewright.open(LOSSY, part=(0, 8)),
            lambda: tracewright.open(LOSSY, part=(3, 2)),
            lambda: tracewright.open(LOSSY, part=(1, 2)).states(),
            lambda: tracewright.open([LOSSY, TALK], part=(1, 2)).gaps(),
            lambda: tracewright.open(LOSSY).events_by_stream(),
        ]:
            self.assertRaises(ValueError, call)
        self.assertRaises(TypeError, lambda: tracewright.open(3))
        for call in [
            lambda: tracewright.open("-"),
            lambda: tracewright.open([]),
            lambda: Stream(tracewright.open(TALK).states(model="none.xml")),
        ]:
            self.assertRaises(tracewright.Error, call)


class Process(unittest.TestCase):
    """What a guest may not do in a process."""

    def python(self, code, *arguments, **more):
        # Whoever runs the tests in the background may have them ignore what is sent here.
        code = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n{code}"
        command = [sys.executable, "-c", code, *map(str, arguments)]
        return subprocess.Popen(command, cwd=pathlib.Path(__file__).parent, text=True, **more)

    def test_nothing_is_printed(self):
        code = "import sys, tracewright, house; t = tracewright.open(sys.argv[1:]).gaps()\n" \
            "for _ in house.Stream(t).batches(): pass\nassert len(t.notes) == 2, t.notes"
        ran = self.python(code, LOSSY, ROOT / "none.jsonl", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(ran.communicate()[0], "")
        self.assertEqual(ran.returncode, 0)

    def test_signals_stay_those_of_python(self):
        # An archive is unpacked to a folder, which the program would remove at a signal.
        with tempfile.TemporaryDirectory() as folder:
            archive = pathlib.Path(folder, "lossy.tar")
            subprocess.run(["tar", "-cf", archive, "-C", LOSSY.parent, LOSSY.name], check=True)
            code = "import os, signal, sys, tracewright, house; t = tracewright.open(sys.argv[1]).gaps()\n" \
                "assert sum(house.Stream(t).batches()) > 1\n" \
                "try: os.kill(os.getpid(), signal.SIGINT); signal.pause()\n" \
                "except KeyboardInterrupt: print('caught')"
            more = {"env": {**os.environ, "TMPDIR": folder}, "stdout": subprocess.PIPE}
            self.assertEqual(self.python(code, archive, **more).communicate()[0], "caught\n")
            self.assertEqual(os.listdir(folder), ["lossy.tar"])

    def test_ctrl_c_ends_a_wait(self):
        with tempfile.TemporaryDirectory() as folder:
            # Nobody writes to it, so there is nothing to read for ever.
            silent = os.path.join(folder, "silent")
            os.mkfifo(silent)
            code = "import sys, tracewright; t = tracewright.open(sys.argv[1]).events()\n" \
                "try: print('waits', flush=True); t.__arrow_c_stream__()\nexcept KeyboardInterrupt: print('caught')"
            ran = self.python(code, silent, stdout=subprocess.PIPE)
            self.assertEqual(ran.stdout.readline(), "waits\n")
            ran.send_signal(signal.SIGINT)
            self.assertEqual(ran.communicate()[0], "caught\n")

    def test_the_lock_is_released_while_somebody_waits(self):
        with tempfile.TemporaryDirectory() as folder:
            silent = os.path.join(folder, "silent")
            os.mkfifo(silent)
            table = tracewright.open(silent).events()
            found = []
            waiting = threading.Thread(target=lambda: found.append(rows(table)))
            waiting.start()
            # This thread could not come here otherwise.
            pathlib.Path(silent).write_text('{"ts":1,"name":"a"}\n')
            waiting.join()
            self.assertEqual(found, [1])

    @unittest.skipUnless(os.path.isdir("/proc/self/task"), "no /proc")
    def test_threads_end_when_nobody_reads(self):
        def running():
            # Those that help a thread are called as it is.
            count = 0
            for task in os.listdir("/proc/self/task"):
                with contextlib.suppress(OSError):
                    count += pathlib.Path("/proc/self/task", task, "comm").read_text() == "table\n"
            return count

        stream = Stream(tracewright.open([BAKERY] * 2000).events())
        self.assertGreater(next(stream.batches()), 0)
        self.assertGreater(running(), 0)
        del stream
        # No more than a bound for a test that fails.
        for _ in range(6000):
            if not running():
                break
            time.sleep(0.01)
        self.assertEqual(running(), 0)


if __name__ == "__main__":
    unittest.main()
