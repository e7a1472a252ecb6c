#!/bin/sh
# Records the two programs of this folder again. Needs gcc, g++ and uftrace.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp bakery.c shapes.cpp "$work"
cd "$work"
gcc -pg -g -O0 -o bakery bakery.c -lpthread
g++ -pg -g -O0 -o shapes shapes.cpp
# The second has arguments and results of the functions that uftrace knows.
uftrace record --no-libcall --no-event --no-sched --srcline -d bakery.data ./bakery
uftrace record --auto-args --no-event --no-sched --srcline -d shapes.data ./shapes
for data in *.data; do
    # What a library has need not be kept: no function of it is called by name.
    find "$data" \( -name '*.sym' -o -name '*.dbg' \) ! -name 'bakery.*' ! -name 'shapes.*' -delete
    find "$data" -name 'perf-*' -delete
    # Nor what tells of the machine.
    LC_ALL=C sed -i '/^argauto:/d; /^retauto:/d; /^enumauto:/d; /^cpuinfo:/d; /^meminfo:/d; /^osinfo:/d; /^loadinfo:/d' \
        "$data"/info
    sed -i "s|$work|/home/baker|" "$data"/task.txt "$data"/*.map "$data"/*.sym "$data"/*.dbg "$data"/info
done
cd - >/dev/null
rm -rf bakery.data shapes.data
cp -r "$work"/bakery.data "$work"/shapes.data .
