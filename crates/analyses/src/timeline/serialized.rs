//! An index as bytes, so that a long trace need not be read again to be drawn.
//!
//! ```text
//! "TWTIMES" version u8 | kernel u8
//! times        n, then the first and the steps from one to the next
//! offsets      the same
//! alphabet     n texts
//! names        n times: a number of the alphabet
//! states       n times: kind, inferred, n texts
//! rows         n times: kind, key, name, parent or nothing | lane: n times, n states
//! CPUs         n times: number | n times when it changes, n times who runs: unknown, nobody, or a row
//! wakes        n times: moment, row, event, cpu or nothing
//! losses       n times: stream, cpu or nothing, kind and count, n intervals of two moments or nothing
//! incoherences n times: moment, row or nothing, event, cpu or nothing, sentence
//! diagnostics  n times: damage, sentence
//! ```
//!
//! Numbers and texts are written as in `bytes.rs`. To change anything, raise the version: what is refused is
//! only made anew.
//!
//! The bytes may be damaged. Whatever they are, what comes back is a sound index: sums are made again, moments run
//! forward, every state and row that is pointed at is there, and no more memory is taken than the bytes pay for.

use model::{Lost, Severity};

use super::index::{DiagnosticLine, Incoherence, Index, Loss, RowKind, State};
use super::lane::StateId;
use super::on_cpu::{Runner, Wake};
use crate::bytes::{Reader, Writer};

const MAGIC: &[u8; 7] = b"TWTIMES";
const VERSION: u8 = 3;
const KINDS: [RowKind; 5] =
    [RowKind::Cpu, RowKind::Interrupts, RowKind::Thread, RowKind::Machine, RowKind::Track];

/// The bytes of an index.
pub fn to_bytes(index: &Index) -> Vec<u8> {
    let changes: usize = index.rows.iter().map(|row| row.lane.len()).sum();
    let mut out = Writer(Vec::with_capacity(1024 + index.times.len() * 3 + changes * 4));
    out.0.extend_from_slice(MAGIC);
    out.0.extend_from_slice(&[VERSION, u8::from(index.is_kernel)]);
    out.steps(index.times.iter().copied());
    out.steps(index.offsets.iter().map(|&offset| offset.cast_signed()));
    out.number(index.alphabet.len() as u64);
    index.alphabet.names().for_each(|name| out.text(name));
    out.number(index.names.len() as u64);
    index.names.all().iter().for_each(|&name| out.number(u64::from(name)));
    out.number(index.states.all.len() as u64);
    for state in &index.states.all {
        put_kind(&mut out, state.kind);
        out.0.push(u8::from(state.is_inferred));
        out.number(state.names.len() as u64);
        state.names.iter().for_each(|name| out.text(name));
    }
    out.number(index.rows.len() as u64);
    for row in &index.rows {
        put_kind(&mut out, row.kind);
        out.text(&row.key);
        out.text(&row.name);
        out.maybe(row.parent.as_ref(), |out, parent| out.text(parent));
        out.steps(row.lane.from(0).map(|(time, _)| time));
        row.lane.from(0).for_each(|(_, state)| out.number(u64::from(state)));
    }
    out.number(index.on_cpu.len() as u64);
    for (&cpu, one) in &index.on_cpu {
        out.number(u64::from(cpu));
        out.steps(one.changes().map(|(time, _)| time));
        one.changes().for_each(|(_, runner)| out.number(runner.number()));
    }
    out.number(index.wakes.len() as u64);
    for wake in &index.wakes {
        out.signed(wake.time);
        out.number(u64::from(wake.row));
        out.number(u64::from(wake.event));
        out.maybe(wake.cpu, |out, cpu| out.number(u64::from(cpu)));
    }
    out.number(index.losses.len() as u64);
    for loss in &index.losses {
        out.text(&loss.stream);
        out.maybe(loss.cpu, |out, cpu| out.number(u64::from(cpu)));
        let (kind, count) = match loss.lost {
            Lost::Unknown => (0, 0),
            Lost::Events(count) => (1, count),
            Lost::Packets(count) => (2, count),
        };
        out.0.push(kind);
        out.number(count);
        out.number(loss.intervals.len() as u64);
        for (from, to) in &loss.intervals {
            out.maybe(*from, Writer::signed);
            out.maybe(*to, Writer::signed);
        }
    }
    out.number(index.incoherences.len() as u64);
    for found in &index.incoherences {
        out.signed(found.time);
        out.maybe(found.row, |out, row| out.number(row as u64));
        out.text(&found.event);
        out.maybe(found.cpu, |out, cpu| out.number(u64::from(cpu)));
        out.text(&found.sentence);
    }
    out.number(index.diagnostics.len() as u64);
    for found in &index.diagnostics {
        out.0.push(u8::from(found.severity == Severity::Damage));
        out.text(&found.sentence);
    }
    out.0
}

