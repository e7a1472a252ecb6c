//! Gives the target `uftrace` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::uftrace::run(data));
