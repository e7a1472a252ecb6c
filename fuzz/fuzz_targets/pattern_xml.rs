//! Gives the target `pattern_xml` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::pattern_xml::run(data));
