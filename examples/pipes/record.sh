#!/bin/sh
# Records the programs of pipes.c with perf into this folder, or the one that OUT names: needs a C compiler, perf, gzip and the right to trace the system's scheduler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cc -O1 -pthread -o pipes "$here/pipes.c"
for how in ${*:-reads writes locks talk serves}; do
    perf record -q --no-buildid -o "$how.data" \
        -e sched:sched_switch,sched:sched_wakeup,sched:sched_process_fork,sched:sched_process_exit \
        -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -- ./pipes "$how"
    gzip -9n <"$how.data" >"${OUT:-$here}/$how.data.gz"
done
