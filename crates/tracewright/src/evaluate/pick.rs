//! Kinds of deletions, and cases of a kind, drawn by a seed: the same trace, kind, count and seed
//! give the same cases on every machine.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use model::Scalar;

use super::Case;
use crate::pattern::Pattern;
use inference::evaluate::{Index, IndexedEvent, SplitMix};

/// What is deleted in each case, as it is typed.
#[derive(Debug, Clone)]
pub(crate) struct Kind {
    typed: String,
    what: What,
    /// How many in a row.
    run: usize,
}

#[derive(Debug, Clone)]
enum What {
    /// Events called so.
    Named(Pattern),
    /// System calls, entry and exit.
    Calls,
    /// Whatever comes.
    Burst,
    Packet,
}

/// More in one case is not a question any more.
const LONGEST: usize = 1_000_000;

impl FromStr for Kind {
    type Err = String;

    fn from_str(typed: &str) -> Result<Kind, String> {
        // Names of events may have colons; a number behind the last one is never part of a name.
        let (word, run) = match typed.rsplit_once(':') {
            Some((word, digits))
                if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                let run = digits.parse().ok().filter(|run| (1..=LONGEST).contains(run));
                (word, Some(run.ok_or_else(|| format!("a run is of 1 to {LONGEST} events"))?))
            }
            _ => (typed, None),
        };
        let what = match (word, run) {
            ("", _) => return Err("a name of an event, syscall, burst:N or packet is expected".into()),
            ("syscall", _) => What::Calls,
            ("burst", None) => return Err("say how many events, for instance burst:50".into()),
            ("burst", _) => What::Burst,
            ("packet", None) => What::Packet,
            ("packet", _) => return Err("packets are deleted one by one".into()),
            (name, _) => What::Named(Pattern::new(name)),
        };
        Ok(Kind { typed: typed.to_owned(), what, run: run.unwrap_or(1) })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.typed)
    }
}

impl Kind {
    /// At most `count` cases, in the order of the trace. None at all: the trace has no such thing.
    pub(crate) fn cases(&self, index: &Index, count: usize, seed: u64) -> Vec<Case> {
        let rows = self.rows(index);
        // A case is where a run begins: the row, and the place in it.
        let mut starts: Vec<(usize, usize)> = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let last = (row.len() + 1).saturating_sub(self.run);
            starts.extend((0..last).map(|start| (number, start)));
        }
        draw(&mut starts, count, seed);
        let mut cases: Vec<Vec<usize>> = Vec::with_capacity(starts.len());
        for (row, start) in starts {
            let units = rows.get(row).and_then(|row| row.get(start..start + self.run));
            let mut gone: Vec<usize> = units.into_iter().flatten().flatten().copied().collect();
            gone.sort_unstable();
            cases.push(gone);
        }
        cases.sort();
        let case = |(number, gone)| Case {
            id: Scalar::Text(format!("{self} {}", number + 1)),
            kind: self.to_string(),
            gone,
            is_packet: matches!(self.what, What::Packet),
        };
        cases.into_iter().enumerate().map(case).collect()
    }

    /// Units in rows; a unit is what cannot be deleted by half, a run is neighbours of one row.
    fn rows(&self, index: &Index) -> Vec<Vec<Vec<usize>>> {
        match &self.what {
            What::Named(pattern) => {
                let fits: Vec<bool> = index.names.names().map(|name| pattern.matches(name)).collect();
                lanes(index, |event| fits.get(event.symbol.0 as usize) == Some(&true))
            }
            What::Burst => lanes(index, |_| true),
            What::Packet => {
                let mut packets: BTreeMap<(u32, u64), Vec<usize>> = BTreeMap::new();
                for (number, event) in index.events.iter().enumerate().filter(|(_, event)| event.packet > 0) {
                    packets.entry((event.stream, event.packet)).or_default().push(number);
                }
                vec![packets.into_values().collect()]
            }
            What::Calls => calls(index),
        }
    }
}

