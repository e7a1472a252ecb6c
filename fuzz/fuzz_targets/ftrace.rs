//! Gives the target `ftrace` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::ftrace::run(data));
