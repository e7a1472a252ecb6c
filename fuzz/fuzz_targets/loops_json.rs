//! Gives the target `loops_json` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::loops_json::run(data));
