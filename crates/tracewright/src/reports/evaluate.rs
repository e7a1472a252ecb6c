//! What `evaluate --json` prints, so that anyone can score it anew; it can be given to `--cases` again.
//!
//! ```text
//! {"events":240644,"seed":1,"declared":false,
//!  "engines":[{"engine":"joint","model":"kernel","intact":{"incoherences":0,"inferred":0},
//!              "calibration":{"events":98,"brier":0.0031,
//!                             "bins":[{"from":0.99,"to":1.0,"events":90,"right":90,"stated":0.996}]},
//!              "learned":{"deleted":960,"statements":1210,"error":0.021},"long_losses":null}],
//!  "results":[{"deleted":"sched_switch","engine":"joint","cases":100,"events":100,"inferred":98,"right":97,"partly":0,
//!              "precision":0.99,"recall":0.97,"false_alarms":1,"listed":98,"placed":98,"exact":96,"unnoticed":2,
//!              "interval":7316}],
//!  "cases":[{"id":"sched_switch 1","kind":"sched_switch","engine":"joint",
//!            "delete":[{"ts":1457113582794570715,"cpu":5,"name":"sched_switch",
//!                       "fields":{"prev_tid":0,"next_tid":869},"found":true}],
//!            "incoherences":1,"right":[true],"holds":[true],"inferred":[...]}]}
//! ```

use inference::evaluate::LongTally;
use serde::Serialize;

use super::infer::{Calibrated, Inferred};
use super::scalar::{Members, Plain};
use crate::evaluate::score::{Bin, Reliability, Scored, Tally};
use crate::evaluate::truth::Deleted;
use crate::evaluate::{Case, Evaluated};

/// The answer of `evaluate`.
#[derive(Debug, Serialize)]
pub(crate) struct EvaluateReport<'a> {
    events: usize,
    /// Null where the cases were given.
    seed: Option<u64>,
    declared: bool,
    engines: Vec<Engine<'a>>,
    results: Vec<Row<'a>>,
    cases: Vec<Run<'a>>,
}

#[derive(Debug, Serialize)]
struct Engine<'a> {
    engine: &'a str,
    model: &'a str,
    intact: Intact,
    calibration: Option<Stated>,
    /// The trials by which the engine's probabilities were corrected; they are none of the cases.
    learned: Option<Calibrated>,
    /// What became of losses whose events are not listed; null where there was none.
    long_losses: Option<LongLosses>,
}

/// How what is stated of long losses held.
#[derive(Debug, Serialize)]
struct LongLosses {
    losses: u64,
    /// Stated intervals of running times, and those that held.
    times: (u64, u64),
    /// The same of numbers of switches.
    switches: (u64, u64),
    /// All lost time, and that of those whose stated mean misses by less than a tenth.
    lost_ns: (u64, u64),
    /// Probabilities that somebody runs in a part of a loss, in tenths: `[stated, mean stated, share that ran]`.
    bands: Vec<(u64, f64, f64)>,
    /// By how much the stated ones differ from what is true, on average.
    band_error: Option<f64>,
}

/// What an engine reports of the whole trace.
#[derive(Debug, Serialize)]
struct Intact {
    incoherences: usize,
    inferred: usize,
}

/// How far stated probabilities held; a statement holds if all of it is true.
#[derive(Debug, Serialize)]
struct Stated {
    events: u64,
    brier: f64,
    bins: Vec<StatedBin>,
}

#[derive(Debug, Serialize)]
struct StatedBin {
    from: f64,
    to: f64,
    events: u64,
    right: u64,
    stated: f64,
}

/// What one engine reached on the cases of one kind.
#[derive(Debug, Serialize)]
struct Row<'a> {
    deleted: &'a str,
    engine: &'a str,
    cases: u64,
    events: u64,
    inferred: u64,
    right: u64,
    /// Right as far as it goes, but key fields are left open.
    partly: u64,
    precision: Option<f64>,
    recall: Option<f64>,
    false_alarms: u64,
    /// Deleted events that are found once the alternatives of key fields are allowed too.
    listed: u64,
    /// The same by name, CPU and time alone.
    placed: u64,
    exact: u64,
    unnoticed: u64,
    /// Nanoseconds, the middle one of the right.
    interval: Option<i64>,
}

