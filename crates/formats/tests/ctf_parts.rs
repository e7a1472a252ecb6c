//! Parts of a trace one after the other are the trace: every event and every loss, in its order, with its number.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first broken promise")]

mod ctf_fixture;

use ctf_fixture::{Bytes, Trace, fields};
use fastrand::Rng;
use formats::ctf::{Part, Reader};
use model::{Edge, EventSource, Item, Scope, Timestamp};

const METADATA: &str = "/* CTF 1.8 */
    typealias integer { size = 8; align = 8; } := u8;
    typealias integer { size = 32; align = 8; } := u32;
    typealias integer { size = BEGIN; align = 8; map = clock.c.value; } := begin;
    typealias integer { size = 64; align = 8; map = clock.c.value; } := end;
    trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; u8 stream_id; }; };
    clock { name = c; freq = 1000000000; };
    stream {
      id = 0;
      packet.context := struct {
        begin timestamp_begin; end timestamp_end; u32 content_size; u32 packet_size; u32 events_discarded;
        u8 packet_seq_num; u8 cpu_id;
      };
      event.header := struct { u8 id; integer { size = 8; align = 8; map = clock.c.value; } timestamp; };
    };
    event { name = a; id = 1; fields := struct { u8 x; }; };
    event { name = b; id = 2; fields := struct { string s; }; };\n";

/// A stream as tracers write it, now and then with a loss, a clock that goes back, an end before its events or damage.
fn stream(rng: &mut Rng, begin_bits: u64) -> Vec<u8> {
    let (mut file, mut now, mut number, mut discarded) = (vec![], rng.u64(..60), rng.u8(..3), rng.u32(..2));
    let is_often = |rng: &mut Rng| rng.u8(..6) == 0;
    for _ in 0..rng.u8(..9) {
        let begin = now;
        let mut events = Bytes::little();
        for _ in 0..rng.u8(..7) {
            now += rng.u64(..30);
            // An id that is not declared ends the packet.
            let id = if rng.u8(..40) == 0 { 3 } else { rng.u8(1..3) };
            let event = Bytes::little().u8(id).u8(now as u8);
            events = events.then(if id == 2 { event.text("s") } else { event.u8(rng.u8(..)) });
        }
        let events = events.done();
        // As some tracers do.
        let end = if is_often(rng) { now.saturating_sub(rng.u64(..40)) } else { now + rng.u64(..20) };
        let header = Bytes::little().u32(0xC1FC1FC1).u8(0).bits(begin_bits as u32, begin).u64(end);
        let length = 5 + begin_bits as u32 / 8 + 8 + 14 + events.len() as u32;
        let size = length + rng.u32(..9);
        let header = header.u32(length * 8).u32(size * 8).u32(discarded).u8(number).u8(2);
        let mut packet = header.raw(&events).pad(size as usize).done();
        if rng.u8(..25) == 0 {
            let at = rng.usize(..packet.len());
            packet[at] = rng.u8(..);
        }
        file.extend(packet);
        now += rng.u64(..40);
        if rng.u8(..12) == 0 {
            now = now.saturating_sub(rng.u64(..200));
        }
        number = number.wrapping_add(if is_often(rng) { 3 } else { 1 });
        discarded += if is_often(rng) { 5 } else { 0 };
    }
    file.truncate(file.len() - if is_often(rng) { rng.usize(..=file.len().min(9)) } else { 0 });
    file
}

/// What a reader hands out, one line each. The other ends of losses say nothing new.
fn items(mut reader: Reader) -> Vec<String> {
    let mut lines = vec![];
    while let Some(item) = reader.next_item() {
        match item {
            Item::Event(event) => {
                let (stream, seq, time) = (event.stream.0, event.seq, event.time.map(|time| time.0));
                let payload = fields(&event, Scope::Payload);
                lines.push(format!("{stream}:{seq} {time:?} {:?} {} {payload}", event.cpu, event.name()));
            }
            Item::Gap(gap) if gap.edge == Edge::Start => lines.push(format!("{gap:?}")),
            Item::Gap(_) => {}
        }
    }
    lines
}

