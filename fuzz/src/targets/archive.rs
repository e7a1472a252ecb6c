//! An archive with source text: its directory, and each entry by the names of the kept inputs.

/// Reads the directory and two entries, and drops them.
pub fn run(input: &[u8]) {
    if let Some(archive) = formats::archive::Archive::open(&input) {
        for name in ["shop/Baker.java", "shop/Oven.java"] {
            std::hint::black_box(archive.get(&input, name, 1 << 20));
        }
    }
}
