//! Gives the target `perfetto` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::perfetto::run(data));
