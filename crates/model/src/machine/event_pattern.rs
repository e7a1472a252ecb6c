//! Which events a transition waits for, by their names.

/// Names of events, with `*` for any characters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventPattern {
    /// One name or wildcard each; none: every event.
    pub names: Vec<String>,
}

impl EventPattern {
    /// Reads `a|b*|c`; an empty text means every event.
    pub fn parse(text: &str) -> EventPattern {
        EventPattern {
            names: text
                .split('|')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
        }
    }

    /// Whether every event is meant.
    pub fn is_any(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether an event called `name` is meant.
    pub fn matches(&self, name: &str) -> bool {
        self.is_any() || self.matching(name).is_some()
    }

    /// The first of the names that `name` is an instance of.
    pub fn matching(&self, name: &str) -> Option<&str> {
        self.names.iter().map(|pattern| &**pattern).find(|pattern| wildcard(pattern, name))
    }
}

/// Whether `name` as a whole is an instance of `pattern`. Linear but for the last star: greedy
/// matching with one place to come back to.
pub fn wildcard(pattern: &str, name: &str) -> bool {
    // Most patterns differ from most names here already.
    let (first, of_name) = (pattern.bytes().next(), name.bytes().next());
    if first != of_name && first != Some(b'*') {
        return false;
    }
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or("");
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_as_a_whole() {
        let pattern = EventPattern::parse("sched_wakeup*|x86_irq_vectors_*_exit| ");
        for name in ["sched_wakeup", "sched_wakeup_new", "x86_irq_vectors_a_b_exit"] {
            assert!(pattern.matches(name), "{name}");
        }
        for name in ["sched_wake", "my_sched_wakeup", "x86_irq_vectors_exit", "x86_irq_vectors_a_exit2", ""] {
            assert!(!pattern.matches(name), "{name}");
        }
        assert!(EventPattern::parse("").matches("anything"));
        assert!(wildcard("a*a", "aa") && !wildcard("a*a", "a") && wildcard("*", ""));
    }
}