/// The ranges that `cuts` make.
fn ranges(cuts: &[Timestamp]) -> impl Iterator<Item = (Option<Timestamp>, Option<Timestamp>)> {
    let from = [None].into_iter().chain(cuts.iter().copied().map(Some));
    let to = cuts.iter().copied().map(Some).chain([None]);
    from.zip(to)
}

/// How many events each stream has before each of the parts, as far as these can be counted.
fn counted(trace: &Trace, cuts: &[Timestamp]) -> Vec<Option<Vec<u64>>> {
    let mut before = Some(vec![0; trace.files.len() - 1]);
    let next = |(from, to)| {
        let known = before.clone();
        let more = trace.open().unwrap().events_between(from, to);
        before = before
            .take()
            .zip(more)
            .map(|(before, more)| before.iter().zip(more).map(|(one, other)| one + other).collect());
        known
    };
    ranges(cuts).map(next).collect()
}

/// How many of the parts knew what is before them.
fn check(trace: &Trace, parts: u32, shown: &str) -> usize {
    let whole = items(trace.open().unwrap());
    let cuts = trace.open().unwrap().cuts(parts);
    assert_eq!(cuts.len() + 1, parts as usize, "{shown}");
    let known = counted(trace, &cuts);
    for is_counted in [false, true] {
        let mut all = vec![];
        for ((from, to), before) in ranges(&cuts).zip(&known) {
            let before = before.clone().filter(|_| is_counted);
            let mut reader = trace.open().unwrap();
            reader.restrict_to(&Part { from, to, before });
            all.extend(items(reader));
        }
        assert_eq!(all, whole, "{shown}, {parts} parts, counted: {is_counted}");
    }
    known.iter().filter(|before| before.is_some()).count()
}

#[test]
fn parts_are_the_whole_whatever_was_lost() {
    let mut rng = Rng::with_seed(0x37);
    let (mut parts, mut known) = (0, 0);
    for number in 0..400 {
        let begin_bits = if number % 8 == 7 { 8 } else { 64 };
        let mut trace = Trace::new(&METADATA.replace("BEGIN", &begin_bits.to_string()));
        for name in ["a", "b", "c"].iter().take(1 + number % 3) {
            trace = trace.file(name, stream(&mut rng, begin_bits as u64));
        }
        for count in [1, 2, 8, 40] {
            parts += count as usize;
            known += check(&trace, count, &format!("trace {number}"));
        }
    }
    // Most packets end when they say so.
    assert!(known > parts / 2 && known < parts, "{known} of {parts}");
}

#[test]
fn parts_have_about_as_many_bytes() {
    let mut rng = Rng::with_seed(3);
    let mut trace = Trace::new(&METADATA.replace("BEGIN", "64"));
    for name in ["a", "b"] {
        let (mut file, mut now) = (vec![], 0);
        for number in 0..64 {
            let begin = now;
            let events = (0..40).map(|_| {
                now += rng.u64(..5);
                Bytes::little().u8(1).u8(now as u8).u8(0)
            });
            let events = events.fold(Bytes::little(), Bytes::then).done();
            let size = 8 * (35 + events.len() as u32);
            let header = Bytes::little().u32(0xC1FC1FC1).u8(0).u64(begin).u64(now).u32(size).u32(size);
            file.extend(header.u32(0).u8(number).u8(0).raw(&events).done());
        }
        trace = trace.file(name, file);
    }
    let cuts = trace.open().unwrap().cuts(8);
    let counts: Vec<u64> = ranges(&cuts)
        .map(|(from, to)| trace.open().unwrap().events_between(from, to).unwrap().iter().sum())
        .collect();
    assert_eq!(counts.iter().sum::<u64>(), 2 * 64 * 40);
    assert!(counts.iter().all(|count| (560..720).contains(count)), "{counts:?}");
}
