//! Keys: which fields name the instances of a machine, found by how regular they make the trace.
//!
//! Nothing is asked for by name. Roles whose values are shared are put together as long as that makes the
//! sequences of instances shorter, in bits, than the events are by themselves; then a key stays only if
//!
//! * the order within its instances predicts more than the order of all of them together,
//! * an event that is left out would be missed: what follows could not follow, and
//! * the later half of the trace shows nothing new.
//!
//! So the number of a request is a key, and its size is not; a thread is one where it does one thing after
//! another, and is not where it does anything at any time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::events::Events;
use super::roles::{Key, Role};

/// Events that the first look is about.
const SAMPLE: usize = 60_000;
/// Roles that are looked at, the most frequent ones.
const MOST_ROLES: usize = 96;
/// Events of a role, at least.
const FEWEST: usize = 4;
/// What two roles must share of the values of the smaller one.
const SHARED: f64 = 0.3;
/// Bits that it costs to say that a role belongs to a key, at least.
const ROLE_BITS: f64 = 12.0;
/// Part of the events that must be missed.
pub(super) const MISSED: f64 = 0.2;
/// Part of the later half that may be new.
const NEW: f64 = 0.01;
/// Events of a key, at least.
const FEWEST_NAMED: usize = 24;
/// Machines of a trace.
const MOST_KEYS: usize = 8;

/// All keys, the one that explains most first. Kinds were split by their phases before.
pub(super) fn find(events: &Events) -> Vec<Key> {
    let groups = grow(events, roles(events));
    let mut keys: Vec<(f64, Key)> = Vec::new();
    for group in groups {
        let Some(within) = within(events, &group) else { continue };
        let Some(key) = Key::within(events, &group, &[], within, usize::MAX) else { continue };
        let Some(key) = without_strange_values(events, key) else { continue };
        let key = without_noise(events, key);
        if key.instances() < 2 || key.named.len() < FEWEST_NAMED || !is_regular(events, &key) {
            continue;
        }
        keys.push((key.length(events).gain(), key));
    }
    keys.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.roles.cmp(&b.1.roles)));
    let mut distinct: Vec<Key> = Vec::new();
    for (_, key) in keys {
        if distinct.len() < MOST_KEYS && !distinct.iter().any(|known| is_same(known, &key)) {
            distinct.push(key);
        }
    }
    distinct
}

/// Whether the instances of a key have an order of their own.
pub(super) fn is_regular(events: &Events, key: &Key) -> bool {
    let length = key.length(events);
    let (seen, missed) = key.missed(events);
    let (later, new) = key.count_new(events);
    length.gain() > 0.0
        && length.apart <= length.together * 1.05 + 16.0
        && missed as f64 >= MISSED * seen.max(1) as f64
        && new as f64 <= (NEW * later as f64).max(2.0)
}

/// A role, and the values that it has in the sample.
struct Candidate {
    role: Role,
    values: BTreeSet<u32>,
    events: usize,
}

fn roles(events: &Events) -> Vec<Candidate> {
    let mut all: HashMap<Role, Candidate> = HashMap::new();
    for (number, row) in events.rows.iter().enumerate().take(SAMPLE) {
        for &(field, value) in events.cells(number) {
            let role = Role { kind: row.kind, field };
            let new = || Candidate { role, values: BTreeSet::new(), events: 0 };
            let candidate = all.entry(role).or_insert_with(new);
            candidate.values.insert(value);
            candidate.events += 1;
        }
    }
    let mut all: Vec<Candidate> =
        all.into_values().filter(|one| one.events >= FEWEST && one.values.len() >= 2).collect();
    all.sort_by_key(|one| (std::cmp::Reverse(one.events), one.role));
    all.truncate(MOST_ROLES);
    all
}

/// Roles that are one key, or might be.
struct Group {
    roles: Vec<Role>,
    values: BTreeSet<u32>,
    gain: f64,
}

/// Puts groups together, always the two that gain most, until nothing is gained.
fn grow(events: &Events, candidates: Vec<Candidate>) -> Vec<Vec<Role>> {
    let mut groups: Vec<Option<Group>> = Vec::new();
    for one in candidates {
        groups.push(Some(Group { roles: vec![one.role], values: one.values, gain: 0.0 }));
    }
    let mut gains: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let weigh = |groups: &[Option<Group>], a: usize, b: usize| -> Option<f64> {
        let (a, b) = (groups.get(a)?.as_ref()?, groups.get(b)?.as_ref()?);
        let shared = a.values.intersection(&b.values).count();
        if (shared as f64) < SHARED * a.values.len().min(b.values.len()) as f64 || shared < 2 {
            return None;
        }
        let roles = [&*a.roles, &*b.roles].concat();
        let key = Key::new(events, &roles, &[], SAMPLE)?;
        let gain = key.length(events).gain();
        (gain - a.gain - b.gain > ROLE_BITS).then_some(gain)
    };
    for a in 0..groups.len() {
        for b in 0..a {
            if let Some(gain) = weigh(&groups, b, a) {
                gains.insert((b, a), gain);
            }
        }
    }
    loop {
        let own =
            |index: usize| groups.get(index).and_then(|group| Some(group.as_ref()?.gain)).unwrap_or(0.0);
        let more = |(pair, gain): (&(usize, usize), &f64)| (gain - own(pair.0) - own(pair.1), *pair, *gain);
        let best = gains.iter().map(more).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let Some((_, (a, b), gain)) = best else { break };
        let [one, other] = [a, b].map(|index| groups.get_mut(index).and_then(Option::take));
        let (Some(mut one), Some(other)) = (one, other) else { break };
        one.roles.extend(other.roles);
        one.values.extend(other.values);
        one.gain = gain;
        gains.retain(|pair, _| ![pair.0, pair.1].iter().any(|index| *index == a || *index == b));
        let index = groups.len();
        groups.push(Some(one));
        for other in 0..index {
            if let Some(gain) = weigh(&groups, other, index) {
                gains.insert((other, index), gain);
            }
        }
    }
    groups.into_iter().flatten().map(|group| group.roles).filter(|roles| roles.len() > 1).collect()
}

