#!/bin/sh
# Compiles the bakery and records it into bakery.capture. Needs a JDK (17 or later) and cargo.
set -eu
cd "$(dirname "$0")"
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -g -d "$classes" bakery/*.java
cargo build --quiet --package tracewright
program=${CARGO_TARGET_DIR:-../../target}/debug/tracewright
rm -rf bakery.capture
"$program" record -o bakery.capture -- java -cp "$classes" bakery.Main