/// The index of these bytes; `None` if they are of another version, cut or damaged.
pub fn from_bytes(bytes: &[u8]) -> Option<Index> {
    let mut read = Reader(bytes);
    if read.take(MAGIC.len())? != MAGIC || read.byte()? != VERSION {
        return None;
    }
    let mut index = Index { is_kernel: read.flag()?, ..Index::default() };
    index.times = read.steps()?;
    let offsets = read.steps()?;
    index.offsets = offsets.into_iter().map(u64::try_from).collect::<Result<_, _>>().ok()?;
    for _ in 0..read.count(1)? {
        index.alphabet.intern(read.text()?);
    }
    for _ in 0..read.count(1)? {
        index.names.push(read.small()?);
    }
    for number in 0..read.count(3)? {
        let (kind, is_inferred) = (kind(&mut read)?, read.flag()?);
        let names = (0..read.count(1)?).map(|_| Some(read.text()?.to_owned())).collect::<Option<_>>()?;
        // A state that is there twice would shift the numbers of those behind it.
        if usize::from(index.states.number(State { kind, names, is_inferred })) != number {
            return None;
        }
    }
    for number in 0..read.count(5)? {
        let (kind, key) = (kind(&mut read)?, read.text()?);
        if index.row(kind, key) != number {
            return None;
        }
        let states = index.states.all.len();
        let row = index.rows.get_mut(number)?;
        row.name = read.text()?.to_owned();
        row.parent = read.maybe(|read| Some(read.text()?.to_owned()))?;
        let times = read.steps()?;
        for time in times {
            let state = StateId::try_from(read.number()?).ok()?;
            if usize::from(state) >= states && state != StateId::MAX {
                return None;
            }
            row.lane.push(time, state);
        }
    }
    let rows = index.rows.len();
    for _ in 0..read.count(2)? {
        let cpu = read.small()?;
        let times = read.steps()?;
        let lane = index.on_cpu.entry(cpu).or_default();
        for time in times {
            let runner = Runner::of(read.number()?)?;
            if matches!(runner, Runner::Row(row) if row as usize >= rows) {
                return None;
            }
            lane.change(time, runner);
        }
    }
    let mut last = i64::MIN;
    for _ in 0..read.count(4)? {
        let (time, row, event) = (read.signed()?, read.small()?, read.small()?);
        let cpu = read.maybe(Reader::small)?;
        if time < last || row as usize >= rows {
            return None;
        }
        last = time;
        index.wakes.push(Wake { time, row, event, cpu });
    }
    for _ in 0..read.count(5)? {
        let stream = read.text()?.to_owned();
        let cpu = read.maybe(Reader::small)?;
        let lost = match (read.byte()?, read.number()?) {
            (0, _) => Lost::Unknown,
            (1, count) => Lost::Events(count),
            (2, count) => Lost::Packets(count),
            _ => return None,
        };
        let interval =
            |read: &mut Reader<'_>| Some((read.maybe(Reader::signed)?, read.maybe(Reader::signed)?));
        let intervals = (0..read.count(2)?).map(|_| interval(&mut read)).collect::<Option<_>>()?;
        index.losses.push(Loss { stream, cpu, lost, intervals });
    }
    let mut last = i64::MIN;
    for _ in 0..read.count(5)? {
        let time = read.signed()?;
        let row = read.maybe(|read| usize::try_from(read.number()?).ok())?;
        if time < last || row.is_some_and(|row| row >= index.rows.len()) {
            return None;
        }
        last = time;
        let (event, cpu) = (read.text()?.to_owned(), read.maybe(Reader::small)?);
        index.incoherences.push(Incoherence { time, row, event, cpu, sentence: read.text()?.to_owned() });
    }
    for _ in 0..read.count(2)? {
        let severity = if read.flag()? { Severity::Damage } else { Severity::Note };
        index.diagnostics.push(DiagnosticLine { severity, sentence: read.text()?.to_owned() });
    }
    read.0.is_empty().then_some(index)
}

