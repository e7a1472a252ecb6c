//! Gives the target `replay_serialized` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::replay_serialized::run(data));
