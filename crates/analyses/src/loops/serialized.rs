//! Summaries as bytes, so that the loops of a long history need not be looked for again.
//!
//! ```text
//! "TWLOOPS" version u8
//! names    n texts: the alphabet
//! tracks   n times: name | gaps: n, then the first and the steps from one to the next
//!          levels   n times, the lowest first: in a loop u8, rewrites
//!                   words    n times: of a loop u8, n units
//!                   runs     n times: id, units
//!                   pending  n units
//! ```
//!
//! Numbers and texts are written as in `bytes.rs`. To change anything, raise the version: what is refused is
//! only looked for again.
//!
//! The bytes may be damaged. Whatever they are, what comes back is a sound summary: runs lie end to end and are
//! as long as their words say, the units of a level are the runs of the one below, and names are there.

use model::{Alphabet, Level, Run, RunId, Summary, Word};

use crate::bytes::{Reader, Writer};

const MAGIC: &[u8; 7] = b"TWLOOPS";
const VERSION: u8 = 1;

/// The loops of all tracks of a history.
#[derive(Debug, Clone, Default)]
pub struct Summaries {
    /// What the units of the lowest levels are called.
    pub alphabet: Alphabet,
    /// Name and summary of each track.
    pub tracks: Vec<(String, Summary)>,
}

/// The bytes of summaries.
pub fn to_bytes(summaries: &Summaries) -> Vec<u8> {
    let mut out = Writer(MAGIC.to_vec());
    out.0.push(VERSION);
    out.number(summaries.alphabet.len() as u64);
    summaries.alphabet.names().for_each(|name| out.text(name));
    out.number(summaries.tracks.len() as u64);
    for (name, summary) in &summaries.tracks {
        out.text(name);
        out.steps(summary.gaps.iter().map(|gap| gap.cast_signed()));
        out.number(summary.levels.len() as u64);
        summary.levels.iter().for_each(|level| put_level(&mut out, level));
    }
    out.0
}

fn put_level(out: &mut Writer, level: &Level) {
    out.0.push(u8::from(level.in_loop));
    out.number(level.rewrites);
    out.number(level.words.len() as u64);
    for word in &level.words {
        out.0.push(u8::from(word.is_loop));
        put_units(out, &word.units);
    }
    out.number(level.runs.len() as u64);
    for run in &level.runs {
        out.number(u64::from(run.id.0));
        out.number(run.len);
    }
    put_units(out, &level.pending);
}

fn put_units(out: &mut Writer, units: &[u32]) {
    out.number(units.len() as u64);
    units.iter().for_each(|unit| out.number(u64::from(*unit)));
}

/// The summaries of these bytes; `None` if they are of another version, cut or damaged.
pub fn from_bytes(bytes: &[u8]) -> Option<Summaries> {
    let mut read = Reader(bytes);
    if read.take(MAGIC.len())? != MAGIC || read.byte()? != VERSION {
        return None;
    }
    let mut found = Summaries::default();
    for _ in 0..read.count(1)? {
        found.alphabet.intern(read.text()?);
    }
    let kinds = found.alphabet.len();
    for _ in 0..read.count(3)? {
        let name = read.text()?.to_owned();
        let gaps: Vec<u64> = read.steps()?.into_iter().map(i64::cast_unsigned).collect();
        let mut levels: Vec<Level> = Vec::new();
        for _ in 0..read.count(5)? {
            levels.push(level(&mut read, levels.last(), kinds)?);
        }
        let steps = levels.first()?.len();
        if gaps.last().is_some_and(|&gap| gap > steps) || !gaps.is_sorted() {
            return None;
        }
        found.tracks.push((name, Summary { levels, gaps }));
    }
    read.0.is_empty().then_some(found)
}

