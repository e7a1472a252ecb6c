#!/usr/bin/env bash
# Records the three example traces anew: complete, lossy and overwrite.
#
# Needs gcc and LTTng-UST (Debian: apt-get install gcc lttng-tools liblttng-ust-dev babeltrace2).
# Writes traces/ beside this folder and traces/truth.txt: what the program sent, what LTTng said
# and what babeltrace2 finds. Everything else happens in a scratch folder with a plain name,
# because LTTng keeps some of the names it sees.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=/tmp/tracewright-examples
rm -rf "$scratch"
mkdir -p "$scratch/home"
export HOME="$scratch/home" LTTNG_HOME="$scratch/home"

gcc -std=gnu11 -Wall -Wextra -Werror -O1 -I"$here" "$here/shop.c" -o "$scratch/shop" -llttng-ust -ldl -lpthread
cd "$scratch"
lttng-sessiond --daemonize --no-kernel --pidfile="$scratch/sessiond.pid"
trap 'kill "$(cat "$scratch/sessiond.pid")"' EXIT

# record NAME DAYS PAUSE_US CHANNEL_OPTION...
record() {
    name=$1 count=$2 pause=$3
    shift 3
    lttng --quiet create "$name" --output="$scratch/$name"
    lttng --quiet enable-channel --userspace --session="$name" "$@" shop
    lttng --quiet add-context --userspace --session="$name" --channel=shop -t vpid -t vtid -t procname
    lttng --quiet enable-event --userspace --session="$name" --channel=shop 'shop:*'
    lttng --quiet start "$name"
    {
        echo "== $name: shop $count $pause, channel $*"
        ./shop "$count" "$pause"
        lttng stop "$name" 2>&1
        lttng destroy "$name" 2>&1
        babeltrace2 --clock-gmt "$name" >"$name.txt" 2>"$name.err" || echo "babeltrace2 failed"
        echo "babeltrace2 reads $(wc -l <"$name.txt") events:"
        grep -o 'procname = "[a-z]*"' "$name.txt" | sort | uniq -c
        # Its warnings name the scratch folder and a long UUID; neither is worth keeping.
        sed -E 's/ in trace .*stream "[^"]*\/(shop_[0-9]+)".*/ in \1/' "$name.err"
        echo
    } >>"$scratch/truth.txt"
}

record complete 32 150000 --discard --num-subbuf=4 --subbuf-size=64K
record lossy 60 1 --discard --num-subbuf=2 --subbuf-size=4K
record overwrite 60 1 --overwrite --num-subbuf=4 --subbuf-size=4K

rm -rf "$here/../traces"
mkdir "$here/../traces"
cp -r complete lossy overwrite truth.txt "$here/../traces/"
cat truth.txt
