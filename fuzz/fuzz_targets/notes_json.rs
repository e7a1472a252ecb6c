//! Gives the target `notes_json` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::notes_json::run(data));
