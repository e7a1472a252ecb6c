//! What learned machines are good for: single losses of programs, learned from one run and judged on another.

use fastrand::Rng;
use model::{
    Alphabet, Base, Diagnostic, EventSource, Item, Origin, OwnedEvent, Scalar, StreamId, StreamInfo,
    TraceInfo, Value,
};

use super::{Events, learn};
use crate::evaluate::score::Tally;
use crate::evaluate::{Case, Deleted, Hole, Index, Known, Scored, Without, truth};
use crate::model::{Inconsistency, InferredEvent};
use crate::{Joint, Retention};

/// An event: when, on which CPU, its name and its fields.
type Logged = (u64, u32, &'static str, Vec<(&'static str, Scalar)>);

fn number(value: u64) -> Scalar {
    Scalar::Number(value as i64)
}

fn text(value: &str) -> Scalar {
    Scalar::Text(value.to_owned())
}

/// Six threads take eight locks, one at a time.
fn locks(seed: u64, count: usize) -> Vec<Logged> {
    let mut random = Rng::with_seed(seed);
    let mut free = [0; 8];
    let mut threads: Vec<u64> = (0..6).map(|_| random.u64(..1_000)).collect();
    let mut log = Vec::new();
    while log.len() < count {
        let thread = (0..threads.len()).min_by_key(|thread| threads[*thread]).unwrap();
        let lock = random.usize(..8);
        let fields =
            || vec![("tid", number(101 + thread as u64)), ("lock", number(0x7f10 + 64 * lock as u64))];
        let now = threads[thread].max(free[lock] + 1);
        let until = now + 10 + random.u64(..300);
        log.push((now, 0, "acquire", fields()));
        log.push((until, 0, "release", fields()));
        free[lock] = until + 30;
        threads[thread] = until + 1 + random.u64(..900);
    }
    log
}

/// Eight workers serve requests: each asks the database, again while that fails, and renders.
fn requests(seed: u64, count: usize) -> Vec<Logged> {
    let mut random = Rng::with_seed(seed);
    let mut workers: Vec<u64> = (0..8).map(|_| random.u64(..100_000)).collect();
    let mut log = Vec::new();
    let mut request = 5_000;
    while log.len() < count {
        let worker = (0..workers.len()).min_by_key(|worker| workers[*worker]).unwrap();
        let mut now = workers[worker];
        let mut event = |name: &'static str, outcome: Option<&str>| {
            let own = vec![("worker", number(worker as u64)), ("request", number(request))];
            let outcome = outcome.map(|outcome| ("outcome", text(outcome)));
            log.push((now, 0, name, outcome.into_iter().chain(own).collect::<Vec<_>>()));
            now += 100 + random.u64(..50_000);
            random.u64(..10)
        };
        let mut draw = event("begin", None);
        while draw < 2 {
            event("db", Some("failed"));
            draw = event("retry", None);
        }
        event("db", Some("ok"));
        event("render", None);
        event("end", None);
        workers[worker] = now + random.u64(..100_000);
        request += 1;
    }
    log
}

/// Ten connections are taken from a pool, used, given back, and opened anew now and then.
fn pool(seed: u64, count: usize) -> Vec<Logged> {
    let mut random = Rng::with_seed(seed);
    let mut log = Vec::new();
    for connection in 0..10 {
        let mut now = random.u64(..100_000);
        let mut event = |name: &'static str| {
            let fields = vec![("size", number(random.u64(..50))), ("conn", text(&format!("c{connection}")))];
            log.push((now, 0, name, fields));
            now += 50 + random.u64(..90_000);
            random.u64(..10)
        };
        for _ in 0..count / 70 {
            event("checkout");
            loop {
                event("query");
                if event("result") < 5 {
                    break;
                }
            }
            if event("checkin") == 0 {
                event("close");
                event("open");
            }
        }
    }
    log
}

/// The log of a web server: all events are called alike, and numbers of requests never come back.
fn web(seed: u64, count: usize) -> Vec<Logged> {
    let mut random = Rng::with_seed(seed);
    let mut log = Vec::new();
    let mut begin = 0;
    while log.len() < count {
        begin += random.u64(..8_000_000);
        let (mut now, request) = (begin, format!("{:08x}", random.u64(..1 << 31)));
        let address = format!("10.0.0.{}", random.u64(..60));
        let mut phase = |name: &str| {
            let fields = vec![("phase", text(name)), ("req", text(&request)), ("ip", text(&address))];
            log.push((now, 0, "log", fields));
            now += 1_000 + random.u64(..4_000_000);
            random.u64(..10)
        };
        phase("accept");
        if phase("route") < 4 {
            phase("auth");
        }
        phase("upstream");
        if phase("reply") < 3 {
            phase("upstream");
            phase("reply");
        }
        phase("send");
    }
    log
}

