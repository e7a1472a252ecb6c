//! What `loops --json` prints. It is complete: the history is in `rules` and `history`, which [`formats::loops_json`] draws and
//! reads, and the words of the levels are segments of it.
//!
//! ```text
//! {"tracks":[{"name":"many-threads 1204","steps":28,"alphabet":["A","B","C"],"gaps":[17],
//!   "sizes":{"units":28,"levels":40,"rules":13},"rules":[[0,2]],"history":[0,1,2,1,[3,2],...],
//!   "levels":[{"runs":[{"id":0,"start":0,"len":4,"period":0},...],"in_loop":true,"pending":0,"rewrites":0}]}],
//!  "lost":{"events":0,"packets":0,"gaps":0}}
//! ```

use std::collections::HashMap;

use analyses::grammar;
use model::grammar::{Item, What};
use model::{Grammar, Level, Run, Summary};
use serde::Serialize;

use super::LostTotal;
use crate::histories::layout::SYMBOLS;
use crate::results::{Found, FoundTrack};
use crate::views::loops_names::symbols_of;

/// The answer of `loops`.
#[derive(Debug, Serialize)]
pub(crate) struct LoopsReport<'a> {
    tracks: Vec<Track<'a>>,
    /// For traces only.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<LostTotal>,
}

#[derive(Debug, Serialize)]
struct Track<'a> {
    name: &'a str,
    steps: u64,
    /// The names of its symbols in the order of their first step.
    alphabet: Vec<&'a str>,
    /// The steps before which something is or may be missing.
    #[serde(skip_serializing_if = "<[u64]>::is_empty")]
    gaps: &'a [u64],
    sizes: Sizes,
    #[serde(flatten)]
    grammar: Rules,
    /// For a history that was read from a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text>,
    levels: Vec<LevelRuns>,
}

/// How many units the history has, and how many symbols it takes to write it: as levels, and as rules.
#[derive(Debug, Serialize)]
struct Sizes {
    units: u64,
    levels: u64,
    rules: u64,
}

/// A grammar whose symbols are numbered from 0, and its rules after them.
#[derive(Debug, Serialize)]
struct Rules {
    rules: Vec<Vec<Part>>,
    history: Vec<Part>,
}

/// What stands in a rule.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Part {
    Gap,
    Once(u64),
    Times(u64, u64),
}

/// The text around a history; null in the alphabet is the next unit of the history.
#[derive(Debug, Serialize)]
struct Text {
    alphabet: Vec<Option<&'static str>>,
    #[serde(flatten)]
    grammar: Rules,
}

/// `start`, `len`, `period` and `pending` count units of the level.
#[derive(Debug, Serialize)]
struct LevelRuns {
    runs: Vec<OneRun>,
    in_loop: bool,
    pending: usize,
    rewrites: u64,
}

/// Ids are numbered by first appearance on their level; period 0 is a transition.
#[derive(Debug, Serialize)]
struct OneRun {
    id: u32,
    start: u64,
    len: u64,
    period: u32,
}

impl<'a> LoopsReport<'a> {
    pub(crate) fn of(found: &'a Found) -> Self {
        let track = |track: &'a FoundTrack| {
            let symbols = symbols_of(&track.summary);
            let grammar = grammar::of(&track.summary);
            Track {
                name: &track.name,
                steps: track.steps,
                alphabet: symbols.iter().map(|&symbol| found.alphabet.name(symbol)).collect(),
                gaps: &track.summary.gaps,
                sizes: Sizes {
                    units: track.steps,
                    levels: track.summary.symbols(),
                    rules: grammar.symbols(),
                },
                grammar: Rules::of(&grammar, symbols.iter().map(|symbol| symbol.0)),
                text: track.layout.as_ref().map(Text::of),
                levels: track.summary.levels.iter().map(LevelRuns::of).collect(),
            }
        };
        Self { tracks: found.tracks.iter().map(track).collect(), lost: found.lost.map(LostTotal::from) }
    }
}

impl Rules {
    fn of(grammar: &Grammar, symbols: impl Iterator<Item = u32>) -> Self {
        let number: HashMap<u32, u64> = symbols.zip(0..).collect();
        let part = |item: &Item| {
            let number = match item.what {
                What::Gap => return Part::Gap,
                What::Unit(unit) => number.get(&unit).copied().unwrap_or(0),
                What::Rule(rule) => number.len() as u64 + u64::from(rule),
            };
            if item.times == 1 { Part::Once(number) } else { Part::Times(number, item.times) }
        };
        let parts = |items: &Vec<Item>| items.iter().map(part).collect();
        Self {
            rules: grammar.rules.iter().map(|rule| parts(&rule.items)).collect(),
            history: parts(&grammar.start),
        }
    }
}

impl Text {
    fn of(layout: &Summary) -> Self {
        let unit_symbols = symbols_of(layout);
        let fixed_text = |fixed_text: &model::Symbol| SYMBOLS.get(fixed_text.0 as usize).copied().flatten();
        Self {
            alphabet: unit_symbols.iter().map(fixed_text).collect(),
            grammar: Rules::of(&grammar::of(layout), unit_symbols.iter().map(|fixed_text| fixed_text.0)),
        }
    }
}

impl LevelRuns {
    fn of(level: &Level) -> Self {
        let run = |run: &Run| OneRun { id: run.id.0, start: run.start, len: run.len, period: run.period };
        Self {
            runs: level.runs.iter().map(run).collect(),
            in_loop: level.in_loop,
            pending: level.pending.len(),
            rewrites: level.rewrites,
        }
    }
}
