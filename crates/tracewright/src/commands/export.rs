//! `tracewright export`: a recording in a form that other programs read.

use std::io::Write;
use std::path::{Path, PathBuf};

use formats::export::{ThreadName, chrome, etr, perfetto};
use model::{FlowSource, FlowStep, ThreadInfo};

use crate::atomic::{AtomicFile, Existing};
use crate::cli::captures::{Export, Form};
use crate::exit::{Outcome, Result, Stop};
use crate::pattern::Patterns;
use crate::recordings;
use crate::sections;
use crate::warn::warn_of;

/// Bytes that are collected before they are written.
const CHUNK: usize = 256 << 10;

pub(crate) fn run(options: &Export) -> Result<Outcome> {
    let recording = recordings::open(&options.capture)?;
    let recording = recording.as_ref();
    let part =
        options.section.as_deref().map(|section| sections::part(recording, section, true)).transpose()?;
    let recording = part.as_ref().map_or(recording, |part| part as &dyn FlowSource);
    let is_incomplete = warn_of(&options.capture, recording);
    let wanted = Patterns::new(&options.thread);
    let is_wanted =
        |thread: &ThreadInfo| wanted.allow(&thread.name) || wanted.allow(&thread.serial.to_string());
    let threads = recording.threads().iter().enumerate().filter(|(_, thread)| is_wanted(thread));
    let threads: Vec<(usize, &ThreadInfo)> = threads.collect();
    if threads.is_empty() {
        return Stop::failed("no thread has such a name".to_owned());
    }
    let mut file = Target::create(&options.output)?;
    match options.to {
        Form::Etr => {
            let mut path = options.output.clone().into_os_string();
            path.push(".em");
            let mut names = Target::create(Path::new(&path))?;
            let known: Vec<ThreadName> = threads.iter().map(|(_, thread)| name(thread)).collect();
            names.bytes = etr::names(recording.code(), &known).into_bytes();
            write_etr(recording, &threads, &mut file)?;
            names.commit()?;
        }
        Form::Chrome => write_chrome(recording, &threads, &mut file)?,
        Form::Perfetto => write_perfetto(recording, &threads, &mut file)?,
    }
    file.commit()?;
    Ok(Outcome::new(is_incomplete, options.allow_loss))
}

/// A file that is written in chunks; it never takes the place of another one.
struct Target {
    path: PathBuf,
    file: AtomicFile,
    bytes: Vec<u8>,
}

impl Target {
    fn create(path: &Path) -> Result<Target> {
        let file = AtomicFile::create(path, Existing::Refuse)?;
        Ok(Target { path: path.to_owned(), file, bytes: vec![] })
    }

    fn pass(&mut self) -> Result<()> {
        if self.bytes.len() < CHUNK { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> Result<()> {
        let written = self.file.write_all(&self.bytes);
        self.bytes.clear();
        written.or_else(|error| Stop::failed(format!("cannot write {}: {error}", self.path.display())))
    }

    fn commit(mut self) -> Result<()> {
        self.write()?;
        self.file.commit()
    }
}

fn name(thread: &ThreadInfo) -> ThreadName {
    ThreadName { serial: thread.serial, name: thread.name.clone() }
}

/// The process as its own name: the main class, where the recording knows it.
fn process(recording: &dyn FlowSource) -> (String, u32) {
    let course = recording.course();
    let unknown = if recording.has_blocks() { "java" } else { "unknown program" };
    (course.program.clone().unwrap_or_else(|| unknown.to_owned()), course.pid.unwrap_or(0))
}

fn write_etr(recording: &dyn FlowSource, threads: &[(usize, &ThreadInfo)], file: &mut Target) -> Result<()> {
    if threads.iter().any(|(_, thread)| thread.serial > 254) {
        eprintln!("tracewright: a record has one byte for its thread: those beyond 254 share the number 255");
    }
    for &(at, thread) in threads {
        let mut writer = etr::Writer::new(recording.code(), thread.serial);
        let mut flow = recording.flow(at);
        while let Some(step) = flow.next_step() {
            let times = if let FlowStep::Blocks { times, .. } = step { times } else { 1 };
            for _ in 0..times {
                writer.step(&step, &mut file.bytes);
                file.pass()?;
            }
        }
    }
    Ok(())
}

fn write_chrome(
    recording: &dyn FlowSource,
    threads: &[(usize, &ThreadInfo)],
    file: &mut Target,
) -> Result<()> {
    let (process, pid) = process(recording);
    chrome::begin(&mut file.bytes, &process, pid);
    for &(at, thread) in threads {
        let mut writer = chrome::Writer::new(recording.code(), pid, &name(thread), &mut file.bytes);
        let mut flow = recording.flow(at);
        while let Some(step) = flow.next_step() {
            writer.step(&step, &mut file.bytes);
            file.pass()?;
        }
        writer.finish(&mut file.bytes);
    }
    chrome::end(&mut file.bytes);
    Ok(())
}

fn write_perfetto(
    recording: &dyn FlowSource,
    threads: &[(usize, &ThreadInfo)],
    file: &mut Target,
) -> Result<()> {
    let (process, pid) = process(recording);
    perfetto::begin(&mut file.bytes, &process, pid);
    for &(at, thread) in threads {
        let mut writer = perfetto::Writer::new(recording.code(), pid, &name(thread), &mut file.bytes);
        let mut flow = recording.flow(at);
        while let Some(step) = flow.next_step() {
            writer.step(&step, &mut file.bytes);
            file.pass()?;
        }
        writer.finish(&mut file.bytes);
    }
    Ok(())
}
