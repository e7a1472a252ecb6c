//! A summary as the founding text prints it.
//!
//! ```text
//! F C*2.0 G C*3.0 H C*2.0 D A*2.1 #B C*4.0 D A*0.2 E
//! A*2.1 #B C*3.0 D A*3.1 #B C*5.0 D A*0.2 E
//! A*3.1 #B C*4.0 D A*4.1 #B C*6.0 D A*0.2 E
//! A*4.1 #B C*5.0 D A*5.1 #B C*7.0 D A*0.2 E
//!
//! A = [e g m]  B = f  C = [i]  D = h j  E = l o
//! ```
//!
//! Each iteration of a loop of loops has a line of its own. A loop has its whole iterations and the units of
//! the cut one behind it. `#` stands before a transition of a single block (the text does not say
//! what it means; this is what it has in common there). Letters go first to what lies in the
//! loops of loops, in order of appearance, so that an iteration reads as in the text.
//!
//! Below that come the levels above, from the second on, with what their letters stand for: there
//! stands the larger loop that took the place of eager ones.
//!
//! ```text
//! P Q*3.0
//!
//! P = FCGCHCDABCDAE  Q = ABCDABCDAE
//! ```

use super::block_name;
use crate::blocks::Graph;
use model::{Level, Run, RunId, Summary};

/// How much is listed.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The most lines; of more, the first and the last ones are shown.
    pub lines: usize,
    /// The most runs of a line.
    pub runs: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { lines: 12, runs: 40 }
    }
}

/// The listing of a summary of program blocks.
pub fn listing(summary: &Summary, graph: &Graph, bounds: Bounds) -> String {
    let Some(lowest) = summary.levels.first() else { return String::new() };
    let lines = lines_of(lowest, summary.levels.get(1));
    let mut names = Names::default();
    lines
        .iter()
        .filter(|line| line.is_iteration)
        .flat_map(|line| line.runs)
        .for_each(|run| names.add(run.id));
    lines.iter().flat_map(|line| line.runs).for_each(|run| names.add(run.id));
    let mut out = String::new();
    let half = bounds.lines / 2;
    let mut shown = Names::default();
    for (index, line) in lines.iter().enumerate() {
        if lines.len() > bounds.lines && index == half {
            out += &format!("... {} more\n", lines.len() - 2 * half);
        }
        if lines.len() > bounds.lines && (half..lines.len() - half).contains(&index) {
            continue;
        }
        let cut = line.runs.len().saturating_sub(bounds.runs);
        let runs = line.runs.get(..line.runs.len() - cut).unwrap_or_default();
        runs.iter().for_each(|run| shown.add(run.id));
        let mut words: Vec<String> = runs.iter().map(|run| names.text(run)).collect();
        if cut > 0 {
            words.push(format!("... {cut} more"));
        }
        out += &(words.join(" ") + "\n");
    }
    if !lowest.pending.is_empty() {
        let units: Vec<String> =
            lowest.pending.iter().take(bounds.runs).map(|&unit| block_name(graph, unit)).collect();
        let more = if lowest.pending.len() > bounds.runs { " ..." } else { "" };
        out += &format!("{}{more} ?\n", units.join(" "));
    }
    out += &legend(lowest, graph, &names, &shown);
    let mut below = names;
    for level in summary.levels.iter().skip(1).filter(|level| !level.runs.is_empty()) {
        let names = Names::above(&below, level);
        out += &upper(level, &names, &below, bounds);
        below = names;
    }
    out
}

/// A level above the lowest: its runs, and their words in letters of the level below.
fn upper(level: &Level, names: &Names, below: &Names, bounds: Bounds) -> String {
    let cut = level.runs.len().saturating_sub(bounds.runs);
    let shown = level.runs.get(cut..).unwrap_or_default();
    let mut words: Vec<String> = shown.iter().map(|run| names.bare(run)).collect();
    if cut > 0 {
        words.insert(0, format!("{cut} before ..."));
    }
    let mut meanings = Vec::new();
    for &id in names.ids.iter().filter(|&&id| shown.iter().any(|run| run.id == id)) {
        let Some(word) = level.words.get(id.0 as usize) else { continue };
        let letters: Vec<String> =
            word.units.iter().take(bounds.runs).map(|&unit| below.letter(RunId(unit))).collect();
        let more = if word.units.len() > bounds.runs { " ..." } else { "" };
        let apart = if letters.iter().any(|letter| letter.len() > 1) { " " } else { "" };
        meanings.push(format!("{} = {}{more}", names.letter(id), letters.join(apart)));
    }
    format!("\n{}\n\n{}\n", words.join(" "), meanings.join("  "))
}

