//! Gives the target `model_xml` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::model_xml::run(data));
