//! Gives the target `ctf_stream` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::ctf_stream::run(data));