/// What the letters stand for.
fn legend(lowest: &Level, graph: &Graph, names: &Names, shown: &Names) -> String {
    let mut words = Vec::new();
    for (rank, &id) in names.ids.iter().enumerate().filter(|(_, id)| shown.ids.contains(id)) {
        let Some(word) = lowest.words.get(id.0 as usize) else { continue };
        let units: Vec<String> = word.units.iter().map(|&unit| block_name(graph, unit)).collect();
        let units = units.join(" ");
        let letter = letter(rank);
        words.push(if word.is_loop {
            format!("{letter} = [{units}]")
        } else {
            format!("{letter} = {units}")
        });
    }
    if words.is_empty() { String::new() } else { format!("\n{}\n", words.join("  ")) }
}

struct Line<'a> {
    runs: &'a [Run],
    is_iteration: bool,
}

/// The runs of the lowest level, cut into lines by the level above.
fn lines_of<'a>(lowest: &'a Level, above: Option<&Level>) -> Vec<Line<'a>> {
    let index = |unit: u64| usize::try_from(unit).unwrap_or(usize::MAX).min(lowest.runs.len());
    let mut lines = Vec::new();
    let mut done = 0;
    let mut cut = |to: usize, is_iteration| {
        if let Some(runs) = lowest.runs.get(done..to).filter(|runs| !runs.is_empty()) {
            lines.push(Line { runs, is_iteration });
            done = to;
        }
    };
    for run in above.into_iter().flat_map(|level| &level.runs) {
        let range = run.range();
        match run.period {
            0 => cut(index(range.end), false),
            period => {
                let iterations = range.clone().step_by(period as usize).skip(1).chain([range.end]);
                iterations.for_each(|to| cut(index(to), true));
            }
        }
    }
    cut(lowest.runs.len(), false);
    lines
}

#[derive(Default)]
struct Names {
    ids: Vec<RunId>,
    /// The letter of the first of them.
    first: usize,
}

/// Levels above the lowest begin with `P`, as in the text, if that is free.
const ABOVE: usize = 15;

impl Names {
    fn add(&mut self, id: RunId) {
        if !self.ids.contains(&id) {
            self.ids.push(id);
        }
    }

    /// For a level, so that no letter of the one below is used again.
    fn above(below: &Names, level: &Level) -> Names {
        let mut names = Names { first: (below.first + below.ids.len()).max(ABOVE), ..Names::default() };
        level.runs.iter().for_each(|run| names.add(run.id));
        names
    }

    fn letter(&self, id: RunId) -> String {
        let rank = self.ids.iter().position(|&known| known == id);
        rank.map_or_else(|| "?".into(), |rank| letter(self.first + rank))
    }

    /// A run with its iterations, and nothing else.
    fn bare(&self, run: &Run) -> String {
        let letter = self.letter(run.id);
        match run.iterations() {
            (iterations, rest) if run.is_loop() => format!("{letter}*{iterations}.{rest}"),
            _ => letter,
        }
    }

    fn text(&self, run: &Run) -> String {
        let letter = self.letter(run.id);
        match run.iterations() {
            (iterations, rest) if run.is_loop() => format!("{letter}*{iterations}.{rest}"),
            (_, 1) => format!("#{letter}"),
            _ => letter,
        }
    }
}

/// `A` to `Z`, then `A1` to `Z1`, and so on.
fn letter(rank: usize) -> String {
    let letter = char::from(b'A' + (rank % 26) as u8);
    if rank < 26 { letter.into() } else { format!("{letter}{}", rank / 26) }
}
