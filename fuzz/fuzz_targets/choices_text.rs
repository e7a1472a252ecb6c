//! Gives the target `choices_text` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::choices_text::run(data));
