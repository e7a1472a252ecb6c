//! Gives the target `loops_serialized` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::loops_serialized::run(data));
