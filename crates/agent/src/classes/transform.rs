//! One class file: instrumented, and described for the capture. Needs no virtual machine, and gives the same
//! in every process.

use std::borrow::Cow;
use std::ops::Range;

use capture::class_cache::instrumented::Instrumented;
use capture::words;
use capture::{ClassParts, Encoding};
use classfile::filters::{Filters, Pattern};
use classfile::instrument::blocks::Blocks;
use classfile::instrument::calls::Calls;
use classfile::instrument::paths::Paths;
use classfile::instrument::plan::Plan;
use classfile::instrument::{self, Bodies, requests, tasks};
use classfile::modified_utf8::to_text;
use classfile::paths::Surroundings;
use classfile::{ClassFile, Edits};

use super::describe::{self, Recorded};
use super::recorder_class::RECORDER;
use super::throttle::Counted;
use super::wanted::Wanted;

/// Why a class is not recorded.
#[derive(Debug)]
pub(crate) enum Not {
    /// The filters leave it out.
    Wanted,
    /// It could not be read, or has too many blocks.
    Possible(String),
}

/// Bytes of a class's source map.
const MOST_OF_MAP: usize = 1 << 20;

/// Flags of methods without code: native, abstract.
const WITHOUT_CODE: u16 = 0x100 | 0x400;

/// The plan of an encoding. The seam where another way to record is added.
fn plan(encoding: Encoding, surroundings: Surroundings) -> Box<dyn Plan> {
    match encoding {
        Encoding::Blocks => Box::new(Blocks { recorder: RECORDER, among_paths: false }),
        Encoding::Paths => Box::new(Paths::new(RECORDER, surroundings)),
        Encoding::Calls => Box::new(Calls { recorder: RECORDER, among_paths: false }),
    }
}

/// What a method records at each attempt: an encoding that would make it too long gives way to one that records less.
fn attempts(wanted: Encoding) -> &'static [Encoding] {
    match wanted {
        Encoding::Paths => &[Encoding::Paths, Encoding::Blocks, Encoding::Calls],
        Encoding::Blocks => &[Encoding::Blocks, Encoding::Calls],
        Encoding::Calls => &[Encoding::Calls],
    }
}

/// Whether classes of the JDK's core may be recorded: only where a pattern names them.
pub(crate) fn jdk_is_recorded(filters: &Filters) -> bool {
    let may_name = |pattern: &Pattern| {
        let plain = pattern.text().split('*').next().unwrap_or_default();
        !plain.is_empty() && (plain.starts_with("java.") || "java.".starts_with(plain))
    };
    filters.include.iter().any(may_name)
}

/// A class file, and how it is to be recorded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish<'w> {
    pub(crate) bytes: &'w [u8],
    /// Its name with dots.
    pub(crate) name: &'w str,
    pub(crate) wanted: &'w Wanted,
    /// Those of its methods that are throttled.
    pub(crate) throttled: &'w [Counted],
}

/// A class that was instrumented.
#[derive(Debug)]
pub(crate) struct Transformed {
    pub(crate) instrumented: Instrumented,
    /// The recorded methods: number in the class file, first record number and how many it has, counted from 0.
    pub(crate) methods: Vec<(u16, u32, u32)>,
}

/// Instruments a class file.
pub(crate) fn class(wish: Wish<'_>) -> Result<Transformed, Not> {
    let Wish { bytes, name, wanted: Wanted { filters, encoding, throttles, .. }, .. } = wish;
    let parse = || ClassFile::parse(bytes).map_err(|error| Not::Possible(error.to_string()));
    let mut class = parse()?;
    filters.by_content(&class).map_err(|_| Not::Wanted)?;
    let bodies = instrument::bodies(&class);
    let is_wanted: Vec<bool> =
        class.methods.iter().map(|method| filters.method(&class, name, method).is_ok()).collect();
    // As one of which every method is recorded, and anew where that turns out to be wrong, which is seldom.
    let all = class.methods.iter().zip(&is_wanted).zip(&bodies);
    let class_is_whole = !throttles
        && all.clone().all(|((method, wanted), body)| {
            method.access_flags & WITHOUT_CODE != 0 || *wanted && !matches!(body, Some(Err(_)))
        });
    let read = Read { bodies: &bodies, passes: &is_wanted, jdk_is_recorded: jdk_is_recorded(filters) };
    let done = read.transformed(&mut class, class_is_whole, wish)?;
    if class_is_whole && *encoding == Encoding::Paths && done.instrumented.skipped > 0 {
        return read.transformed(&mut parse()?, false, wish);
    }
    Ok(done)
}

