//! Gives the target `ctf_metadata` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::ctf_metadata::run(data));
