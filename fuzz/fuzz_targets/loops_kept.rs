//! Gives the target `loops_kept` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::loops_kept::run(data));
