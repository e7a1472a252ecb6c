//! Classes as people write them: without the package, unless another class is written so too; then with as much of the
//! package as the two do not share.

use std::collections::HashMap;

/// The classes for which the bare name would be ambiguous, each with what it is written as.
#[derive(Debug, Default)]
pub(in crate::serve) struct ClassLabels(HashMap<String, String>);

impl ClassLabels {
    /// Of classes by their full names, `shop.Oven$Door`.
    pub(super) fn of<'a>(classes: impl Iterator<Item = &'a str>) -> ClassLabels {
        let mut alike: HashMap<&str, Vec<&str>> = HashMap::new();
        for class in classes {
            let one = alike.entry(last(class, 1)).or_default();
            // Two class loaders may have one of the same name each.
            if !one.contains(&class) {
                one.push(class);
            }
        }
        let mut labels = HashMap::new();
        for classes in alike.values().filter(|classes| classes.len() > 1) {
            for class in classes {
                let is_alone = |parts: &usize| {
                    classes.iter().filter(|other| last(other, *parts) == last(class, *parts)).count() == 1
                };
                let parts = (2..=class.split('.').count()).find(is_alone).unwrap_or(usize::MAX);
                labels.insert((*class).to_owned(), last(class, parts).replace('$', "."));
            }
        }
        ClassLabels(labels)
    }

    /// `Oven` of `shop.Oven`; nested classes as `Oven.Door`; `shop.Oven` where there is a `factory.Oven`.
    pub(in crate::serve) fn get(&self, class: &str) -> String {
        self.0.get(class).cloned().unwrap_or_else(|| last(class, 1).replace('$', "."))
    }

    /// Full names that are ambiguous without their packages, and what they are written as; sorted.
    pub(super) fn ambiguous(&self) -> Vec<(String, String)> {
        let mut all: Vec<_> = self.0.iter().map(|(class, label)| (class.clone(), label.clone())).collect();
        all.sort_unstable();
        all
    }
}

/// The last parts of a name, or all of it.
fn last(class: &str, parts: usize) -> &str {
    let dot = class.rmatch_indices('.').nth(parts.saturating_sub(1));
    dot.and_then(|(dot, _)| class.get(dot + 1..)).unwrap_or(class)
}

#[cfg(test)]
mod tests {
    use super::ClassLabels;

    #[test]
    fn classes_of_one_name_are_written_with_what_tells_them_apart() {
        let classes = [
            "shop.Oven",
            "shop.Oven$Door",
            "java.util.List",
            "java.awt.List",
            "List",
            "a.x.Node",
            "b.x.Node",
            "c.y.Node",
            "twice.Same",
            "twice.Same",
            "one.Outer$In",
            "two.Outer$In",
        ];
        let labels = ClassLabels::of(classes.into_iter());
        let written = classes.map(|class| labels.get(class)).join(" ");
        let expected = "Oven Oven.Door util.List awt.List List a.x.Node b.x.Node y.Node Same Same one.Outer.In two.Outer.In";
        assert_eq!(written, expected);
        assert_eq!(labels.ambiguous().len(), 8);
        assert_eq!(labels.get("never.Seen$It"), "Seen.It");
    }
}