fn put_kind(out: &mut Writer, kind: RowKind) {
    out.0.push(KINDS.iter().position(|known| *known == kind).unwrap_or(0) as u8);
}

fn kind(read: &mut Reader<'_>) -> Option<RowKind> {
    KINDS.get(usize::from(read.byte()?)).copied()
}

#[cfg(test)]
mod tests {
    use super::super::{Row, cells};
    use super::*;

    fn index() -> Index {
        let mut index = Index { is_kernel: true, ..Index::default() };
        index.times = vec![i64::MIN, -5, -5, 0, 300, 70_000, i64::MAX];
        index.offsets = vec![0, 4711];
        for name in ["sched_switch", "", "tür"] {
            index.alphabet.intern(name);
        }
        let state = |kind, names: &[&str], is_inferred| State {
            kind,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            is_inferred,
        };
        let runs = index.states.number(state(RowKind::Thread, &["run"], false));
        let uncertain = index.states.number(state(RowKind::Cpu, &["run", "idle"], false));
        let inferred = index.states.number(state(RowKind::Thread, &[], true));
        for (kind, key) in [(RowKind::Cpu, "0"), (RowKind::Thread, "12"), (RowKind::Track, "7")] {
            let row = index.row(kind, key);
            let row = &mut index.rows[row];
            (row.name, row.parent) = (format!("row {key}"), (kind == RowKind::Thread).then(|| "1".into()));
            for interval in 0..200 {
                row.lane.push(interval * interval - 9, [runs, uncertain, inferred][interval as usize % 3]);
            }
        }
        let intervals = vec![(None, Some(-3)), (Some(9), None)];
        index.losses = vec![
            Loss { stream: "a".into(), cpu: Some(3), lost: Lost::Events(u64::MAX), intervals },
            Loss { stream: String::new(), cpu: None, lost: Lost::Unknown, intervals: vec![] },
        ];
        let sentence = "It does not fit.".to_owned();
        index.incoherences =
            vec![Incoherence { time: -7, row: Some(1), event: "e".into(), cpu: Some(0), sentence }];
        [0, 2, 1, 1, 70_000, 0].into_iter().for_each(|name| index.names.push(name));
        for (time, runner) in [(-4, Runner::Row(1)), (9, Runner::Idle), (9, Runner::Unknown)] {
            index.on_cpu.entry(6).or_default().change(time, runner);
        }
        index.wakes = vec![
            Wake { time: -5, row: 1, event: 2, cpu: None },
            Wake { time: 0, row: 0, event: 3, cpu: Some(6) },
        ];
        index.diagnostics = [Severity::Damage, Severity::Note]
            .map(|severity| DiagnosticLine { severity, sentence: "It ends early.".into() })
            .into();
        index
    }

    #[test]
    fn what_is_serialized_comes_back() {
        let index = index();
        let again = from_bytes(&to_bytes(&index)).unwrap();
        assert_eq!(to_bytes(&again), to_bytes(&index));
        assert_eq!((again.times, again.offsets), (index.times, index.offsets));
        assert_eq!((again.losses, again.incoherences), (index.losses, index.incoherences));
        assert_eq!(again.diagnostics, index.diagnostics);
        assert_eq!((again.names.all(), again.wakes), (index.names.all(), index.wakes));
        assert!(again.on_cpu[&6].changes().eq(index.on_cpu[&6].changes()));
        assert_eq!((again.states.all, again.is_kernel), (index.states.all, index.is_kernel));
        assert!(again.alphabet.names().eq(index.alphabet.names()));
        let drawn = |row: &Row| {
            let mut drawn = format!("{:?} {} {} {:?}", row.kind, row.key, row.name, row.parent);
            cells(&row.lane, -20, 40_000, i64::MAX, 37, |at, cell| drawn += &format!(" {at} {cell:?}"));
            drawn
        };
        assert!(index.rows.iter().map(drawn).eq(again.rows.iter().map(drawn)));
    }

    #[test]
    fn no_cut_and_no_changed_bit_leads_astray() {
        let bytes = to_bytes(&index());
        for cut in 0..bytes.len() {
            assert!(from_bytes(&bytes[..cut]).is_none(), "cut at {cut}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(from_bytes(&longer).is_none());
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // What is still an index is a sound one: it can be kept and drawn.
            if let Some(index) = from_bytes(&damaged) {
                assert!(from_bytes(&to_bytes(&index)).is_some());
                index.order();
            }
        }
    }
}
