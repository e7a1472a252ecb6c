//! Opening: everything that is known before the first sample is handed out.

use std::collections::BTreeSet;

use super::attr::{self, Attr};
use super::bytes::Section;
use super::diagnostics::Diagnostics;
use super::error::Error;
use super::events::Events;
use super::features::{self, About};
use super::header::Header;
use super::losses::Ledger;
use super::pipe;
use super::scan::scan;
use super::tracing_data::{self, TracingData};
use crate::limits;
use source::{NamedSource, Source};

/// What the reader starts with.
pub(super) struct Opened {
    pub(super) source: Box<dyn Source>,
    pub(super) data: Section,
    pub(super) about: About,
    pub(super) events: Events,
    pub(super) ledger: Ledger,
    pub(super) diagnostics: Diagnostics,
}

/// Reads all around the records, and walks over them once.
pub(super) fn open(file: NamedSource) -> Result<Opened, Error> {
    let NamedSource { name, source } = file;
    let mut header = Header::read(&name, &*source)?;
    let of_pipe = if header.is_pipe { pipe::collect(&mut header, &*source) } else { vec![] };
    let refuse =
        |offset, sentence: &str| Error::Unsupported { file: name.clone(), offset, sentence: sentence.into() };
    for (feature, sentence) in [
        (features::AUXTRACE, "It holds a hardware trace (AUX), which is not supported."),
        (features::DIR_FORMAT, "It is part of a folder of files (`--threads`), which is not supported."),
    ] {
        if let Some(section) = header.feature(feature) {
            return Err(refuse(section.offset, sentence));
        }
    }
    let mut diagnostics = Diagnostics::new(&name);
    let (attrs, trouble) = if header.is_pipe { (of_pipe, None) } else { attr::read(&header, &*source) };
    if attrs.is_empty() {
        let (offset, sentence) = trouble.unwrap_or((header.attributes.offset, "It has no events.".into()));
        return Err(Error::Damaged { file: name, offset, sentence });
    }
    if let Some((offset, sentence)) = trouble {
        diagnostics.damage("perf-attributes", offset, || sentence);
    }
    let mut about = About::read(&header, &*source);
    check_header(&header, &*source, &mut diagnostics);
    let tracing = tracing_data(&header, &attrs, &*source, &mut diagnostics);
    let (mut events, sentences) = Events::new(&attrs, &about, &tracing);
    for sentence in sentences {
        diagnostics.note("perf-event", header.attributes.offset, || sentence);
    }
    let mut ledger = scan(&*source, header.data, header.is_unfinished, &mut events, &mut diagnostics)
        .map_err(|(offset, sentence)| refuse(offset, sentence))?;
    let starts_at_exec = attrs.iter().all(|attr| attr.starts_at_exec);
    let is_inherited = attrs.iter().all(|attr| attr.is_inherited);
    about.sees_own_threads_only = events.scope.is_own_threads(starts_at_exec, is_inherited, &about.command);
    let undeclared = if about.sees_own_threads_only { 0 } else { ledger.add_undeclared() };
    if undeclared > 0 {
        diagnostics.note("perf-switches-missing", header.data.offset, || {
            let times = if undeclared == 1 { "once".to_owned() } else { format!("{undeclared} times") };
            format!("A thread leaves a CPU to which another one came last, {times}: perf dropped switches without a record of it.")
        });
    }
    Ok(Opened { source, data: header.data, about, events, ledger, diagnostics })
}

/// Says what is missing around the records.
fn check_header(header: &Header, source: &dyn Source, diagnostics: &mut Diagnostics) {
    if header.is_unfinished {
        diagnostics.damage("perf-unfinished", 40, || {
            "perf did not finish this file (killed, or still running): what the buffers held last is missing, and so are \
             the descriptions of events and machine, which it writes at the end."
                .into()
        });
        return;
    }
    let whole = header.features.iter().filter(|(_, section)| section.end() <= source.size()).count();
    let missing = (header.promised as usize).saturating_sub(whole);
    if missing > 0 {
        diagnostics.damage("perf-features-missing", header.data.end(), || {
            format!(
                "The file of {} bytes lacks {missing} of the {} parts that describe its events and its machine.",
                source.size(),
                header.promised
            )
        });
    }
}

fn tracing_data(
    header: &Header,
    attrs: &[Attr],
    source: &dyn Source,
    diagnostics: &mut Diagnostics,
) -> TracingData {
    let wanted: BTreeSet<u64> =
        attrs.iter().filter(|attr| attr.is_tracepoint()).map(|attr| attr.config).collect();
    if wanted.is_empty() {
        return TracingData::default();
    }
    let section = header.feature(features::TRACING_DATA);
    let bytes = section.map(|section| section.read(source, limits::PERF_SECTION).unwrap_or_default());
    let tracing = tracing_data::read(&bytes.unwrap_or_default(), &wanted);
    let offset = section.map_or(header.data.end(), |section| section.offset);
    let without = wanted.len() - tracing.formats.len();
    if without > 0 {
        diagnostics.damage("perf-formats-missing", offset, || {
            format!(
                "The fields of {without} of {} tracepoints are not described, so their samples are shown without \
                 any.",
                wanted.len()
            )
        });
    }
    if let (Some((within, sentence)), true) = (tracing.trouble.as_ref(), section.is_some()) {
        diagnostics.damage("perf-formats", offset.saturating_add(*within), || sentence.clone());
    }
    tracing
}
