//! Gives the target `trace_xml` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::trace_xml::run(data));
