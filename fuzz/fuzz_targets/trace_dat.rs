//! Gives the target `trace_dat` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::trace_dat::run(data));
