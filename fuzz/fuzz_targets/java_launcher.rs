//! Gives the target `java_launcher` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::java_launcher::run(data));