/// A trace in memory.
struct Recorded {
    names: Alphabet,
    events: Vec<OwnedEvent>,
    next: usize,
}

impl Recorded {
    fn new(mut log: Vec<Logged>) -> Recorded {
        log.sort_by_key(|(time, ..)| *time);
        let mut names = Alphabet::default();
        let mut events = Vec::new();
        for (seq, (time, cpu, name, fields)) in (0..).zip(&log) {
            let value = |value| match value {
                &Scalar::Number(number) => Value::Signed(i128::from(number), Base::Decimal),
                Scalar::Text(text) => Value::Text(text.as_bytes()),
            };
            let fields: Vec<(&str, Value<'_>)> =
                fields.iter().map(|(name, scalar)| (*name, value(scalar))).collect();
            let mut event = OwnedEvent::new(names.intern(name), *time as i64, *cpu, &fields);
            (event.stream, event.seq) = (StreamId(0), seq);
            events.push(event);
        }
        Recorded { names, events, next: 0 }
    }

    fn again(&mut self) -> &mut Recorded {
        self.next = 0;
        self
    }
}

impl EventSource for Recorded {
    fn next_item(&mut self) -> Option<Item<'_>> {
        self.next += 1;
        self.events.get(self.next - 1).map(|event| Item::Event(event.event(Origin::of(self))))
    }

    fn alphabet(&self) -> &Alphabet {
        &self.names
    }

    fn traces(&self) -> &[TraceInfo] {
        &[]
    }

    fn streams(&self) -> &[StreamInfo] {
        &[]
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &[]
    }

    fn progress(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// Learns from one run, leaves out `cases` single events of the other, and compares: how many were missed in a
/// whole trace, what was right, and what was wrong in words.
fn judge(one: Vec<Logged>, other: Vec<Logged>, cases: u64) -> (usize, Tally, String) {
    let learned = learn(Events::read(&mut Recorded::new(one), |_| {}, |_| {}));
    let pattern = learned.pattern;
    let run = |source: &mut dyn EventSource| -> (Vec<InferredEvent>, Vec<Inconsistency>) {
        let mut joint = Joint::new(pattern.clone(), Retention::default()).unwrap();
        while joint.feed(source).is_some() {}
        joint.finish();
        (joint.take_inferred(), joint.take_incoherences())
    };
    let mut source = Recorded::new(other);
    let (inferred, found) = run(source.again());
    let known = Known::new(&inferred, &found);
    let intact = inferred.len();
    let index = Index::read(source.again(), usize::MAX);
    let mut random = Rng::with_seed(17);
    let case = |number| Case {
        id: number,
        kind: String::new(),
        gone: vec![random.usize(..index.events.len())],
        is_packet: false,
    };
    let cases: Vec<Case> = (0..cases).map(|case| Scalar::Number(case as i64)).map(case).collect();
    let truth = truth::read(source.again(), &index, &cases, &[&pattern]);
    let (mut tally, mut wrong) = (Tally::default(), String::new());
    for case in &cases {
        let hole = Hole::new(&index, case, false);
        let (inferred, found) = run(&mut Without::new(source.again(), &hole));
        let (inferred, count) = known.new_events(inferred, &found);
        let deleted: Vec<&Deleted> = case.gone.iter().map(|gone| &truth[gone]).collect();
        let scored = Scored::new(inferred, &deleted, count);
        if !scored.is_exact() && wrong.len() < 4_000 {
            wrong += &format!("deleted {deleted:?}\n");
            for event in &scored.inferred {
                let fields = event.fields.iter().map(|field| format!("{}={:?}", field.name, field.value));
                let fields: Vec<String> = fields.collect();
                wrong += &format!(
                    "  {} {:?} cpu {:?} {} ({})\n",
                    event.key.name,
                    (event.key.from.0, event.key.to.0),
                    event.cpu,
                    fields.join(" "),
                    event.reason.as_deref().unwrap_or_default()
                );
            }
        }
        tally.add(&scored);
    }
    (intact, tally, wrong)
}

#[test]
fn single_losses_are_found_without_a_model_that_anybody_wrote() {
    type Program = fn(u64, usize) -> Vec<Logged>;
    // Part of the requests of the web server say who asks, and nothing depends on that: such an event is not missed.
    let programs: [(&str, Program, f64); 4] =
        [("locks", locks, 0.9), ("requests", requests, 0.9), ("pool", pool, 0.9), ("web", web, 0.8)];
    for (name, program, least) in programs {
        let (intact, tally, wrong) = judge(program(1, 3_000), program(5, 2_000), 60);
        let (precision, recall) = (tally.precision().unwrap_or(0.0), tally.recall().unwrap_or(0.0));
        assert_eq!(intact, 0, "{name}");
        assert!(precision >= 0.95 && recall >= least, "{name}: {precision} {recall}\n{wrong}");
    }
}
