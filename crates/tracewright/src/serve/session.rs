//! What one running server knows: the input, and what each part of the API has made of it so far.
//!
//! Requests come from many threads at a time, so whatever changes is behind a lock of its own part.

use analyses::timeline::DiagnosticLine;
use analyses::tracks::TrackBy;
use busybeaver::Grid;

use viewer::api::JobStatus;
use viewer::api::about::View;
use viewer::{Cache, Readable};

use super::{compare, growth, inference, loops, notes, overview, play, story, threads, timeline, two_l};
use crate::cli;
use crate::recordings;

/// What was opened.
#[derive(Debug, Clone, Default)]
pub(crate) struct Opened {
    /// What people call it.
    pub(crate) name: String,
}

/// What was typed, from which the input is opened again.
#[derive(Debug)]
enum Asked {
    Input(Box<cli::view::View>),
    Program(Box<Grid>, u64),
}

/// Everything that requests are answered from.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) opened: Opened,
    asked: Asked,
    pub(crate) growth: growth::Part,
    pub(crate) timeline: timeline::Part,
    pub(crate) inference: inference::Part,
    pub(crate) loops: loops::Part,
    pub(crate) notes: notes::Part,
    pub(crate) play: play::Part,
    pub(crate) overview: overview::Part,
    pub(crate) story: story::Part,
    pub(crate) compare: compare::Part,
    pub(crate) threads: threads::Part,
    pub(crate) two_l: two_l::Part,
}

impl Session {
    pub(crate) fn new(opened: Opened, options: &cli::view::View) -> Session {
        let history = &options.history;
        let inputs = [&history.input, &history.history, &options.against].into_iter().flatten();
        // Before anything is read: what comes while it is being read counts as growth.
        let growth = growth::Part::new(inputs.filter(|input| input.as_os_str() != "-").cloned().collect());
        let inference =
            inference::Part::new(history.input.clone(), options.machines.clone(), options.choices.clone());
        let cache = Cache::of_user();
        let model = options.machines.model.clone();
        let timeline =
            timeline::Part::new(history.input.clone(), history.track_by.into(), model, cache.clone());
        let capture = history.input.clone().filter(|input| recordings::is_recording(input));
        // As in `diff`: what is only likely is no difference.
        let infers = !options.lost_records.no_inferred && options.against.is_none();
        let threads = threads::Part::new(capture.clone(), infers);
        let play = play::Part::new(capture, options.source_root.clone(), infers, cache.clone());
        let against = options.against.clone().filter(|_| play.has_capture());
        let roots = match options.against_source_root.as_slice() {
            [] => options.source_root.clone(),
            roots => roots.to_vec(),
        };
        let compare = compare::Part::new(against, roots, cache.clone());
        let input = history.input.as_deref().filter(|_| !play.has_capture());
        let two_l = two_l::Part::of(input.and_then(two_l::program_of), two_l::STEPS);
        let loops = loops::Part::new(history.clone(), cache);
        let notes = notes::Part::new(history.input.as_deref());
        Session {
            opened,
            asked: Asked::Input(Box::new(options.clone())),
            growth,
            timeline,
            inference,
            loops,
            notes,
            play,
            overview: overview::Part::default(),
            story: story::Part::default(),
            compare,
            threads,
            two_l,
        }
    }

    /// On a 2L program, which is run for so many steps.
    pub(crate) fn of_program(program: Grid, steps: u64) -> Session {
        let (machines, by) = (cli::machines::Machines { model: None, engine: None }, TrackBy::default());
        let cache = Cache::of_user();
        Session {
            opened: Opened { name: program.to_string() },
            asked: Asked::Program(Box::new(program.clone()), steps),
            growth: growth::Part::new(vec![]),
            timeline: timeline::Part::new(None, by, None, cache.clone()),
            inference: inference::Part::new(None, machines, None),
            loops: loops::Part::of_program(program.clone(), steps),
            notes: notes::Part::new(None),
            play: play::Part::new(None, vec![], true, cache.clone()),
            overview: overview::Part::default(),
            story: story::Part::default(),
            compare: compare::Part::new(None, vec![], cache),
            threads: threads::Part::new(None, true),
            two_l: two_l::Part::of(Some(program), steps),
        }
    }

    /// How far the reader of the input is, and what it has found wrong so far.
    pub(crate) fn diagnostics(&self) -> (JobStatus, Vec<DiagnosticLine>) {
        if self.play.has_capture() {
            self.play.diagnostics()
        } else if self.timeline.is_there() {
            self.timeline.diagnostics()
        } else {
            self.loops.diagnostics()
        }
    }

    /// The views that have something to show.
    pub(crate) fn views(&self) -> Vec<View> {
        if self.play.has_capture() {
            let compare = self.compare.has_other().then_some(View::Compare);
            let threads = self.threads.has_clock().then_some(View::Threads);
            let views = [View::Overview, View::Play, View::List].into_iter().chain(threads);
            return compare.into_iter().chain(views).chain([View::Loops]).collect();
        }
        let timeline = self.timeline.is_there().then_some(View::Timeline);
        let two_l = self.two_l.is_there().then_some(View::TwoL);
        two_l.into_iter().chain(timeline).chain([View::Loops]).collect()
    }
}

impl Readable for Session {
    /// Begins to read what the first view shows.
    fn begin(&self) {
        self.two_l.start();
        match self.play.has_capture() {
            true => self.play.start(),
            false => self.timeline.start(),
        }
    }

    fn again(&self) -> Session {
        match &self.asked {
            Asked::Input(options) => Session::new(self.opened.clone(), options),
            Asked::Program(program, steps) => Session::of_program((**program).clone(), *steps),
        }
    }
}
