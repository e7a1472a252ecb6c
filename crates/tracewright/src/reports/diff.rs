//! What `diff --json` prints for two recordings of control flow.
//!
//! ```text
//! {"verdict":"different","sides":[{"input":"a.capture","threads":9,"blocks":1498,"lost":0},...],
//!  "threads":[{"name":["main","main"],"verdict":"different","blocks":[90,97],"gap":[false,false],
//!    "parts":{"after_blocks":41,"stack":[{"method":"shop.Baker.bake","file":"Baker.java","line":30},...],"next":[NEXT,NEXT]}}],
//!  "methods":[{"method":"shop.Baker.bake","descriptor":"(I)V","file":"Baker.java","calls":[12,12],
//!    "code_changed":[[31],[31]],"only_lines":[[31],[33]],"changes":[{"what":"path",...}],"more_changes":0}],
//!  "more_methods":0,"only":[[{"method":...,"lines":[40,42],"calls":3}],[]],"more_only":[0,0],
//!  "threw":[{"method":...,"counts":[0,12]}],"code_changed_elsewhere":[...],"varying":null,"not_compared":["..."]}
//! verdict  equal, different; unknown: nothing differs in what was recorded, and something is missing
//! NEXT     {"what":"line","line":33}   what: line, catch, call (with method), returned, threw, around (the iteration was
//!          over), nothing (the thread ended), unseen
//! what     of a change: path, calls, moved, iterations, variant, order, ended, caught
//! ```
//!
//! In every pair of two the first is of side A. Lines are those of side A; of what only B has, and of what it went on with,
//! those of side B. `line_in_b` and `moved`, pairs of lines, say which line that is on the other side where it is another. Methods stand in the order in which they are worth reading: those whose
//! code changed, those in which threads part, then in the order of the run. `threads` lists those that differ first.

use serde::Serialize;

/// How the sides compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Equal,
    Different,
    /// Nothing differs in what is there, and something is missing.
    Unknown,
}

/// The answer of `diff` for recordings.
#[derive(Debug, Serialize)]
pub(crate) struct DiffReport {
    pub(crate) verdict: Verdict,
    pub(crate) sides: Vec<SideReport>,
    pub(crate) threads: Vec<ThreadReport>,
    pub(crate) more_threads: usize,
    pub(crate) equal_threads: usize,
    pub(crate) methods: Vec<MethodReport>,
    pub(crate) more_methods: usize,
    /// Methods that ran on one side only.
    pub(crate) only: [Vec<OnlyReport>; 2],
    pub(crate) more_only: [usize; 2],
    pub(crate) threw: Vec<ThrewReport>,
    /// Methods whose code changed and that ran the same.
    pub(crate) code_changed_elsewhere: Vec<MethodName>,
    pub(crate) varying: Option<VaryingReport>,
    /// Sentences.
    pub(crate) not_compared: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SideReport {
    pub(crate) input: String,
    /// The part of it that is compared, where that is not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) section: Option<String>,
    pub(crate) threads: usize,
    pub(crate) blocks: u64,
    /// Records that were dropped and counted.
    pub(crate) lost: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct ThreadReport {
    /// Null where a side has none.
    pub(crate) name: [Option<String>; 2],
    pub(crate) verdict: Verdict,
    pub(crate) blocks: [u64; 2],
    pub(crate) gap: [bool; 2],
    pub(crate) parts: Option<PartsReport>,
}

#[derive(Debug, Serialize)]
pub(crate) struct PartsReport {
    pub(crate) after_blocks: u64,
    /// Innermost first, each with the line that ran last in it, on side A.
    pub(crate) stack: Vec<FrameReport>,
    pub(crate) more_frames: usize,
    pub(crate) next: [NextReport; 2],
}

#[derive(Debug, Serialize)]
pub(crate) struct FrameReport {
    pub(crate) method: String,
    pub(crate) file: Option<String>,
    /// On side A; if that has it not, on side B.
    pub(crate) line: Option<u16>,
    /// Where it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line_in_b: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct NextReport {
    pub(crate) what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) method: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct MethodName {
    pub(crate) method: String,
    pub(crate) descriptor: String,
    pub(crate) file: Option<String>,
    /// Lines with code that the other side does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code_changed: Option<[Vec<u16>; 2]>,
    /// Lines that are named beside this and have another number on the other side: both, that of A first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) moved: Vec<[u16; 2]>,
}

#[derive(Debug, Serialize)]
pub(crate) struct MethodReport {
    #[serde(flatten)]
    pub(crate) name: MethodName,
    pub(crate) calls: [u64; 2],
    /// Lines that ran on one side only.
    pub(crate) only_lines: [Vec<u16>; 2],
    pub(crate) changes: Vec<ChangeReport>,
    pub(crate) more_changes: usize,
}

#[derive(Debug, Serialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub(crate) enum ChangeReport {
    /// After a line the sides continued differently.
    Path {
        after: [Option<u16>; 2],
        next: [NextReport; 2],
        times: u64,
    },
    /// Calls from a line.
    Calls {
        line: Option<u16>,
        callee: String,
        counts: [u64; 2],
    },
    Moved {
        lines: [Option<u16>; 2],
        callee: String,
        times: u64,
    },
    Iterations {
        lines: Vec<u16>,
        counts: [u64; 2],
        times: u64,
    },
    /// Iterations that ran these lines, or this part of them.
    Variant {
        lines: Vec<u16>,
        counts: [u64; 2],
    },
    Order {
        lines: Vec<u16>,
        times: u64,
    },
    Ended {
        next: [NextReport; 2],
        times: u64,
    },
    Caught {
        line: Option<u16>,
        counts: [u64; 2],
    },
}

impl ChangeReport {
    /// Adds the lines of each side that it names.
    pub(crate) fn lines(&self, found: &mut [Vec<u16>; 2]) {
        let mut add = |side: usize, line: &Option<u16>| found[side].extend(line);
        match self {
            ChangeReport::Path { after, next, .. } => {
                for side in [0, 1] {
                    add(side, &after[side]);
                    add(side, &next[side].line);
                }
            }
            ChangeReport::Calls { line, .. } | ChangeReport::Caught { line, .. } => add(0, line),
            ChangeReport::Moved { lines, .. } => [0, 1].into_iter().for_each(|side| add(side, &lines[side])),
            ChangeReport::Iterations { lines, .. } | ChangeReport::Order { lines, .. } => {
                found[0].extend(lines);
            }
            ChangeReport::Variant { lines, counts } => {
                found[usize::from(counts[1] > counts[0])].extend(lines)
            }
            ChangeReport::Ended { .. } => {}
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct OnlyReport {
    #[serde(flatten)]
    pub(crate) name: MethodName,
    pub(crate) lines: Vec<u16>,
    pub(crate) calls: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct ThrewReport {
    pub(crate) method: String,
    pub(crate) counts: [u64; 2],
}

/// What was learned from baselines.
#[derive(Debug, Serialize)]
pub(crate) struct VaryingReport {
    pub(crate) recordings: usize,
    pub(crate) methods: usize,
    /// Differences that were not reported because of it.
    pub(crate) explained: usize,
    /// Lines that only side B ran, where what varies by itself decides: they may be chance.
    pub(crate) rare: Vec<RareReport>,
}

/// Lines that may have run by chance.
#[derive(Debug, Serialize)]
pub(crate) struct RareReport {
    #[serde(flatten)]
    pub(crate) name: MethodName,
    pub(crate) lines: Vec<u16>,
}
