//! Gives the target `timeline_serialized` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::timeline_serialized::run(data));
