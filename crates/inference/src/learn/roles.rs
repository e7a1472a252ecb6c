//! Roles: that a field of the events of a kind names an instance, and what follows from several of them together.
//!
//! ```text
//! acquire{lock=7}  ─┐                       value 7:  acquire release acquire release
//! release{lock=7}  ─┴─ roles (acquire,lock)
//!                            (release,lock) value 9:  acquire release
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::bits::Counts;
use super::events::Events;

/// That `field` of events of `kind` names an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Role {
    pub(super) kind: u32,
    pub(super) field: u16,
}

/// Fields that may name the instances of one machine.
pub(super) const MOST_FIELDS: usize = 8;
/// Before the first token of an instance; before one that a loss separates from the last.
pub(super) const FIRST: u32 = u32::MAX;
pub(super) const CUT: u32 = u32::MAX - 1;

/// What an event is to an instance: its kind, and which of the fields of the key name the instance in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named {
    /// The instance.
    pub(super) value: u32,
    /// The value that names it, within something or by itself.
    pub(super) own: u32,
    pub(super) row: u32,
    /// Kind and, in the lowest bits, fields.
    pub(super) token: u32,
}

/// The token of an event of a kind that names the instance by these fields, a bit for each.
pub(super) fn token(kind: u32, fields: u32) -> u32 {
    (kind << MOST_FIELDS) | fields
}

pub(super) fn kind_of(token: u32) -> u32 {
    token >> MOST_FIELDS
}

pub(super) fn fields_of(token: u32) -> u32 {
    token & ((1 << MOST_FIELDS) - 1)
}

/// Roles together, and what they make of the events.
#[derive(Debug, Clone)]
pub(super) struct Key {
    /// Ascending.
    pub(super) roles: Vec<Role>,
    /// Ascending; the bits of tokens are places in it.
    pub(super) fields: Vec<u16>,
    /// By instance, and by time within.
    pub(super) named: Vec<Named>,
    /// Values that name nothing.
    pub(super) except: Vec<u32>,
    /// The field without which values name nothing.
    pub(super) within: Option<u16>,
}

/// How long the sequences are, in bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Length {
    /// Each token for itself.
    pub(super) alone: f64,
    /// Each token after the last one of any instance.
    pub(super) together: f64,
    /// Each token after the last one of its instance.
    pub(super) apart: f64,
}

impl Length {
    /// The gain of distinguishing instances.
    pub(super) fn gain(self) -> f64 {
        self.alone - self.apart
    }
}

impl Key {
    /// The key of these roles over the first `most` events; `None`: too many fields.
    pub(super) fn new(events: &Events, roles: &[Role], except: &[u32], most: usize) -> Option<Key> {
        Key::within(events, roles, except, None, most)
    }

    /// The same of the part of the trace, or all of it, with other values that name nothing, or fewer roles.
    pub(super) fn with(&self, events: &Events, roles: &[Role], except: &[u32]) -> Option<Key> {
        Key::within(events, roles, except, self.within, usize::MAX)
    }

    /// The key of these roles where instances are pairs with the value of another field.
    pub(super) fn within(
        events: &Events,
        roles: &[Role],
        except: &[u32],
        within: Option<u16>,
        most: usize,
    ) -> Option<Key> {
        let mut pairs: HashMap<(u32, u32), u32> = HashMap::new();
        let roles: BTreeSet<Role> = roles.iter().copied().collect();
        let fields: BTreeSet<u16> = roles.iter().map(|role| role.field).collect();
        let fields: Vec<u16> = fields.into_iter().collect();
        if fields.len() > MOST_FIELDS {
            return None;
        }
        let mut of_kind: BTreeMap<u32, Vec<(u16, u32)>> = BTreeMap::new();
        for role in &roles {
            let index = fields.iter().position(|field| *field == role.field).unwrap_or(0);
            of_kind.entry(role.kind).or_default().push((role.field, 1 << index));
        }
        let by_kind: Vec<Option<&Vec<(u16, u32)>>> =
            (0..events.kinds()).map(|kind| of_kind.get(&kind)).collect();
        let mut named: Vec<Named> = Vec::new();
        for (number, row) in events.rows.iter().enumerate().take(most) {
            let Some(Some(wanted)) = by_kind.get(row.kind as usize) else { continue };
            let begin = named.len();
            for &(field, value) in events.cells(number) {
                let Some(&(_, bit)) = wanted.iter().find(|(wanted, _)| *wanted == field) else { continue };
                if except.contains(&value) {
                    continue;
                }
                let own = value;
                let value = match within.map(|field| events.value(number, field)) {
                    None => value,
                    Some(None) => continue,
                    Some(Some(other)) => {
                        let next = pairs.len() as u32;
                        *pairs.entry((other, value)).or_insert(next)
                    }
                };
                match named.iter_mut().skip(begin).find(|known| known.value == value) {
                    Some(known) => known.token |= bit,
                    None => named.push(Named { value, own, row: number as u32, token: token(row.kind, bit) }),
                }
            }
        }
        named.sort_unstable_by_key(|named| (named.value, named.row));
        Some(Key { roles: roles.into_iter().collect(), fields, named, except: except.to_vec(), within })
    }