/// A class that tasks or requests go through, following them. `Err` says why they cannot be followed.
pub(crate) fn following(bytes: &[u8], name: &str) -> Result<Vec<u8>, String> {
    let mut class = ClassFile::parse(bytes).map_err(|error| error.to_string())?;
    let followed = if requests::are_served_by(name) {
        requests::follow(&mut class, name, &RECORDER)
    } else {
        tasks::follow(&mut class, name, &RECORDER)
    };
    followed.map_err(|reason| reason.to_string())?;
    Ok(class.to_bytes())
}

/// What was read of a class.
struct Read<'r, 'a> {
    bodies: &'r Bodies<'a>,
    /// By method: whether it passes the filters.
    passes: &'r [bool],
    jdk_is_recorded: bool,
}

impl<'a> Read<'_, 'a> {
    /// The class as one of which all methods with code are recorded, or not.
    fn transformed(
        &self,
        class: &mut ClassFile<'a>,
        class_is_whole: bool,
        wish: Wish<'_>,
    ) -> Result<Transformed, Not> {
        let Wish { bytes, name, wanted, throttled } = wish;
        let encoding = wanted.encoding;
        let surroundings = Surroundings { jdk_is_recorded: self.jdk_is_recorded, class_is_whole };
        let plan = plan(encoding, surroundings);
        // Numbers do not depend on the filters, so a class has the same ones in each recording.
        let mut owned = Vec::with_capacity(self.bodies.len());
        let mut total = 0_u32;
        for (number, body) in self.bodies.iter().enumerate() {
            let taken = match body {
                Some(Ok(body)) => plan.ids(class, number, body),
                _ => 0,
            };
            owned.push((total, taken));
            total = total.checked_add(taken).ok_or_else(|| Not::Possible("too many blocks".to_owned()))?;
        }

        // Where each method stands in `method_bytes`.
        let mut methods: Vec<(usize, Range<usize>)> = Vec::with_capacity(self.bodies.len());
        let mut method_bytes = Vec::with_capacity(bytes.len());
        let attempts = attempts(encoding);
        let values = named(class, name, &wanted.values);
        let inside = named(class, name, &wanted.inside);
        let mut numbers = Vec::with_capacity(if wanted.throttles { self.bodies.len() } else { 0 });
        // Where there is no space for values, a last attempt does without them.
        let most = attempts.len() as u8 + u8::from(!values.is_empty());
        let report = instrument::each_body(class, self.bodies, instrument::longest, most, |mut subject| {
            if let Some((_, before)) = methods.pop_if(|(number, _)| *number == subject.number) {
                method_bytes.truncate(before.start);
            }
            if !self.passes.get(subject.number).copied().unwrap_or(false) {
                return Ok(Edits::of(subject.code));
            }
            let element = throttled.iter().find(|counted| usize::from(counted.number) == subject.number);
            if let Some(Counted { element, .. }) = element {
                return Ok(instrument::counts::calls(&mut subject, &RECORDER, *element)?);
            }
            let (first, owned) = owned.get(subject.number).copied().unwrap_or_default();
            let is_wanted = values.get(subject.number).copied().unwrap_or(false);
            let has_values = is_wanted && usize::from(subject.attempt) < attempts.len();
            let begins_inside = inside.get(subject.number).copied().unwrap_or(false);
            if (has_values || begins_inside) && encoding == Encoding::Paths {
                // A path leaves its record at its end; values, and where recording begins, belong to an entry.
                subject.attempt = subject.attempt.max(1);
            }
            subject.attempt = subject.attempt.min(attempts.len() as u8 - 1);
            let mut edits = plan.edits(&mut subject, first)?;
            if has_values {
                edits = instrument::values::add(&mut subject, &RECORDER, first, edits)?;
            }
            if begins_inside {
                instrument::inside::begins_inside(&mut subject, &RECORDER, &mut edits)?;
            } else if !wanted.inside.is_empty() {
                instrument::inside::only_inside(&mut subject, &RECORDER, &mut edits)?;
            }
            let paths = plan.numbering(subject.number).filter(|_| subject.attempt == 0);
            let encoding = attempts.get(usize::from(subject.attempt)).copied().unwrap_or(encoding);
            let of_blocks = words::owned(u32::try_from(subject.graph.blocks.len()).unwrap_or(u32::MAX - 3));
            let owned = if encoding == Encoding::Paths { owned } else { of_blocks };
            let start = method_bytes.len();
            let recorded = Recorded {
                first,
                owned,
                encoding,
                numbering: paths.as_deref().map(|paths| &paths.numbering),
            };
            describe::method(&subject, recorded, &mut method_bytes);
            if wanted.throttles && !is_wanted {
                // A later attempt takes the place of an earlier one.
                numbers.extend(u16::try_from(subject.number).map(|number| (number, first, recorded.owned)));
            }
            methods.push((subject.number, start..method_bytes.len()));
            Ok(edits)
        });
        if !report.skipped.is_empty() {
            methods.retain(|(number, _)| !report.skipped.iter().any(|(left, _)| left == number));
            let remaining = methods.iter().filter_map(|(_, bytes)| method_bytes.get(bytes.clone()));
            method_bytes = remaining.collect::<Vec<_>>().concat();
        }
        let pool = &class.constant_pool;
        let text = |index| pool.utf8(index).map_or_else(|_| "?".to_owned(), to_text);
        let skipped = report.skipped.iter().filter_map(|(number, reason)| {
            let method = class.methods.get(*number)?;
            Some((text(method.name), text(method.descriptor), reason.to_string()))
        });
        let skipped: Vec<_> = skipped.collect();
        let source_file = source_file(class);
        let parts = ClassParts {
            name,
            source_file: source_file.as_deref(),
            digest: [0; 32],
            class_bytes: &[],
            methods: methods.len(),
            method_bytes: &method_bytes,
            skipped: &skipped,
            source_map: &source_map(class),
        };
        let parts = parts.pack();
        let size = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let instrumented = Instrumented {
            numbers: total,
            methods: size(methods.len()),
            skipped: size(skipped.len()),
            is_whole: class_is_whole,
            offsets: class.number_offsets().map(|position| size(position).to_le_bytes()).collect(),
            class: if class.is_changed() { class.to_bytes() } else { Vec::new() },
            described: parts,
        };
        Ok(Transformed { instrumented, methods: numbers })
    }
}

