//! The performance data of a virtual machine of somebody else's.

/// Looks for what we want to know of it.
pub fn run(input: &[u8]) {
    std::hint::black_box(formats::hsperfdata::can_attach(input));
}
