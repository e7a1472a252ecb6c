//! Gives the target `class_cache` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::class_cache::run(data));
