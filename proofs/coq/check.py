#!/usr/bin/env python3
"""Has the checker that Coq proved sound check certificates, and Coq check that proof first.

Usage: check.py FILE [K/N]    check each line (of N parts, part K, from 0); exit code 1 if one is refused,
                              2 if Coq does not accept the proof or cannot be run.
Needs Coq 8.16 or newer (`coqc`; Debian's package `coq`). Nothing of Tracewright is used.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

# In this order: each needs the ones before it.
PROOF = ["Language", "Run", "Repeats", "Closed", "Explore", "Certificate"]
# So many lines are one run of Coq, which bounds its memory.
BATCH = 2000
# No certificate is longer: the largest grid has 77 letters.
LONGEST = 200

HEAD = """From TwoL Require Import Certificate.
From Coq Require Import String List NArith.
Import ListNotations. Open Scope string_scope.
Definition refused := filter (fun '(_, line) => negb (check line)) [
%s
].
Eval vm_compute in map fst refused.
"""


def coqc(source, output, folder):
    """Compiles a file; what Coq prints."""
    line = ["coqc", "-q", "-Q", folder, "TwoL", str(source), "-o", str(output)]
    # Coq keeps caches of its own in the folder where it runs.
    ran = subprocess.run(line, capture_output=True, text=True, cwd=folder)
    if ran.returncode:
        print("coqc %s failed:\n%s%s" % (source, ran.stdout, ran.stderr), file=sys.stderr)
        sys.exit(2)
    return ran.stdout


def compile_proof(folder):
    """Coq checks the proof here, and that the theorem rests on no axiom."""
    said = ""
    for name in PROOF:
        copy = pathlib.Path(folder) / (name + ".v")
        copy.write_text(pathlib.Path(__file__).with_name(name + ".v").read_text())
        said = coqc(copy, copy.with_suffix(".vo"), folder)
    if said.strip() != "Closed under the global context":
        print("the theorem rests on more than its proof: %s" % said, file=sys.stderr)
        sys.exit(2)


def refused_of(batch, folder):
    """The numbers of the lines that the checker refuses."""
    # Coq's strings hold any line of printable letters; others cannot be certificates.
    def may_be_one(line):
        return len(line) <= LONGEST and line.isascii() and line.isprintable()

    bad = [number for number, line in batch if not may_be_one(line)]
    rest = ['(%d%%N, "%s")' % (n, line.replace('"', '""')) for n, line in batch if may_be_one(line)]
    if rest:
        source = pathlib.Path(folder) / "Lines.v"
        source.write_text(HEAD % ";\n".join(rest))
        said = coqc(source, source.with_suffix(".vo"), folder)
        bad += map(int, re.findall(r"\d+", said.partition(" : ")[0]))
    return sorted(bad)


def part(text):
    """K and N."""
    k, n = map(int, text.split("/"))
    if not 0 <= k < n:
        raise ValueError
    return k, n


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("file")
    arguments.add_argument("part", nargs="?", type=part, default=(0, 1), metavar="K/N")
    given = arguments.parse_args()
    k, n = given.part
    with open(given.file, encoding="utf-8", errors="replace") as file:
        lines = [(number, line.rstrip("\n")) for number, line in enumerate(file, 1) if number % n == k]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        compile_proof(folder)
        for at in range(0, len(lines), BATCH):
            for number in refused_of(lines[at : at + BATCH], folder):
                bad += 1
                print("line %d: refused" % number)
    print("%d accepted, %d refused" % (len(lines) - bad, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as why:
        # No such file, no Coq, no room.
        print(why, file=sys.stderr)
        sys.exit(2)
