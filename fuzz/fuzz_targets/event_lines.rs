//! Gives the target `event_lines` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::event_lines::run(data));
