//! One class file: instrumented, and described for the capture. Needs no virtual machine.

use classfile::filters::{Filters, Pattern};
use classfile::instrument::blocks::Blocks;
use classfile::instrument::calls::Calls;
use classfile::instrument::paths::Paths;
use classfile::instrument::plan::Plan;
use classfile::instrument::{self, Subject};
use classfile::limits::COMPILE_LIMIT;
use classfile::modified_utf8::to_text;
use classfile::paths::Surroundings;
use classfile::{ClassFile, Edits};
use formats::capture::words::owned;
use formats::capture::{ClassRecord, Encoding, MethodRecord};

use crate::describe;
use crate::ids::Ids;
use crate::recorder_class::RECORDER;

/// A class that is ready to be recorded.
#[derive(Debug)]
pub(crate) struct Transformed {
    /// The instrumented class file; `None` if no method of it could be instrumented.
    pub(crate) bytes: Option<Vec<u8>>,
    /// What the capture is to say; the class file itself is not in it.
    pub(crate) record: ClassRecord,
}

/// Why a class is not recorded.
#[derive(Debug)]
pub(crate) enum Not {
    /// The filters leave it out.
    Wanted,
    /// It could not be read, or there are no ids left.
    Possible(String),
}

/// Flags of methods without code: native, abstract.
const WITHOUT_CODE: u16 = 0x100 | 0x400;

/// The plan of an encoding. The seam where another way to record is added.
fn plan(encoding: Encoding, surroundings: Surroundings) -> Box<dyn Plan> {
    match encoding {
        Encoding::Blocks => Box::new(Blocks { recorder: RECORDER, among_paths: false }),
        Encoding::Paths => Box::new(Paths::new(RECORDER, surroundings)),
        Encoding::Calls => Box::new(Calls { recorder: RECORDER }),
    }
}

/// Whether classes of the JDK's core may be recorded: only where a pattern names them.
fn jdk_is_recorded(filters: &Filters) -> bool {
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
    /// The number of its class loader.
    pub(crate) loader: u32,
    pub(crate) filters: &'w Filters,
    pub(crate) encoding: Encoding,
    pub(crate) ids: &'w Ids,
}

/// Instruments a class file: as one of which every method is recorded, and anew where that turns out to be
/// wrong, which is seldom.
pub(crate) fn class(wish: Wish<'_>) -> Result<Transformed, Not> {
    match class_if(true, wish)? {
        Some(transformed) => Ok(transformed),
        None => class_if(false, wish)?.ok_or_else(|| Not::Possible("it is whole or is not".to_owned())),
    }
}

/// The same where all methods with code are taken to be recorded, or not. `None` if that was wrong.
fn class_if(class_is_whole: bool, wish: Wish<'_>) -> Result<Option<Transformed>, Not> {
    let Wish { bytes, name, loader, filters, encoding, ids } = wish;
    let mut class = ClassFile::parse(bytes).map_err(|error| Not::Possible(error.to_string()))?;
    filters.by_content(&class).map_err(|_| Not::Wanted)?;
    let wanted: Vec<bool> =
        class.methods.iter().map(|method| filters.method(&class, name, method).is_ok()).collect();
    let all_wanted = class
        .methods
        .iter()
        .zip(&wanted)
        .all(|(method, wanted)| *wanted || method.access_flags & WITHOUT_CODE != 0);
    let class_is_whole = class_is_whole && all_wanted;
    let surroundings = Surroundings { jdk_is_recorded: jdk_is_recorded(filters), class_is_whole };
    let plan = plan(encoding, surroundings);
    let plain = class.clone();
    // Ids do not depend on the filters, so a class has the same ones in each recording.
    let mut firsts = Vec::new();
    let mut total = 0_u32;
    let bodies = instrument::bodies(&class);
    for (number, body) in bodies.iter().enumerate() {
        firsts.push(total);
        let taken = match body {
            Some(Ok(body)) => plan.ids(&plain, number, &body.code, &body.graph),
            _ => 0,
        };
        total = total.checked_add(taken).ok_or_else(|| Not::Possible("too many blocks".to_owned()))?;
    }
    let base = ids.of(bytes, name, loader, (encoding, surroundings), total);
    let base = base.ok_or_else(|| Not::Possible("all record numbers are used up".to_owned()))?;

    let mut methods: Vec<(usize, MethodRecord)> = Vec::new();
    // A method that paths would make too long tells of its blocks.
    let twice = encoding == Encoding::Paths;
    let insert = |mut subject: Subject<'_, '_>| {
        methods.pop_if(|(number, _): &mut (usize, MethodRecord)| *number == subject.number);
        if !wanted.get(subject.number).copied().unwrap_or(false) {
            return Ok(Edits::of(subject.code));
        }
        let first = base + firsts.get(subject.number).copied().unwrap_or(0);
        let edits = plan.edits(&mut subject, first)?;
        let covered = plain.covered_by_catch_all(subject.method, subject.code)?;
        let is_covered = |pc| {
            let index = subject.code.index_at(pc).unwrap_or(usize::MAX);
            covered.iter().any(|range| range.contains(&index))
        };
        let numbering = plan.numbering(subject.number).filter(|_| !subject.again);
        let record = MethodRecord {
            method: describe::method(subject.pool, subject.method, subject.code, subject.graph),
            first,
            owned: match &numbering {
                Some(numbering) => numbering.codes,
                None => owned(u32::try_from(subject.graph.blocks.len()).unwrap_or(u32::MAX)),
            },
            encoding: if subject.again { Encoding::Blocks } else { encoding },
            block_flags: describe::flags(subject.code, subject.graph, is_covered),
            numbering: numbering.as_deref().map(describe::numbering).unwrap_or_default(),
        };
        methods.push((subject.number, record));
        Ok(edits)
    };
    let report = instrument::each_body(&mut class, bodies, COMPILE_LIMIT, twice, insert);
    if class_is_whole && encoding == Encoding::Paths && !report.left_alone.is_empty() {
        return Ok(None);
    }
    methods.retain(|(number, _)| !report.left_alone.iter().any(|(left, _)| left == number));
    let pool = &plain.constant_pool;
    let text = |index| pool.utf8(index).map_or_else(|_| "?".to_owned(), to_text);
    let left_alone = report.left_alone.iter().filter_map(|(number, reason)| {
        let method = plain.methods.get(*number)?;
        Some((text(method.name), text(method.descriptor), reason.to_string()))
    });
    let record = ClassRecord {
        name: name.to_owned(),
        loader,
        source_file: source_file(&plain),
        sha256: [0; 32],
        class_bytes: Vec::new(),
        methods: methods.into_iter().map(|(_, record)| record).collect(),
        left_alone: left_alone.collect(),
    };
    Ok(Some(Transformed { bytes: class.is_changed().then(|| class.to_bytes()), record }))
}

fn source_file(class: &ClassFile<'_>) -> Option<String> {
    let pool = &class.constant_pool;
    let attribute = class.attributes.iter().find(|attribute| attribute.is("SourceFile", pool))?;
    let index = attribute.content.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))?;
    pool.utf8(index).ok().map(to_text)
}