fn lanes(index: &Index, fits: impl Fn(&IndexedEvent) -> bool) -> Vec<Vec<Vec<usize>>> {
    let mut lanes: BTreeMap<(bool, u32), Vec<Vec<usize>>> = BTreeMap::new();
    for (number, event) in index.events.iter().enumerate().filter(|(_, event)| fits(event)) {
        lanes.entry(Index::lane(event)).or_default().push(vec![number]);
    }
    lanes.into_values().collect()
}

/// By thread: its system calls, each as its entry and its exit.
fn calls(index: &Index) -> Vec<Vec<Vec<usize>>> {
    /// What an event does: begin the call called so, or end it.
    #[derive(Clone, Copy)]
    enum Boundary<'a> {
        In(&'a str),
        Out(&'a str),
    }
    let boundary = |name| -> Option<Boundary<'_>> {
        let name: &str = name;
        let name = name.strip_prefix("compat_").unwrap_or(name);
        let begins = name.strip_prefix("syscall_entry_").map(Boundary::In);
        begins.or_else(|| name.strip_prefix("syscall_exit_").map(Boundary::Out))
    };
    let boundaries: Vec<Option<Boundary<'_>>> = index.names.names().map(boundary).collect();
    let mut open: HashMap<u32, (usize, &str)> = HashMap::new();
    let mut threads: BTreeMap<u32, Vec<Vec<usize>>> = BTreeMap::new();
    for (number, event) in index.events.iter().enumerate() {
        match boundaries.get(event.symbol.0 as usize).copied().flatten() {
            None => {}
            Some(Boundary::In(call)) => drop(open.insert(event.track, (number, call))),
            Some(Boundary::Out(call)) => {
                if let Some((entry, _)) = open.remove(&event.track).filter(|(_, begun)| *begun == call) {
                    threads.entry(event.track).or_default().push(vec![entry, number]);
                }
            }
        }
    }
    threads.into_values().collect()
}

/// Keeps `count` of `all`, each as probable as any other.
fn draw<T: Copy>(all: &mut Vec<T>, count: usize, seed: u64) {
    if all.len() <= count {
        return;
    }
    // Floyd's way: as many draws as are wanted, however many there are.
    let mut random = SplitMix(seed);
    let mut chosen: HashSet<usize> = HashSet::with_capacity(count);
    for most in all.len() - count..all.len() {
        let Some(one) = random.below(most + 1) else { break };
        if !chosen.insert(one) {
            chosen.insert(most);
        }
    }
    let mut chosen: Vec<usize> = chosen.into_iter().collect();
    chosen.sort_unstable();
    *all = chosen.into_iter().filter_map(|one| all.get(one).copied()).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_as_they_are_typed() {
        let read = |typed: &str| typed.parse::<Kind>().map(|kind| (format!("{:?}", kind.what), kind.run));
        assert_eq!(read("syscall:3").unwrap(), ("Calls".into(), 3));
        assert_eq!(read("burst:50").unwrap(), ("Burst".into(), 50));
        assert_eq!(read("packet").unwrap(), ("Packet".into(), 1));
        assert_eq!(read("sched:sched_switch").unwrap().1, 1);
        assert_eq!(read("sched:sched_switch:15").unwrap().1, 15);
        for wrong in ["", ":3", "burst", "packet:2", "a:0", "a:1000001", "a:99999999999999999999999"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn draws_are_even_and_repeat() {
        let mut hits = [0u32; 10];
        for seed in 0..1_000 {
            let mut all: Vec<usize> = (0..10).collect();
            draw(&mut all, 3, seed);
            assert_eq!(all.len(), 3);
            let mut again: Vec<usize> = (0..10).collect();
            draw(&mut again, 3, seed);
            assert_eq!(all, again);
            all.iter().for_each(|&one| hits[one] += 1);
        }
        assert!(hits.iter().all(|hits| (240..360).contains(hits)), "{hits:?}");
    }
}
