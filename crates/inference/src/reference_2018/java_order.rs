//! The order in which a Java hash set hands out its elements: where two transitions weigh the same,
//! the original takes the first of such a set, so that its answers hang on this order.

/// The hash of a Java string.
pub(super) fn string_hash(text: &str) -> i32 {
    text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// The hash of an arc: target, source and event name.
pub(super) fn arc_hash(target: &str, source: &str, event: &str) -> i32 {
    let state = string_hash(&format!("State {source}"));
    [string_hash(target), state, string_hash(event)]
        .into_iter()
        .fold(1i32, |hash, part| hash.wrapping_mul(31).wrapping_add(part))
}

/// Puts elements, given in the order of insertion, into the order of iteration.
pub(super) fn order<T>(elements: &mut [T], hash: impl Fn(&T) -> i32) {
    let mut size: u32 = 16;
    // The table doubles when it is more than three quarters full.
    while elements.len() as u64 * 4 > u64::from(size) * 3 && size < 1 << 30 {
        size *= 2;
    }
    elements.sort_by_key(|element| {
        let hash = hash(element) as u32;
        (hash ^ (hash >> 16)) & (size - 1)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_java() {
        assert_eq!(string_hash("hello"), 99_162_322);
        assert_eq!(string_hash(""), 0);
        assert_eq!(string_hash("polygenelubricants"), i32::MIN);
    }

    #[test]
    fn the_order_is_that_of_the_buckets() {
        let mut words = ["b", "a", "q", "aa"];
        order(&mut words, |word| string_hash(word));
        // a = 97 is bucket 1, as is q = 113; b = 98 is 2; aa = 3104 is 0.
        assert_eq!(words, ["aa", "a", "q", "b"]);
    }
}
