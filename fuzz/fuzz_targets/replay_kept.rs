//! Gives the target `replay_kept` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::replay_kept::run(data));