/// A level above `below`; of the lowest one the units are less than `kinds`.
fn level(read: &mut Reader<'_>, below: Option<&Level>, kinds: usize) -> Option<Level> {
    let kinds = below.map_or(kinds, |below| below.words.len());
    let units = |read: &mut Reader<'_>| {
        let unit = |unit: u32| ((unit as usize) < kinds).then_some(unit);
        (0..read.count(1)?).map(|_| unit(read.small()?)).collect::<Option<Vec<u32>>>()
    };
    let mut level = Level { in_loop: read.flag()?, rewrites: read.number()?, ..Level::default() };
    for _ in 0..read.count(3)? {
        let word = Word { is_loop: read.flag()?, units: units(read)? };
        if word.units.is_empty() {
            return None;
        }
        level.words.push(word);
    }
    let mut end = 0u64;
    for _ in 0..read.count(2)? {
        let (id, len) = (RunId(read.small()?), read.number()?);
        let word = level.words.get(id.0 as usize)?;
        let size = u32::try_from(word.units.len()).ok()?;
        if len == 0 || !word.is_loop && len != u64::from(size) {
            return None;
        }
        level.runs.push(Run { id, start: end, len, period: if word.is_loop { size } else { 0 } });
        end = end.checked_add(len)?;
    }
    level.pending = units(read)?;
    end.checked_add(level.pending.len() as u64)?;
    if level.in_loop && !level.runs.last().is_some_and(Run::is_loop) {
        return None;
    }
    // The lengths first: a loop may claim more iterations than anybody can count.
    let is_sound = below.is_none_or(|below| {
        level.len() == below.runs.len() as u64 && level.units().eq(below.runs.iter().map(|run| run.id.0))
    });
    is_sound.then_some(level)
}

#[cfg(test)]
mod tests {
    use super::super::{LoopFinder, Options};
    use super::*;

    fn summary(history: &str) -> Summary {
        let mut finder = LoopFinder::new(Options { short_loops: true, ..Options::default() });
        for letter in history.bytes() {
            match letter {
                b'|' => finder.gap(),
                letter => finder.push(u32::from(letter - b'A')),
            }
        }
        finder.summary()
    }

    fn summaries() -> Summaries {
        let mut found = Summaries::default();
        ('A'..='G').for_each(|letter| _ = found.alphabet.intern(&letter.to_string()));
        let mut random = fastrand::Rng::with_seed(3);
        let mut long = String::new();
        for _ in 0..40 {
            for _ in 0..2 + random.usize(..4) {
                long += &"A".repeat(2 + random.usize(..5));
                long.push('B');
            }
            long.push('C');
        }
        for history in
            ["", "A", "|", "ABCDDDDEFGGGABCDEFGGG", "ABAB|ABABC|", long.as_str(), "ABCDDDDEFGGGABCDEFGG"]
        {
            found.tracks.push((format!("track {history:.9}"), summary(history)));
        }
        found
    }

    #[test]
    fn what_is_serialized_comes_back() {
        let original = summaries();
        let bytes = to_bytes(&original);
        let again = from_bytes(&bytes).unwrap();
        assert!(original.tracks.iter().any(|(_, summary)| summary.levels.len() > 2));
        assert_eq!(again.tracks, original.tracks);
        assert!(again.alphabet.names().eq(original.alphabet.names()));
        assert_eq!(to_bytes(&again), bytes);
    }

    #[test]
    fn whatever_is_damaged_is_refused_or_sound() {
        let bytes = to_bytes(&summaries());
        for cut in 0..bytes.len() {
            assert!(from_bytes(&bytes[..cut]).is_none(), "cut at {cut}");
        }
        let mut refused = 0;
        for position in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[position] ^= 1 << bit;
                let Some(read) = from_bytes(&damaged) else {
                    refused += 1;
                    continue;
                };
                assert_eq!(to_bytes(&read), damaged);
                for (_, summary) in &read.tracks {
                    crate::hangs::ending(summary);
                }
            }
        }
        assert!(refused > bytes.len() * 4, "{refused} of {}", bytes.len() * 8);
    }

    #[test]
    fn a_loop_that_claims_too_many_iterations_costs_nothing() {
        let word = |units: &[u32], is_loop| Word { units: units.to_vec(), is_loop };
        let run = |len| Run { id: RunId(0), start: 0, len, period: 1 };
        let level = |len| Level { runs: vec![run(len)], words: vec![word(&[0], true)], ..Level::default() };
        let mut one = Summaries::default();
        one.alphabet.intern("A");
        one.tracks = vec![("t".into(), Summary { levels: vec![level(1), level(1)], gaps: vec![] })];
        assert!(from_bytes(&to_bytes(&one)).is_some());
        one.tracks[0].1.levels[1] = level(u64::MAX);
        assert!(from_bytes(&to_bytes(&one)).is_none());
        // On the lowest level nobody can say that it is wrong, and nothing is unrolled.
        one.tracks[0].1.levels = vec![level(u64::MAX)];
        assert!(from_bytes(&to_bytes(&one)).is_some());
    }
}
