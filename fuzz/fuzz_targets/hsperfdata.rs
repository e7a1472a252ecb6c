//! Gives the target `hsperfdata` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::hsperfdata::run(data));