    /// Each token with the one before it in its instance.
    pub(super) fn pairs<'a>(&'a self, events: &'a Events) -> impl Iterator<Item = (u32, Named)> + 'a {
        let before = std::iter::once(None).chain(self.named.iter().copied().map(Some));
        before.zip(self.named.iter().copied()).map(|(before, named)| {
            let before = before.filter(|before| before.value == named.value);
            let context = match before {
                None => FIRST,
                Some(before) if events.is_intact(before.row as usize, named.row as usize) => before.token,
                Some(_) => CUT,
            };
            (context, named)
        })
    }

    pub(super) fn counts(&self, events: &Events) -> Counts<u32> {
        let mut counts = Counts::default();
        self.pairs(events).for_each(|(before, named)| counts.add(before, named.token));
        counts
    }

    pub(super) fn alphabet(&self) -> usize {
        self.named.iter().map(|named| named.token).collect::<BTreeSet<u32>>().len()
    }

    pub(super) fn length(&self, events: &Events) -> Length {
        let alphabet = self.alphabet();
        let (mut alone, mut together) = (Counts::default(), Counts::default());
        let mut order: Vec<(u32, u32)> = self.named.iter().map(|named| (named.row, named.token)).collect();
        order.sort_unstable();
        let mut before = FIRST;
        for (_, token) in order {
            alone.add(0u8, token);
            together.add(before, token);
            before = token;
        }
        let apart = self.counts(events).bits(alphabet);
        Length { alone: alone.bits(alphabet), together: together.bits(alphabet), apart }
    }

    /// How many different instances there are.
    pub(super) fn instances(&self) -> usize {
        self.named.chunk_by(|a, b| a.value == b.value).count()
    }

    /// Three tokens of an instance in a row with no loss between.
    pub(super) fn triples<'a>(&'a self, events: &'a Events) -> impl Iterator<Item = [Named; 3]> + 'a {
        self.named.windows(3).filter_map(|window| {
            let &[a, b, c] = window else { return None };
            let is_one = a.value == c.value && events.is_intact(a.row as usize, c.row as usize);
            is_one.then_some([a, b, c])
        })
    }

    /// Of the tokens between two others: how many there are, and how many would be missed, since the one behind
    /// never follows the one before.
    pub(super) fn missed(&self, events: &Events) -> (u64, u64) {
        let usual = Usual::new(self, events);
        let (mut seen, mut missed) = (0, 0);
        for [a, _, c] in self.triples(events) {
            seen += 1;
            missed += u64::from(usual.is_odd(a.token, c.token));
        }
        (seen, missed)
    }

    /// Of the later half of the tokens: how many there are, and how many come after one after which they never
    /// came in the earlier half.
    pub(super) fn count_new(&self, events: &Events) -> (u64, u64) {
        let middle = events.rows.len() as u32 / 2;
        let mut known: Counts<u32> = Counts::default();
        let pairs = || self.pairs(events).filter(|(before, _)| *before < CUT);
        pairs()
            .filter(|(_, named)| named.row < middle)
            .for_each(|(before, named)| known.add(before, named.token));
        let later = || pairs().filter(|(_, named)| named.row >= middle);
        let new = later().filter(|(before, named)| known.times(before, named.token) == 0);
        (later().count() as u64, new.count() as u64)
    }
}

/// Which tokens follow each other, and which pairs are odd: they come hundreds of times less often than they
/// would by chance, or never. Those that do come are what clocks of several CPUs make of the order, or a loss
/// that nobody declared; what is rare by itself is not odd.
#[derive(Debug)]
pub(super) struct Usual {
    counts: Counts<u32>,
    before: BTreeMap<u32, u32>,
    tokens: BTreeMap<u32, u32>,
    all: f64,
}

impl Usual {
    pub(super) fn new(key: &Key, events: &Events) -> Usual {
        let (mut tokens, mut before) = (BTreeMap::new(), BTreeMap::new());
        let mut counts = Counts::default();
        for (context, named) in key.pairs(events) {
            counts.add(context, named.token);
            *tokens.entry(named.token).or_default() += 1;
            *before.entry(context).or_default() += 1;
        }
        Usual { counts, before, tokens, all: key.named.len().max(1) as f64 }
    }

    pub(super) fn is_odd(&self, before: u32, token: u32) -> bool {
        let times = |counts: &BTreeMap<u32, u32>, key: u32| f64::from(counts.get(&key).copied().unwrap_or(0));
        let expected = times(&self.before, before) * times(&self.tokens, token) / self.all;
        let seen = f64::from(self.counts.times(&before, token));
        expected >= EXPECTED && seen * ODD <= expected
    }
}

/// A pair that comes so many times less often than by chance is odd.
const ODD: f64 = 200.0;
/// A pair that should have come so often and never did is one that does not come.
const EXPECTED: f64 = 3.0;
