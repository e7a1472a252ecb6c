//! The classes of one recording: what was recorded of them and what was given in their place.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use capture::class_cache::instrumented::{Instrumented, Ready};
use capture::{PackedBytes, pack_class_file, put_class_file, put_origin};
use classfile::filters::Pattern;
use classfile::instrument::{requests, tasks};
use classfile::paths::Surroundings;
use model::origin::is_built;

use super::cache::{Cached, CachedFile, ClassCache, NewSegment};
use super::fingerprint::{self, Fingerprint};
use super::ids::Ids;
use super::loaders;
use super::throttle::Throttle;
use super::transform::{self, Not, Transformed, Wish, jdk_is_recorded};
use super::wanted::Wanted;
use crate::locks::{Lock, Rank};
use crate::writer::output::Output;

/// The fingerprint of a class's name (with dots) and the number of its loader.
pub(crate) type Known = Fingerprint;

/// The class with this name and loader.
pub(crate) fn known(name: &str, loader: u32) -> Known {
    fingerprint::with_bytes([u64::from(loader), 0], name.as_bytes())
}

/// A class that comes.
#[derive(Debug)]
pub(crate) struct OneClass<'b> {
    bytes: &'b [u8],
    /// Its name with dots.
    name: String,
    /// That of both.
    fingerprint: Fingerprint,
    /// The number of its class loader.
    loader: u32,
    /// Where it was loaded from, if that is known.
    origin: Option<Arc<str>>,
}

impl OneClass<'_> {
    pub(crate) fn new(name: String, bytes: &[u8], loader: u32, origin: Option<Arc<str>>) -> OneClass<'_> {
        let fingerprint = fingerprint::with_bytes(fingerprint::with_bytes([0, 0], name.as_bytes()), bytes);
        OneClass { bytes, name, fingerprint, loader, origin }
    }
}

/// What became of a class that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recorded {
    /// The capture cannot be written to.
    Nothing,
    /// Its numbers begin at `first`; `new_at`: where in `code` it stands, if it does since now.
    As { first: u32, new_at: Option<u64> },
}

/// Memory that is used again from class to class, since the kernel would have to give and clear new memory.
#[derive(Debug, Default)]
struct Space {
    /// For what the cache has of a class.
    entry: Vec<u8>,
    /// For its description in the capture.
    frame: Vec<u8>,
}

/// So many bytes of class files are enough for one write.
const AT_ONCE: usize = 32 << 10;

/// Bytes of the parts of a space; larger ones are not used again.
const MOST_SPACE: usize = 1 << 20;

/// What is left to the writer when a class has come. To take fingerprints and to compress takes longer than inserting,
/// and the program's thread would have to wait for them.
#[derive(Debug)]
enum Task {
    /// To append a class file. `class_at`: where in `code` its class stands; `instrumented`: what to cache.
    File { class_at: u64, bytes: Vec<u8>, fingerprint: Fingerprint, instrumented: Option<Instrumented> },
    /// To append one from the cache.
    Cached { class_at: u64, file: CachedFile },
    /// To append where a class was loaded from.
    Origin { class_at: u64, origin: Arc<str> },
    /// To cache that nothing of a class is recorded.
    NotWanted { fingerprint: Fingerprint },
}

/// The classes of one recording.
#[derive(Debug)]
pub(crate) struct RecordedClasses {
    pub(crate) wanted: Wanted,
    /// The methods that are not recorded any more.
    pub(crate) throttle: Throttle,
    /// The classes that stand in `code`: fingerprints of themselves, their loaders and first ids.
    written: Lock<HashSet<Fingerprint>>,
    tasks: Lock<VecDeque<Task>>,
    /// The numbers of the origins that stand in `code`.
    origins: Lock<HashMap<Arc<str>, u64>>,
    /// What earlier runs of the program prepared.
    cache: Option<ClassCache>,
    /// What the cache's keys depend on besides the class.
    mode: Fingerprint,
    /// Classes that run instrumented code.
    instrumented: Lock<HashSet<Known>>,
    /// Classes that tasks go through, which follow these.
    followed: Lock<HashSet<Known>>,
    /// Space that nobody uses now.
    spaces: Lock<Vec<Space>>,
    /// Hidden classes that are reported: one name may stand for many.
    hidden: Lock<HashSet<Known>>,
    methods: AtomicU64,
    skipped: AtomicU64,
    missing_files: AtomicU64,
}

