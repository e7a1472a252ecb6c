//! A recording in memory: what can run, what ran, and what was worked out of it so far.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use analyses::replay::{self, Contexts, Counts, Heights, Inferences, Kind, Measure, NodeId, Replay};
use analyses::timeline::DiagnosticLine;
use model::CallValues;
use model::code::{BlockId, ClassId, CodeMap, MethodId};
use viewer::api::play::{Mark, Profile, Recording as Answer, Thread};

use super::class_labels::ClassLabels;
use super::measures::Measures;
use super::method::View;
use crate::escape::plain;
use crate::parameter_names::ParameterNames;
use crate::recordings;
use crate::source_text::Sources;
use crate::views::program_values;

/// Contexts that are worked out at most: bubbles that are laid out before they are called.
const CONTEXTS: usize = 4000;

/// Marks of a thread that are shown at most.
const MARKS: usize = 1000;

/// A thread as people know it.
#[derive(Debug, Clone)]
pub(crate) struct ThreadName {
    pub(crate) serial: u32,
    pub(crate) name: String,
    /// What of it was not recorded, as a sentence.
    pub(crate) ran_before: Option<String>,
}

/// What the capture says besides code and steps.
#[derive(Debug, Default)]
pub(crate) struct About {
    pub(crate) threads: Vec<ThreadName>,
    /// Names of moments, as threads of the tree number them.
    pub(crate) marks: Vec<String>,
    /// Values of calls, as threads of the tree number them.
    pub(crate) values: Vec<CallValues>,
    /// Pairs for people: the JVM, the main class, ...
    pub(crate) facts: Vec<(String, String)>,
    /// What is missing or damaged, in sentences.
    pub(crate) diagnostics: Vec<DiagnosticLine>,
    /// What was not recorded, in sentences.
    pub(crate) missing: Vec<String>,
    /// Blocks or records that the recorder declared lost.
    pub(crate) lost: u64,
    pub(crate) class_files: ClassFiles,
}

/// The class files of a capture, read together when the first is asked for.
#[derive(Debug, Default)]
pub(crate) struct ClassFiles {
    folder: Option<PathBuf>,
    read: OnceLock<Vec<Vec<u8>>>,
}

/// Bytes of class files that are held at most; methods of the others are shown as blocks.
const CLASS_BYTES: usize = 256 << 20;

impl ClassFiles {
    /// Of the capture in a folder.
    pub(super) fn of(folder: &Path) -> ClassFiles {
        ClassFiles { folder: Some(folder.to_owned()), read: OnceLock::new() }
    }

    /// The class file of a class; empty if it was not recorded.
    pub(in crate::serve) fn get(&self, class: ClassId) -> &[u8] {
        let all = self.read.get_or_init(|| {
            let Some(folder) = &self.folder else { return vec![] };
            let Ok(recording) = recordings::open(folder) else { return vec![] };
            let mut capacity = CLASS_BYTES;
            let ids = (0..).map(ClassId).take(recording.code().classes.len());
            let bytes = ids.map(|id| {
                let bytes =
                    recording.class_file(id).filter(|bytes| bytes.len() <= capacity).unwrap_or_default();
                capacity -= bytes.len();
                bytes
            });
            bytes.collect()
        });
        all.get(class.0 as usize).map_or(&[], Vec::as_slice)
    }
}

/// See the module's head.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(in crate::serve) code: CodeMap,
    pub(in crate::serve) class_labels: ClassLabels,
    pub(in crate::serve) replay: Replay,
    pub(in crate::serve) about: About,
    pub(in crate::serve) blocks: Measure,
    pub(in crate::serve) calls: Arc<Measure>,
    pub(super) heights: Heights,
    pub(in crate::serve) sources: Sources,
    /// The text of methods, made when it is first asked for.
    pub(super) views: Mutex<HashMap<MethodId, Arc<View>>>,
    pub(super) measures: Measures,
    pub(super) inferences: OnceLock<Inferences>,
    parameter_names: Mutex<ParameterNames>,
    counts: Mutex<Counts>,
    contexts: Mutex<HashMap<u32, Arc<Known>>>,
    profile: Mutex<Option<Drawn>>,
}

