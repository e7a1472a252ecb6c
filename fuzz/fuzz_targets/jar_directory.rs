//! Gives the target `jar_directory` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::jar_directory::run(data));
