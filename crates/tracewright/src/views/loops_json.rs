//! Summaries as JSON, for programs.
//!
//! ```text
//! {"tracks":[{"name":"many-threads 1204","steps":28,"alphabet":["A","B","C"],"gaps":[17],
//!   "levels":[{"runs":[{"id":0,"start":0,"len":4,"period":0},...],"in_loop":true,"pending":0,"rewrites":0}]}],
//!  "lost":{"events":0,"packets":0,"gaps":0}}
//! ```
//!
//! `alphabet` holds the names of the track's symbols in the order of their first step. Run ids are
//! numbered by first appearance on their level; `start`, `len`, `period` and `pending` count units
//! of that level; period 0 is a transition. `gaps` (only where there are some) are the steps before
//! which something is or may be missing. `lost` is there for traces only.

use std::collections::HashSet;

use model::{Summary, Symbol};

use super::json::Json;
use crate::commands::found::Found;

pub(crate) fn render(found: &Found) -> Vec<u8> {
    let mut json = Json::default();
    json.object(|json| {
        json.key("tracks").array(&found.tracks, |json, track| {
            json.object(|json| {
                json.key("name").text(&track.name);
                json.key("steps").number(track.steps);
                let symbols = symbols_of(&track.summary);
                json.key("alphabet").array(symbols, |json, symbol| json.text(found.alphabet.name(symbol)));
                if !track.summary.gaps.is_empty() {
                    json.key("gaps").array(&track.summary.gaps, |json, step| json.number(step));
                }
                json.key("levels");
                levels(json, &track.summary);
            });
        });
        if let Some(lost) = found.lost {
            json.key("lost").object(|json| {
                json.key("events").number(lost.events);
                json.key("packets").number(lost.packets);
                json.key("gaps").number(lost.gaps);
            });
        }
    });
    json.out.push(b'\n');
    json.out
}

fn levels(json: &mut Json, summary: &Summary) {
    json.array(&summary.levels, |json, level| {
        json.object(|json| {
            json.key("runs").array(&level.runs, |json, run| {
                json.object(|json| {
                    json.key("id").number(run.id.0);
                    json.key("start").number(run.start);
                    json.key("len").number(run.len);
                    json.key("period").number(run.period);
                });
            });
            json.key("in_loop").bool(level.in_loop);
            json.key("pending").number(level.pending.len());
            json.key("rewrites").number(level.rewrites);
        });
    });
}

/// The symbols of a track, by their first step. Each kind of run is looked at once.
pub(crate) fn symbols_of(summary: &Summary) -> Vec<Symbol> {
    let (mut seen, mut symbols, mut known) = (HashSet::new(), vec![], HashSet::new());
    let Some(level) = summary.levels.first() else { return symbols };
    let runs = level.runs.iter().filter(|run| known.insert(run.id)).flat_map(|run| {
        level.units_of(run).take(level.words.get(run.id.0 as usize).map_or(0, |word| word.units.len()))
    });
    for unit in runs.chain(level.pending.iter().copied()) {
        if seen.insert(unit) {
            symbols.push(Symbol(unit));
        }
    }
    symbols
}
