//! Methods that are not recorded any more, to keep the recorder's cost within a budget: only their calls are counted.
//!
//! ```text
//! writer   samples of records --.                                 control/budget.rs decides
//! classes  which method a record belongs to --> shares by method --> throttle --> the class comes again, see transform.rs
//! ```
//!
//! A throttled method keeps its record numbers, so calls of it that are open are recorded to their ends, and nothing else of
//! its class changes: classes of such a recording are all taken for ones of which not every method is recorded.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI16, Ordering};

use super::recorded::Known;
use super::recorder_class::COUNTERS;
use crate::locks::{Lock, Rank};

/// A method that was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RecordedMethod {
    pub(crate) class: Known,
    /// Its number in the class file.
    pub(crate) number: u16,
}

/// What is known of a recorded method.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner {
    pub(crate) method: RecordedMethod,
    /// Its record numbers, from the first to before this one.
    pub(crate) first: u32,
    end: u32,
    /// Its class was built where it runs, and comes from no library.
    pub(crate) is_own: bool,
}

/// A throttled method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) number: u16,
    /// The element of the counts that its calls add to.
    pub(crate) element: i16,
}

/// Of one recording.
#[derive(Debug)]
pub(crate) struct Throttle {
    /// By first record number.
    owners: Lock<BTreeMap<u32, Owner>>,
    throttled: Lock<HashMap<Known, Vec<Counted>>>,
}

impl Default for Throttle {
    fn default() -> Throttle {
        Throttle {
            owners: Lock::new(Rank::Leaf, BTreeMap::new()),
            throttled: Lock::new(Rank::Leaf, HashMap::new()),
        }
    }
}

/// Elements of the counts that were given out in this process. Each is used once: code of an earlier recording may still
/// add to it.
static GIVEN: AtomicI16 = AtomicI16::new(0);

impl Throttle {
    /// These methods of a class, each with its first record number and how many it has, have numbers from `first` on.
    pub(crate) fn add(&self, class: Known, is_own: bool, first: u32, methods: &[(u16, u32, u32)]) {
        let mut owners = self.owners.lock();
        for &(number, offset, count) in methods {
            let first = first.saturating_add(offset);
            let end = first.saturating_add(count);
            owners.insert(first, Owner { method: RecordedMethod { class, number }, first, end, is_own });
        }
    }

    /// Whose record number this is.
    pub(crate) fn owner(&self, number: u32) -> Option<Owner> {
        let owners = self.owners.lock();
        let (_, owner) = owners.range(..=number).next_back()?;
        (number < owner.end).then_some(*owner)
    }

    /// Throttles a method from the next time on that its class comes; the element of the counts that its calls add to.
    /// `None` if it is throttled already, or too many are.
    pub(crate) fn begin(&self, method: RecordedMethod) -> Option<i16> {
        let mut throttled = self.throttled.lock();
        let of_class = throttled.entry(method.class).or_default();
        if of_class.iter().any(|counted| counted.number == method.number) {
            return None;
        }
        let next = |given: i16| (given < COUNTERS).then_some(given + 1);
        let element = GIVEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?;
        of_class.push(Counted { number: method.number, element });
        Some(element)
    }

    /// Whether a method is throttled.
    pub(crate) fn has(&self, method: RecordedMethod) -> bool {
        let throttled = self.throttled.lock();
        let of_class = throttled.get(&method.class);
        of_class.is_some_and(|all| all.iter().any(|counted| counted.number == method.number))
    }

    /// The throttled methods of a class.
    pub(crate) fn of(&self, class: &Known) -> Vec<Counted> {
        self.throttled.lock().get(class).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_number_belongs_to_one_method_or_to_none() {
        let throttle = Throttle::default();
        throttle.add([1, 1], true, 100, &[(0, 0, 5), (2, 7, 3)]);
        throttle.add([2, 2], false, 110, &[(1, 0, 1)]);
        let owner = |number| throttle.owner(number).map(|owner| (owner.method.class[0], owner.method.number));
        let numbers = [99, 100, 104, 105, 107, 109, 110, 111];
        let expected =
            [None, Some((1, 0)), Some((1, 0)), None, Some((1, 2)), Some((1, 2)), Some((2, 1)), None];
        assert_eq!(numbers.map(owner), expected);
    }

    #[test]
    fn a_method_is_throttled_once() {
        let throttle = Throttle::default();
        let third = RecordedMethod { class: [1, 1], number: 3 };
        let element = throttle.begin(third).unwrap();
        assert_eq!(throttle.begin(third), None);
        assert_eq!([3, 4].map(|number| throttle.has(RecordedMethod { number, ..third })), [true, false]);
        let other = throttle.begin(RecordedMethod { number: 4, ..third }).unwrap();
        assert_ne!(element, other);
        let counted = |number, element| Counted { number, element };
        assert_eq!(throttle.of(&[1, 1]), [counted(3, element), counted(4, other)]);
        assert_eq!(throttle.of(&[2, 1]), []);
    }
}