#[derive(Debug, Serialize)]
struct Run<'a> {
    id: Plain<'a>,
    kind: &'a str,
    engine: &'a str,
    delete: Vec<Gone<'a>>,
    /// New ones, against the whole trace.
    incoherences: usize,
    right: &'a [bool],
    holds: &'a [bool],
    /// What was newly inferred against the whole trace.
    inferred: Vec<Inferred<'a>>,
}

#[derive(Debug, Serialize)]
struct Gone<'a> {
    ts: Option<i64>,
    cpu: Option<u32>,
    name: &'a str,
    fields: Members<'a, Plain<'a>>,
    found: bool,
}

impl<'a> EvaluateReport<'a> {
    pub(crate) fn of(evaluated: &'a Evaluated<'a>) -> Self {
        let engine = |(number, intact): (usize, &'a crate::evaluate::run::Intact)| Engine {
            engine: intact.engine,
            model: &intact.model,
            intact: Intact { incoherences: intact.inconsistencies, inferred: intact.inferred },
            calibration: Reliability::new(&evaluated.total(number).stated).map(Stated::of),
            learned: evaluated.calibrations.get(number).and_then(Option::as_ref).map(Calibrated::of),
            long_losses: evaluated.long.get(number).and_then(LongLosses::of),
        };
        let rows = evaluated.kinds().into_iter().flat_map(|(kind, tallies)| {
            let engines = evaluated.intact.iter().map(|intact| intact.engine);
            tallies.into_iter().zip(engines).map(move |(tally, engine)| Row::of(kind, engine, &tally))
        });
        let runs = evaluated.cases.iter().zip(evaluated.scored).flat_map(|(case, scored)| {
            let engines = evaluated.intact.iter().map(|intact| intact.engine);
            scored.iter().zip(engines).map(move |(scored, engine)| Run::of(evaluated, case, engine, scored))
        });
        Self {
            events: evaluated.index.events.len(),
            seed: evaluated.seed,
            declared: evaluated.is_declared,
            engines: evaluated.intact.iter().enumerate().map(engine).collect(),
            results: rows.collect(),
            cases: runs.collect(),
        }
    }
}

impl LongLosses {
    fn of(tally: &LongTally) -> Option<Self> {
        let bin = |&(count, stated, ran): &(u64, f64, f64)| {
            (count > 0).then(|| (count, stated / count as f64, ran / count as f64))
        };
        (tally.losses > 0).then(|| Self {
            losses: tally.losses,
            times: tally.times,
            switches: tally.switches,
            lost_ns: tally.lost,
            bands: tally.bands.iter().filter_map(bin).collect(),
            band_error: tally.band_error(),
        })
    }
}

impl Stated {
    fn of(found: Reliability) -> Self {
        let bin = |bin: &Bin| {
            let Bin { from, to, events, right, stated } = *bin;
            StatedBin { from, to, events, right, stated }
        };
        Self { events: found.events, brier: found.brier, bins: found.bins.iter().map(bin).collect() }
    }
}

impl<'a> Row<'a> {
    fn of(kind: &'a str, engine: &'a str, tally: &Tally) -> Self {
        Self {
            deleted: kind,
            engine,
            cases: tally.cases,
            events: tally.deleted,
            inferred: tally.inferred,
            right: tally.right,
            partly: tally.partly,
            precision: tally.precision(),
            recall: tally.recall(),
            false_alarms: tally.false_alarms(),
            listed: tally.listed,
            placed: tally.placed,
            exact: tally.exact,
            unnoticed: tally.unnoticed,
            interval: tally.width(),
        }
    }
}

impl<'a> Run<'a> {
    fn of(evaluated: &'a Evaluated<'a>, case: &'a Case, engine: &'a str, scored: &'a Scored) -> Self {
        let deleted = evaluated.deleted(case).zip(&scored.found);
        Self {
            id: Plain(&case.id),
            kind: &case.kind,
            engine,
            delete: deleted.map(|(event, found)| Gone::of(event, *found)).collect(),
            incoherences: scored.inconsistencies,
            right: &scored.right,
            holds: &scored.holds,
            inferred: scored.inferred.iter().map(Inferred::of).collect(),
        }
    }
}

impl<'a> Gone<'a> {
    fn of(event: &'a Deleted, found: bool) -> Self {
        let fields = event.keys.iter().map(|(name, value)| (name.as_str(), Plain(value))).collect();
        Self { ts: event.time, cpu: event.cpu, name: &event.name, fields: Members(fields), found }
    }
}