/// The field within whose values these roles name instances, if there is one; `None`: there are too many.
///
/// An address is another one in each process, a file descriptor too: pairs are instances where that lets many more
/// losses be missed.
fn within(events: &Events, roles: &[Role]) -> Option<Option<u16>> {
    let plain = Key::new(events, roles, &[], SAMPLE)?;
    let share = |key: &Key| {
        let (seen, missed) = key.missed(events);
        missed as f64 / seen.max(1) as f64
    };
    let mut fields: BTreeMap<u16, (usize, BTreeSet<u32>)> = BTreeMap::new();
    for named in &plain.named {
        for &(field, value) in events.cells(named.row as usize) {
            let (times, values) = fields.entry(field).or_default();
            *times += 1;
            if values.len() <= MOST_WITHIN {
                values.insert(value);
            }
        }
    }
    let mut best = (share(&plain), None);
    for (field, (times, values)) in fields {
        let is_of_all = times * 100 >= plain.named.len() * 99;
        if plain.fields.contains(&field) || !is_of_all || !(2..=MOST_WITHIN).contains(&values.len()) {
            continue;
        }
        let Some(tried) = Key::within(events, roles, &[], Some(field), SAMPLE) else { continue };
        let missed = share(&tried);
        // Pairs that hardly come twice have no order to speak of.
        if tried.named.len() >= 3 * tried.instances() && missed > best.0.max(MISSED) + MORE_MISSED {
            best = (missed, Some(field));
        }
    }
    Some(best.1)
}

/// Values of such a field in the sample, and how much more must be missed with it.
const MOST_WITHIN: usize = 4_096;
const MORE_MISSED: f64 = 0.1;

/// The key without values that name nothing: a null pointer is freed again and again, thread 0 is another one
/// on each CPU. Such a value has many events, and does what no other value does.
fn without_strange_values(events: &Events, mut key: Key) -> Option<Key> {
    for _ in 0..3 {
        let mut pairs: BTreeMap<(u32, u32), (u32, BTreeMap<u32, u32>)> = BTreeMap::new();
        for (before, named) in key.pairs(events).filter(|(before, _)| *before < super::roles::CUT) {
            let pair = pairs.entry((before, named.token)).or_default();
            pair.0 += 1;
            if pair.1.len() < 64 || pair.1.contains_key(&named.own) {
                *pair.1.entry(named.own).or_default() += 1;
            }
        }
        let mut strange: BTreeMap<u32, u32> = BTreeMap::new();
        for (all, values) in pairs.values() {
            for (value, times) in values {
                if *times >= 8 && f64::from(*times) >= 0.9 * f64::from(*all) {
                    *strange.entry(*value).or_default() += times;
                }
            }
        }
        let Some((&value, _)) =
            strange.iter().max_by_key(|(value, times)| (**times, std::cmp::Reverse(**value)))
        else {
            break;
        };
        if key.instances() < 12 {
            break;
        }
        let mut except = key.except.clone();
        except.push(value);
        let without = key.with(events, &key.roles, &except)?;
        let missed = |key: &Key| {
            let (seen, missed) = key.missed(events);
            missed as f64 / seen.max(1) as f64
        };
        if missed(&without) <= missed(&key) + 0.02 {
            break;
        }
        key = without;
    }
    Some(key)
}

/// The key without roles that come at any time: without them more of the others would be missed.
fn without_noise(events: &Events, mut key: Key) -> Key {
    loop {
        let now = key.missed(events).1;
        if key.roles.len() <= 2 {
            return key;
        }
        let without = |role: &Role| {
            let roles: Vec<Role> = key.roles.iter().copied().filter(|other| other != role).collect();
            key.with(events, &roles, &key.except)
        };
        let tried = key.roles.iter().filter_map(without).map(|key| (key.missed(events).1, key));
        match tried.max_by_key(|(missed, _)| *missed) {
            Some((missed, without)) if missed > now => key = without,
            _ => return key,
        }
    }
}

/// Whether two keys distinguish the same instances by the same events.
fn is_same(one: &Key, other: &Key) -> bool {
    let by_row: HashMap<u32, u32> = one.named.iter().map(|named| (named.row, named.value)).collect();
    let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
    let mut both = 0;
    for named in &other.named {
        if let Some(value) = by_row.get(&named.row) {
            pairs.insert((*value, named.value));
            both += 1;
        }
    }

    both * 10 >= other.named.len() * 9
        && pairs.len() as f64 <= 1.02 * other.instances() as f64
        && pairs.len() as f64 <= 1.02 * one.instances() as f64
}