/// How many there are of each kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) classes: usize,
    pub(crate) methods: u64,
    pub(crate) skipped: u64,
    /// Classes that an earlier run had prepared.
    pub(crate) instrumented: u64,
    /// How many class files were in the cache, and could not be read when they were to be written.
    pub(crate) missing_files: u64,
}

impl RecordedClasses {
    pub(crate) fn new(wanted: Wanted, cache: Option<ClassCache>) -> RecordedClasses {
        RecordedClasses {
            mode: wanted.fingerprint(),
            wanted,
            throttle: Throttle::default(),
            cache,
            written: Lock::new(Rank::Leaf, HashSet::new()),
            tasks: Lock::new(Rank::Leaf, VecDeque::new()),
            origins: Lock::new(Rank::Leaf, HashMap::new()),
            instrumented: Lock::new(Rank::Leaf, HashSet::new()),
            followed: Lock::new(Rank::Leaf, HashSet::new()),
            spaces: Lock::new(Rank::Leaf, Vec::new()),
            hidden: Lock::new(Rank::Leaf, HashSet::new()),
            methods: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            missing_files: AtomicU64::new(0),
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            classes: self.instrumented.lock().len(),
            methods: count(&self.methods),
            skipped: count(&self.skipped),
            instrumented: self.cache.as_ref().map_or(0, ClassCache::found),
            missing_files: count(&self.missing_files),
        }
    }

