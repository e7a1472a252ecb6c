#!/usr/bin/env python3
"""Has the checker that Coq proved sound check certificates, and Coq check that proof first.

Usage: check.py FILE [K/N]    check each line (of N parts, part K, from 0); exit code 1 if one is refused,
                              2 if Coq does not accept the proof, or there is no such file or no Coq.
Needs Coq 8.16 or newer (`coqc`; Debian's package `coq`). Nothing of Tracewright is used.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# In this order: each needs the ones before it.
PROOF = ["Language", "Run", "Repeats", "Closed", "Explore", "Certificate"]
# So many lines are one run of Coq, which bounds its memory.
BATCH = 2000

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
    try:
        ran = subprocess.run(line, capture_output=True, text=True)
    except OSError as why:
        print("Coq is not installed: %s" % why, file=sys.stderr)
        sys.exit(2)
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
    bad = [number for number, line in batch if not (line.isascii() and line.isprintable())]
    rest = ['(%d%%N, "%s")' % (n, line.replace('"', '""')) for n, line in batch if n not in bad]
    if rest:
        source = pathlib.Path(folder) / "Lines.v"
        source.write_text(HEAD % ";\n".join(rest))
        said = coqc(source, source.with_suffix(".vo"), folder)
        bad += map(int, re.findall(r"\d+", said.partition(" : ")[0]))
    return sorted(bad)


def main(path, part="0/1"):
    k, n = map(int, part.split("/"))
    try:
        lines = enumerate(open(path, encoding="utf-8", errors="replace"), 1)
    except OSError as why:
        print(why, file=sys.stderr)
        return 2
    lines = [(number, line.rstrip("\n")) for number, line in lines if number % n == k]
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
    sys.exit(main(*sys.argv[1:]))