/// The profile that was drawn last.
#[derive(Debug)]
struct Drawn {
    of: (NodeId, usize),
    profile: Profile,
}

/// The contexts of a thread and the table to find them.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) contexts: Contexts,
    keys: rustc_hash::FxHashMap<(Option<usize>, Option<BlockId>, MethodId), usize>,
}

impl Known {
    /// The contexts along a chain of calls.
    pub(super) fn find(&self, chain: &[(Option<BlockId>, MethodId)]) -> Vec<Option<usize>> {
        self.contexts.find(&self.keys, chain)
    }
}

impl Recording {
    pub(crate) fn new(code: CodeMap, replay: Replay, about: About, sources: Sources) -> Recording {
        // Each looks at the whole tree, and somebody waits for the first picture.
        let (blocks, calls, heights) = std::thread::scope(|scope| {
            let heights = scope.spawn(|| Heights::of(&replay));
            let (blocks, calls) = (Measure::blocks(&replay), Arc::new(Measure::calls(&replay)));
            (blocks, calls, heights.join().unwrap_or_else(|_| Heights::of(&replay)))
        });
        let class_labels = ClassLabels::of(code.classes.iter().map(|class| class.name.as_str()));
        Recording {
            code,
            class_labels,
            about,
            blocks,
            calls,
            heights,
            sources,
            views: Mutex::default(),
            measures: Measures::default(),
            inferences: OnceLock::new(),
            parameter_names: Mutex::default(),
            counts: Mutex::default(),
            contexts: Mutex::default(),
            profile: Mutex::default(),
            replay,
        }
    }

    /// The root of a thread.
    pub(in crate::serve) fn root(&self, serial: u64) -> Option<NodeId> {
        let thread = self.replay.threads.iter().find(|thread| u64::from(thread.serial) == serial)?;
        Some(thread.root)
    }

    /// Places where something is missing.
    pub(in crate::serve) fn gaps(&self) -> Arc<Measure> {
        self.measures.get("gaps", || Measure::gaps(&self.replay))
    }

    /// Blocks of a thread.
    pub(in crate::serve) fn total(&self, root: NodeId) -> u64 {
        self.blocks.of_node(root)
    }

    /// The way to a position.
    pub(super) fn seek(&self, root: NodeId, at: u64) -> Option<replay::Path> {
        self.replay.seek(root, &self.blocks, at)
    }

