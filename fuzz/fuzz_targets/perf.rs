//! Gives the target `perf` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::perf::run(data));