    /// A class comes. `give` is given the one that is to come instead, and its first number.
    pub(crate) fn come(
        &self,
        output: &Output,
        ids: &Ids,
        class: OneClass<'_>,
        give: impl FnOnce(Ready<'_>, u32),
    ) {
        // Space that was used before, if nobody else uses that.
        let mut space = self.spaces.lock().pop().unwrap_or_default();
        let result = self.record(output, ids, &class, &mut space, give);
        if space.entry.len() <= MOST_SPACE && space.frame.capacity() <= MOST_SPACE {
            self.spaces.lock().push(space);
        }
        if let Err(reason) = result {
            self.skipped(output, class.name, reason);
        }
    }

    /// Describes the class, gives the instrumented one, and leaves the rest to the writer.
    fn record(
        &self,
        output: &Output,
        ids: &Ids,
        class: &OneClass<'_>,
        Space { entry, frame }: &mut Space,
        give: impl FnOnce(Ready<'_>, u32),
    ) -> Result<(), String> {
        let give_if_changed = |ready: Ready<'_>, first| {
            if !ready.class.is_empty() {
                give(ready, first);
            }
        };
        let cached = self
            .cache
            .as_ref()
            .and_then(|cache| cache.find(fingerprint::with(class.fingerprint, self.mode), entry));
        if let Some(Cached { ready, file }) = cached {
            let Some(ready) = ready.filter(|ready| !ready.is_nothing()) else { return Ok(()) };
            if let Recorded::As { first, new_at } = self.describe(output, ids, class, &ready, frame)? {
                if let Some(class_at) = new_at {
                    self.tasks.lock().push_back(Task::Cached { class_at, file });
                }
                give_if_changed(ready, first);
            }
            return Ok(());
        }
        let known = known(&class.name, class.loader);
        let throttled = self.throttle.of(&known);
        let wish =
            Wish { bytes: class.bytes, name: &class.name, wanted: &self.wanted, throttled: &throttled };
        let Transformed { instrumented, methods } = match transform::class(wish) {
            Ok(transformed) => transformed,
            Err(Not::Wanted) => {
                self.not_wanted(class);
                return Ok(());
            }
            Err(Not::Possible(reason)) => return Err(reason),
        };
        let ready = instrumented.ready();
        if ready.is_nothing() {
            self.not_wanted(class);
        } else if let Recorded::As { first, new_at } = self.describe(output, ids, class, &ready, frame)? {
            if self.wanted.throttles {
                let is_own = class.origin.as_deref().is_some_and(is_built);
                self.throttle.add(known, is_own, first, &methods);
            }
            give_if_changed(ready, first);
            if let Some(class_at) = new_at {
                let instrumented = self.cache.is_some().then_some(instrumented);
                let (bytes, fingerprint) = (class.bytes.to_vec(), class.fingerprint);
                self.tasks.lock().push_back(Task::File { class_at, bytes, fingerprint, instrumented });
            }
        }
        Ok(())
    }

    /// Writes the description of a class, once for the same numbers: what is new must be in the capture before the first
    /// word that refers to it. An error has the reason why it cannot be recorded.
    fn describe(
        &self,
        output: &Output,
        ids: &Ids,
        class: &OneClass<'_>,
        ready: &Ready<'_>,
        frame: &mut Vec<u8>,
    ) -> Result<Recorded, String> {
        let jdk_is_recorded = jdk_is_recorded(&self.wanted.filters);
        let surroundings = Surroundings { jdk_is_recorded, class_is_whole: ready.is_whole };
        let first =
            ids.of(class.fingerprint, class.loader, (self.wanted.encoding, surroundings), ready.numbers);
        let first = first.ok_or("all record numbers are used up")?;
        let numbered = fingerprint::with(class.fingerprint, [u64::from(class.loader), u64::from(first)]);
        let is_new = self.written.lock().insert(numbered);
        let mut new_at = None;
        if is_new {
            frame.clear();
            ready.put(frame, first, class.loader);
            new_at = output.append_at(frame);
            if new_at.is_none() {
                return Ok(Recorded::Nothing);
            }
            if let Some((class_at, origin)) = new_at.zip(class.origin.clone()) {
                self.tasks.lock().push_back(Task::Origin { class_at, origin });
            }
            self.methods.fetch_add(u64::from(ready.methods), Ordering::Relaxed);
            self.skipped.fetch_add(u64::from(ready.skipped), Ordering::Relaxed);
        }
        self.instrumented.lock().insert(known(&class.name, class.loader));
        Ok(Recorded::As { first, new_at })
    }

    /// Whether tasks or requests go through the class with this name, and are followed.
    pub(crate) fn follows(&self, name: &str) -> bool {
        let inside = &self.wanted.inside;
        let serves = || inside.iter().any(Pattern::is_path) && requests::are_served_by(name);
        let starts_threads = || self.wanted.tasks && tasks::start_threads(name);
        self.wanted.follows_tasks() && tasks::go_through(name) || starts_threads() || serves()
    }

    /// That class, following them. What it does itself is not recorded.
    pub(crate) fn follow(&self, output: &Output, class: OneClass<'_>) -> Option<Vec<u8>> {
        let followed = transform::following(class.bytes, &class.name);
        let known = known(&class.name, class.loader);
        let is_wanted = self.wanted.filters.by_name(&class.name, loaders::kind(class.loader)).is_ok();
        if self.followed.lock().insert(known) && (is_wanted || followed.is_err()) {
            let reason = match &followed {
                Ok(_) => "tasks or requests go through it, which are followed".to_owned(),
                Err(reason) => format!("the tasks or requests that go through it are not followed: {reason}"),
            };
            self.skipped(output, class.name, reason);
        }
        followed.ok()
    }

    /// A class of which nothing is recorded, for what stands in it.
    fn not_wanted(&self, class: &OneClass<'_>) {
        if self.cache.is_some() {
            self.tasks.lock().push_back(Task::NotWanted { fingerprint: class.fingerprint });
        }
    }

    fn skipped(&self, output: &Output, class: String, reason: String) {
        self.skipped.fetch_add(1, Ordering::Relaxed);
        output.skipped(class, reason);
    }

    /// A hidden class with this name was defined, by this loader. If it would be recorded otherwise, the capture lists
    /// it as skipped. Lambdas are among them.
    pub(crate) fn skip_hidden(&self, output: &Output, name: &str, loader: u32) {
        let is_wanted = self.wanted.filters.by_name(name, loaders::kind(loader)).is_ok();
        if is_wanted && self.hidden.lock().insert(known(name, loader)) {
            let reason = "it is a hidden class, which the virtual machine gives to no agent".to_owned();
            self.skipped(output, name.to_owned(), reason);
        }
    }

    /// Whether it runs instrumented code.
    pub(crate) fn is_instrumented(&self, class: &Known) -> bool {
        self.instrumented.lock().contains(class) || self.followed.lock().contains(class)
    }

    /// The classes that run instrumented code, and none does from now on.
    pub(crate) fn take_instrumented(&self) -> HashSet<Known> {
        let mut classes = std::mem::take(&mut *self.instrumented.lock());
        classes.extend(std::mem::take(&mut *self.followed.lock()));
        classes
    }

    /// What is left to the writer.
    pub(crate) fn tasks(&self) -> Tasks<'_> {
        Tasks { classes: self, segment: self.cache.as_ref().map(NewSegment::new), space: Space::default() }
    }
}

