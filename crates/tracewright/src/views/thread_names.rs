//! Names of groups of threads.

/// Names that are listed.
const NAMES: usize = 3;

/// A name with `#` for each number in it: threads of one pool have the same.
pub(crate) fn pattern(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        match letter.is_ascii_digit() {
            false => out.push(letter),
            true if out.ends_with('#') => {}
            true => out.push('#'),
        }
    }
    out
}

/// `exec-1..10` where the names differ in one number and none is missing, else the first of them.
pub(crate) fn together(mut names: Vec<&str>) -> String {
    names.sort_by_key(|name| (name.len(), *name));
    names.dedup();
    match (names.as_slice(), range(&names)) {
        ([only], _) => (*only).to_owned(),
        (_, Some(range)) => range,
        (all, None) => {
            let more = if all.len() > NAMES { ", ..." } else { "" };
            format!("{}{more}", all.get(..NAMES.min(all.len())).unwrap_or(all).join(", "))
        }
    }
}

fn range(names: &[&str]) -> Option<String> {
    let (first, last) = (names.first()?, names.last()?);
    let same = first.bytes().zip(last.bytes()).take_while(|(one, other)| one == other).count();
    let mut from = same;
    while from > 0 && first.as_bytes().get(from - 1).is_some_and(u8::is_ascii_digit) {
        from -= 1;
    }
    let head = first.get(..from)?;
    let split = |name: &str| -> Option<(u64, String)> {
        let rest = name.strip_prefix(head)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        Some((rest.get(..digits)?.parse().ok()?, rest.get(digits..)?.to_owned()))
    };
    let parts: Vec<(u64, String)> = names.iter().map(|name| split(name)).collect::<Option<_>>()?;
    let (low, tail) = parts.first()?;
    let in_a_row =
        parts.iter().zip(*low..).all(|((number, other), wanted)| *number == wanted && other == tail);
    let high = parts.last()?.0;
    (in_a_row && parts.len() > 1).then(|| format!("{head}{low}..{high}{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_row_are_one() {
        assert_eq!(pattern("http-nio-8080-exec-12"), "http-nio-#-exec-#");
        assert_eq!(range(&["exec-8", "exec-9", "exec-10"]).as_deref(), Some("exec-8..10"));
        assert_eq!(range(&["p-1-t-1", "p-2-t-1"]).as_deref(), Some("p-1..2-t-1"));
        assert_eq!(range(&["exec-8", "exec-10"]), None);
        assert_eq!(range(&["p-1-t-1", "p-2-t-2"]), None);
        assert_eq!(range(&["a"]), None);
        assert_eq!(together(vec!["exec-10", "exec-9", "exec-9"]), "exec-9..10");
        assert_eq!(together(vec!["main", "main"]), "main");
        assert_eq!(together(vec!["d", "b", "c", "aa"]), "b, c, d, ...");
    }
}
