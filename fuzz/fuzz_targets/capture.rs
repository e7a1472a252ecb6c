//! Gives the target `capture` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::capture::run(data));
