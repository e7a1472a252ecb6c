//! Gives the target `timeline_kept` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::timeline_kept::run(data));