/// By method: whether it is named. Empty where there is no pattern.
fn named(class: &ClassFile<'_>, name: &str, patterns: &[Pattern]) -> Vec<bool> {
    if patterns.is_empty() {
        return Vec::new();
    }
    let is_named = |method: &classfile::method::Method<'_>| {
        let method = class.constant_pool.utf8(method.name).map_or_else(|_| "?".to_owned(), to_text);
        patterns.iter().any(|pattern| pattern.names_method(name, &method))
    };
    class.methods.iter().map(is_named).collect()
}

/// The class's map of where its lines come from. One longer than any that a compiler writes is dropped.
fn source_map<'a>(class: &ClassFile<'a>) -> Cow<'a, str> {
    let pool = &class.constant_pool;
    let attribute = class.attributes.iter().find(|attribute| attribute.is("SourceDebugExtension", pool));
    let content = attribute.map_or(&[][..], |attribute| attribute.content);
    String::from_utf8_lossy(if content.len() > MOST_OF_MAP { &[] } else { content })
}

fn source_file(class: &ClassFile<'_>) -> Option<String> {
    let pool = &class.constant_pool;
    let attribute = class.attributes.iter().find(|attribute| attribute.is("SourceFile", pool))?;
    let index = attribute.content.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))?;
    pool.utf8(index).ok().map(to_text)
}
