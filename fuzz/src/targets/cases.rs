//! Cases of an evaluation: which events to leave out.

/// Reads them and drops them.
pub fn run(input: &[u8]) {
    std::hint::black_box(formats::cases_json::read(&String::from_utf8_lossy(input)).is_ok());
}
