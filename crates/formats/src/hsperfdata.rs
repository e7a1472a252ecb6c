//! The performance data of HotSpot, as far as we need it: whether a virtual machine lets itself be attached to.

/// Bytes of such a file that are looked at; 32 kB as a rule.
pub const MOST_BYTES: usize = 1 << 20;

/// Finds `sun.rt.jvmCapabilities`, whose text begins with 1 if the machine can be attached to.
pub fn can_attach(data: &[u8]) -> Option<bool> {
    let name = b"sun.rt.jvmCapabilities\0";
    let at = memchr::memmem::find(data, name)? + name.len();
    // The value follows the name, aligned; zeros lie in between.
    let value = data.get(at..)?.iter().take(16).find(|byte| **byte != 0)?;
    match value {
        b'0' => Some(false),
        b'1' => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capability_is_the_first_letter_of_the_value() {
        let data = |value: &str| format!("xxsun.rt.jvmCapabilities\0\0\0{value}000").into_bytes();
        assert_eq!(can_attach(&data("1")), Some(true));
        assert_eq!(can_attach(&data("0")), Some(false));
        assert_eq!(can_attach(&data("x")), None);
        assert_eq!(can_attach(b"nothing"), None);
        assert_eq!(can_attach(b"sun.rt.jvmCapabilities\0"), None);
    }
}
