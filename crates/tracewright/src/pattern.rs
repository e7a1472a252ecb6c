//! Patterns for names: `*` stands for any characters, `?` for one, all else for itself.

/// One pattern.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(Vec<char>);

impl Pattern {
    pub(crate) fn new(text: &str) -> Pattern {
        Pattern(text.chars().collect())
    }

    /// Whether the whole of `name` matches. Takes at most pattern times name steps: after a
    /// mismatch only the last `*` is given one more character, which is enough.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let mut rest = name.chars();
        let mut at = 0;
        let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
        loop {
            let mut next = rest.clone();
            let character = next.next();
            match (self.0.get(at), character) {
                (Some('*'), _) => {
                    at += 1;
                    retry = Some((at, rest.clone()));
                }
                (None, None) => return true,
                (Some(&wanted), Some(found)) if wanted == '?' || wanted == found => {
                    at += 1;
                    rest = next;
                }
                _ => {
                    let Some((after, from)) = &mut retry else { return false };
                    if from.next().is_none() {
                        return false;
                    }
                    at = *after;
                    rest = from.clone();
                }
            }
        }
    }
}

/// Several patterns; none at all lets everything pass.
#[derive(Debug, Clone)]
pub(crate) struct Patterns(Vec<Pattern>);

impl Patterns {
    pub(crate) fn new(texts: &[String]) -> Patterns {
        Patterns(texts.iter().map(|text| Pattern::new(text)).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them matches, or there is none.
    pub(crate) fn allow(&self, name: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|pattern| pattern.matches(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        let matches = |pattern: &str, name: &str| Pattern::new(pattern).matches(name);
        assert!(matches("sched_*", "sched_switch") && !matches("sched_*", "xsched_switch"));
        assert!(matches("*_switch", "sched_switch") && matches("s*d*h", "sched_switch"));
        assert!(matches("swapper/?", "swapper/3") && !matches("swapper/?", "swapper/31"));
        assert!(matches("*", "") && matches("", "") && !matches("?", "") && matches("***", "a"));
        assert!(matches("[a]", "[a]") && matches("ü?", "üé"));
    }

    #[test]
    fn many_stars_take_no_longer_than_pattern_times_name() {
        assert!(!Pattern::new(&"*a".repeat(50)).matches(&"a".repeat(49).repeat(200).replace("aa", "ab")));
        assert!(!Pattern::new(&("*a".repeat(500) + "b")).matches(&"a".repeat(20_000)));
    }
}