    /// Where counting is done, one at a time.
    pub(in crate::serve) fn with_counts<T>(&self, work: impl FnOnce(&mut Counts) -> T) -> T {
        work(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The profile that was drawn last, or a new one.
    pub(super) fn profile(&self, root: NodeId, pixels: usize, draw: impl FnOnce() -> Profile) -> Profile {
        let mut last = self.profile.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(drawn) if drawn.of == (root, pixels) => drawn.profile.clone(),
            _ => {
                let profile = draw();
                *last = Some(Drawn { of: (root, pixels), profile: profile.clone() });
                profile
            }
        }
    }

    /// The contexts of a thread, worked out when first asked for.
    pub(super) fn contexts(&self, root: NodeId) -> Arc<Known> {
        let mut all = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.entry(root.0).or_insert_with(|| {
            let contexts = Contexts::of(&self.replay, &self.blocks, root, CONTEXTS);
            let keys = contexts.keys();
            Arc::new(Known { contexts, keys })
        });
        known.clone()
    }

    /// The last iteration of a loop, if it does no more than find out that there is no other: it ran fewer blocks than
    /// the first, all of them on the lines of the head. People do not count it.
    pub(super) fn last_look(&self, node: NodeId) -> Option<NodeId> {
        let Kind::Loop { method, index: Some(index) } = self.replay.kind(node) else { return None };
        let items = self.replay.items(node);
        let (first, last) = (items.first()?.node()?, items.last().filter(|item| item.times == 1)?.node()?);
        let method = self.code.method(method)?;
        let head = method.loops.get(index as usize)?.head;
        let on_head = &method.blocks.get(head as usize)?.lines;
        let (whole, part) = self
            .with_counts(|counts| (counts.of_node(&self.replay, first), counts.of_node(&self.replay, last)));
        let lines = |block: BlockId| method.blocks.get(block as usize).map_or(&[][..], |block| &block.lines);
        let stays = part.iter().all(|&(block, _)| {
            block == head || !on_head.is_empty() && lines(block).iter().all(|line| on_head.contains(line))
        });
        (items.len() > 1 && part.len() < whole.len() && stays).then_some(last)
    }

    /// The threads, those with the most blocks first, and facts about the recording.
    pub(super) fn answer(&self) -> Answer {
        let mut threads: Vec<_> = self.replay.threads.iter().collect();
        threads.sort_by_key(|thread| std::cmp::Reverse(self.total(thread.root)));
        let thread = |thread: &replay::Thread| {
            let known = self.about.threads.iter().find(|known| known.serial == thread.serial);
            Thread {
                serial: thread.serial,
                name: known.map_or_else(|| "?".into(), |known| known.name.clone()),
                blocks: self.total(thread.root),
                calls: self.calls.of_node(thread.root),
                depth: self.heights.of_node(thread.root).map_or(0, |pixel| pixel.max),
                unfit: thread.inconsistent,
                ran_before: known.and_then(|known| known.ran_before.clone()),
                marks: self.marks(thread),
            }
        };
        let mut packages: Vec<&str> = self.code.classes.iter().map(|class| package(&class.name)).collect();
        packages.sort_unstable();
        packages.dedup();
        Answer {
            threads: threads.into_iter().map(thread).collect(),
            packages: packages.into_iter().take(500).map(str::to_owned).collect(),
            class_labels: self.class_labels.ambiguous(),
            lost: self.about.lost,
            inferred: self.inferred_records(),
            facts: self.about.facts.clone(),
            sources: self.sources.is_some(),
        }
    }

    /// The named moments of a thread, the first of them if there are very many.
    fn marks(&self, thread: &replay::Thread) -> Vec<Mark> {
        let marks = thread.marks.iter().filter_map(|&(at, index)| {
            let text = self.about.marks.get(index as usize)?.clone();
            Some(Mark { text, at })
        });
        marks.take(MARKS).collect()
    }

    /// The values of the call of a method that begins at this position of a thread: `(sku: "A1") = true`.
    pub(in crate::serve) fn values_at(&self, thread: u64, at: u64, method: MethodId) -> Option<String> {
        if self.about.values.is_empty() {
            return None;
        }
        let thread = self.replay.threads.iter().find(|one| u64::from(one.serial) == thread)?;
        let from = thread.values.partition_point(|(position, _)| *position < at);
        let here = thread.values.iter().skip(from).take_while(|(position, _)| *position == at);
        let mut here = here.filter_map(|(_, index)| self.about.values.get(*index as usize));
        here.find(|values| values.method == method).map(|values| self.shown_values(values))
    }

    /// Values of a call, as the page shows them.
    pub(in crate::serve) fn shown_values(&self, values: &CallValues) -> String {
        let mut names = self.parameter_names.lock().unwrap_or_else(PoisonError::into_inner);
        let file = |class| self.about.class_files.get(class);
        plain(&program_values::call(values, names.of_file(&self.code, values.method, file))).into_owned()
    }

    /// Class and name of a method, for an answer.
    pub(super) fn owned_names(&self, method: MethodId) -> (String, String) {
        let (class, name) = self.names(method);
        (class.to_owned(), name.to_owned())
    }

    /// Class and name of a method.
    pub(in crate::serve) fn names(&self, method: MethodId) -> (&str, &str) {
        let Some(known) = self.code.method(method) else { return ("?", "?") };
        let class = self.code.class(known.class).map_or("?", |class| class.name.as_str());
        (class, &known.name)
    }
}

/// The package of a class; empty for the unnamed one.
pub(in crate::serve) fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}
