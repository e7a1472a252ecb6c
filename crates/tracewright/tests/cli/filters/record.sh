#!/bin/sh
# Compiles the chain of filters and records it into filters.capture. Needs a JDK (17 or later) and cargo.
set -eu
cd "$(dirname "$0")"
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -g -d "$classes" shop/*.java
cargo build --quiet --package tracewright
program=${CARGO_TARGET_DIR:-../../../../../target}/debug/tracewright
rm -rf filters.capture
"$program" record -o filters.capture -- java -cp "$classes" shop.App
