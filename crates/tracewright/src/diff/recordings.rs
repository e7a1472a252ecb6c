//! Two recordings of control flow, and others that teach what varies by itself.

use std::path::{Path, PathBuf};

use analyses::diff::{Diff, Joint, Next, THREAD, ThreadDiff, Varying};
use analyses::replay::Measure;
use model::code::MethodId;
use model::{FlowSource, Severity};

use super::code_changes;
use super::methods::{self, Bounds, Methods};
use super::names::Names;
use super::source_lines::SourceLines;
use crate::exit::{Result, Stop};
use crate::method_names::MethodNames;
use crate::pattern::Patterns;
use crate::recordings;
use crate::reports::diff::{DiffReport, SideReport, ThreadReport, VaryingReport, Verdict};
use crate::sections;

/// What is compared, and how.
pub(crate) struct Asked<'a> {
    pub(crate) inputs: [&'a Path; 2],
    /// Further recordings of what side A did.
    pub(crate) baselines: Vec<&'a Path>,
    pub(crate) thread: &'a [String],
    pub(crate) method: &'a [String],
    /// The section of each side that is compared; else all of it. Baselines are as A.
    pub(crate) sections: [Option<&'a str>; 2],
    /// Where the sources of each side lie.
    pub(crate) source_roots: [&'a [PathBuf]; 2],
    /// Callers that are named.
    pub(crate) depth: usize,
    pub(crate) all: bool,
}

/// Methods, changes of each, and methods that ran on one side only, unless all are asked for.
const LISTED: Bounds = Bounds { methods: 10, changes: 8, only: 10 };
/// Even then: an answer is read by somebody.
const ALL: Bounds = Bounds { methods: 5_000, changes: 1_000, only: 5_000 };
/// Threads that are listed.
const THREADS: usize = 10;
const ALL_THREADS: usize = 5_000;

/// Compares two recordings; damage to an input is reported on standard error.
pub(crate) fn compare(asked: &Asked<'_>) -> Result<DiffReport> {
    let paths: Vec<&Path> = asked.inputs.into_iter().chain(asked.baselines.iter().copied()).collect();
    let mut joint = Joint::default();
    let mut not_compared = vec![];
    // Baselines are needed only while they are read.
    let [one, other] = asked.inputs.map(recordings::open);
    let opened = [one?, other?];
    let mut parts = vec![];
    for (recording, section) in opened.iter().zip(asked.sections) {
        parts.push(section.map(|section| sections::part(recording.as_ref(), section, false)).transpose()?);
    }
    let recorded: [&dyn FlowSource; 2] = [0, 1].map(|side| match &parts[side] {
        Some(part) => part as &dyn FlowSource,
        None => opened[side].as_ref(),
    });
    let lines = SourceLines::new(recorded, asked.source_roots);
    for (at, path) in paths.iter().enumerate() {
        let baseline = if at < 2 { None } else { Some(recordings::open(path)?) };
        let part = match (baseline.as_deref(), asked.sections[0]) {
            (Some(baseline), Some(section)) => Some(sections::part(baseline, section, false)?),
            _ => None,
        };
        let part = part.as_ref().map(|part| part as &dyn FlowSource);
        let recording = part.or(baseline.as_deref()).unwrap_or_else(|| recorded[at]);
        let ran = recordings::ran(recording, |_| true);
        let about = |serial| {
            let thread = ran.threads.iter().find(|thread| thread.serial == serial);
            thread.map_or((String::new(), 0), |thread| (thread.name.clone(), thread.lost))
        };
        let old_lines = |class| lines.of_class(1, class).filter(|_| at == 1);
        joint.add_build(recording.code(), &ran.replay, about, &old_lines);
        not_compared.extend(missing(["A", "B"].get(at).copied().unwrap_or("baseline"), recording));
    }
    let patterns = Patterns::new(asked.thread);
    let wanted = |name: &str| patterns.allow(name);
    let is_there =
        |recording: &&dyn FlowSource| recording.threads().iter().any(|thread| wanted(&thread.name));
    if !patterns.is_empty() && !recorded.iter().any(is_there) {
        return Stop::failed(format!("no thread is called {}", asked.thread.join(" or ")));
    }
    let blocks = Measure::blocks(&joint.replay);
    let same: Vec<usize> = std::iter::once(0).chain(2..paths.len()).collect();
    let varying = match same.as_slice() {
        [_] => Varying::default(),
        same => Varying::of(&joint, &blocks, same, 1, wanted),
    };
    let diff = Diff::of(&joint, &blocks, 0, 1, wanted);
    let names = Names { joint: &joint, recordings: recorded, sides: [0, 1], lines: &lines };
    let methods = asked_methods(asked, &names)?;
    let is_asked = |method: MethodId| methods.as_ref().is_none_or(|asked| asked.contains(&method));
    let ran = (0..joint.code.len() as u32)
        .map(MethodId)
        .filter(|method| diff.coverage.iter().any(|coverage| coverage.of_method(*method).ran()));
    let code = code_changes::changes(recorded, &joint.code, [0, 1], ran);
    let is_whole = [0, 1].map(|side| missing("", recorded[side]).is_empty() && !has_gap(&diff, side));
    if diff.is_cut {
        not_compared.push("more differs than is looked at: what is listed is not all of it".to_owned());
    }
    let bounds = if asked.all { ALL } else { LISTED };
    let listed = Methods::of(&diff, &code, &varying, is_whole, is_asked);
    let mut only = [0, 1].map(|side| match is_whole[1 - side] {
        true => methods::only(&diff, &names, &varying, side, is_asked),
        false => vec![],
    });
    let more_only = only.each_ref().map(|list| list.len().saturating_sub(bounds.only));
    let has_only = only.iter().any(|list| !list.is_empty());
    only.iter_mut().for_each(|list| list.truncate(bounds.only));
    let mut threads = vec![];
    let (mut equal_threads, mut is_missing) = (0, !not_compared.is_empty());
    let mut has_alone = false;
    for thread in &diff.threads {
        let report = thread_report(&names, thread, asked.depth);
        let name = report.name.iter().flatten().next().cloned().unwrap_or_default();
        is_missing |= report.verdict == Verdict::Unknown;
        if report.verdict == Verdict::Equal || varying.thread_varies(&name) {
            equal_threads += 1;
            continue;
        }
        // A side of which something is missing may have had that thread too.
        has_alone |= [0, 1].into_iter().any(|side| report.name[side].is_none() && is_whole[side]);
        threads.push(report);
    }
    threads.sort_by_key(|thread| thread.verdict == Verdict::Unknown);
    let most = if asked.all { ALL_THREADS } else { THREADS };
    let more_threads = threads.len().saturating_sub(most);
    threads.truncate(most);
    let is_different = !listed.is_empty() || has_only || has_alone && methods.is_none();
    if same.len() > 1 && !is_different {
        // Where they part lies in what varies.
        let all = threads.len();
        threads.retain(|thread: &ThreadReport| thread.verdict == Verdict::Unknown);
        equal_threads += all - threads.len();
    }
    let elsewhere = code.iter().filter(|change| !listed.has(change.method) && is_asked(change.method));
    let named = elsewhere.map(|change| {
        let mut name = names.name(change.method);
        name.code_changed = Some(change.lines.clone());
        name
    });
    Ok(DiffReport {
        verdict: match (is_different, is_missing) {
            (true, _) => Verdict::Different,
            (false, true) => Verdict::Unknown,
            (false, false) => Verdict::Equal,
        },
        sides: (0..2).map(|side| side_report(asked, &joint, &blocks, recorded[side], side)).collect(),
        threads,
        more_threads,
        equal_threads,
        methods: listed.report(&diff, &names, bounds),
        more_methods: listed.len().saturating_sub(bounds.methods),
        only,
        more_only,
        threw: match is_whole.contains(&false) {
            true => vec![],
            false => methods::threw(&diff, &names, &varying).into_iter().take(bounds.only).collect(),
        },
        code_changed_elsewhere: named.take(bounds.only).collect(),
        varying: (same.len() > 1).then(|| VaryingReport {
            recordings: same.len(),
            methods: varying.methods(),
            explained: listed.explained,
            rare: listed.rare(&diff, &names, bounds.only),
        }),
        not_compared,
    })
}

fn has_gap(diff: &Diff, side: usize) -> bool {
    diff.threads.iter().any(|thread| thread.has_gap[side])
}

/// What is missing of a recording, as sentences.
fn missing(side: &str, recording: &dyn FlowSource) -> Vec<String> {
    let mut sentences: Vec<String> =
        recordings::missing(recording).into_iter().map(|sentence| format!("{side}: {sentence}")).collect();
    let damage = recording.diagnostics().iter().filter(|one| one.severity == Severity::Damage).count();
    if damage > 0 {
        let diagnostics = crate::numbers::counted(damage as u64, "diagnostic");
        sentences.push(format!("{side} is damaged: {diagnostics}; `tracewright info` lists them"));
    }
    sentences
}

fn side_report(
    asked: &Asked<'_>,
    joint: &Joint,
    blocks: &Measure,
    recording: &dyn FlowSource,
    side: usize,
) -> SideReport {
    let threads = joint.sides.get(side).map_or(&[][..], |side| &side.threads);
    SideReport {
        input: asked.inputs[side].display().to_string(),
        section: asked.sections[side].map(str::to_owned),
        threads: threads.len(),
        blocks: threads.iter().map(|thread| blocks.of_node(thread.root)).sum(),
        lost: recordings::lost(recording),
    }
}

fn thread_report(names: &Names<'_>, thread: &ThreadDiff, depth: usize) -> ThreadReport {
    let indices = [thread.indices.0, thread.indices.1];
    let name = |side: usize| Some(names.joint.sides.get(side)?.threads.get(indices[side]?)?.name.clone());
    let is_unseen = thread.parting.as_ref().is_some_and(|parting| parting.next.contains(&Next::Unseen));
    let verdict = match () {
        () if is_unseen || thread.is_equal() && thread.has_gap.contains(&true) => Verdict::Unknown,
        () if thread.is_equal() => Verdict::Equal,
        () => Verdict::Different,
    };
    ThreadReport {
        name: [name(0), name(1)],
        verdict,
        blocks: thread.blocks,
        gap: thread.has_gap,
        parts: thread.parting.as_ref().map(|parting| names.parts(parting, depth.saturating_add(1))),
    }
}

/// The methods that `--method` asks for; `None` if it asks for none.
fn asked_methods(asked: &Asked<'_>, names: &Names<'_>) -> Result<Option<Vec<MethodId>>> {
    if asked.method.is_empty() {
        return Ok(None);
    }
    let texts = MethodNames::new(asked.method);
    let is_asked = |method: &MethodId| *method != THREAD && names.is_meant(*method, &texts);
    let found: Vec<MethodId> = (0..names.joint.code.len() as u32).map(MethodId).filter(is_asked).collect();
    if found.is_empty() {
        return Stop::failed(format!("no recorded method is called {}", asked.method.join(" or ")));
    }
    Ok(Some(found))
}