/// The tasks of the writer, and what it is to cache.
pub(crate) struct Tasks<'c> {
    classes: &'c RecordedClasses,
    segment: Option<NewSegment>,
    space: Space,
}

impl Tasks<'_> {
    /// Does one task, or several that are done quickly: `None` if there is none, else whether they could be done.
    pub(crate) fn do_some(&mut self, output: &Output) -> Option<bool> {
        let Tasks { classes, segment, space: Space { entry, frame } } = self;
        let key = |fingerprint| fingerprint::with(fingerprint, classes.mode);
        frame.clear();
        let mut has_some = false;
        while frame.len() < AT_ONCE {
            let Some(task) = classes.tasks.lock().pop_front() else { break };
            has_some = true;
            match task {
                Task::Cached { class_at, file } => {
                    match classes.cache.as_ref().and_then(|cache| cache.file(file, entry)) {
                        Some(file) => put_class_file(frame, class_at, file),
                        None => drop(classes.missing_files.fetch_add(1, Ordering::Relaxed)),
                    }
                    continue;
                }
                Task::Origin { class_at, origin } => {
                    let mut known = classes.origins.lock();
                    let next = known.len() as u64;
                    let number = *known.entry(origin.clone()).or_insert(next);
                    put_origin(frame, class_at, number, if number == next { &origin } else { "" });
                    continue;
                }
                Task::File { class_at, bytes, fingerprint, instrumented } => {
                    let file = pack_class_file(fingerprint::of_class_file(&bytes), &bytes);
                    if let (Some(segment), Some(instrumented)) = (segment, instrumented) {
                        segment.add(key(fingerprint), Some(instrumented.ready()), file.borrowed());
                    }
                    put_class_file(frame, class_at, file.borrowed());
                }
                Task::NotWanted { fingerprint } => {
                    if let Some(segment) = segment {
                        segment.add(key(fingerprint), None, PackedBytes::default());
                    }
                }
            }
            break;
        }
        has_some.then(|| frame.is_empty() || output.append(frame))
    }

    /// Caches what was prepared.
    pub(crate) fn finish(self) {
        if let (Some(cache), Some(segment)) = (&self.classes.cache, self.segment) {
            segment.finish(cache);
        }
    }
}
