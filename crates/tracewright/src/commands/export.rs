//! `tracewright export`: a capture in a form that other programs read.

use std::io::Write;
use std::path::{Path, PathBuf};

use capture::{Capture, Thread};
use formats::export::{ThreadName, chrome, etr, perfetto};
use model::FlowStep;

use super::calls::warn_of;
use crate::atomic::{AtomicFile, Existing};
use crate::captures;
use crate::cli::captures::{Export, Form};
use crate::exit::{Outcome, Result, Stop};
use crate::pattern::Patterns;

/// Bytes that are collected before they are written.
const PIECE: usize = 256 << 10;

pub(crate) fn run(options: &Export) -> Result<Outcome> {
    let capture = captures::open(&options.capture)?;
    let is_incomplete = warn_of(&options.capture, &capture);
    let wanted = Patterns::new(&options.thread);
    let is_wanted =
        |thread: &&Thread| wanted.allow(&thread.name()) || wanted.allow(&thread.serial.to_string());
    let threads: Vec<&Thread> = capture.threads.iter().filter(is_wanted).collect();
    if threads.is_empty() {
        return Stop::failed("no thread has such a name".to_owned());
    }
    let mut file = Target::create(&options.output)?;
    match options.to {
        Form::Etr => {
            let mut path = options.output.clone().into_os_string();
            path.push(".em");
            let mut names = Target::create(Path::new(&path))?;
            let known: Vec<ThreadName> = threads.iter().map(|thread| name(thread)).collect();
            names.bytes = etr::names(&capture.code, &known).into_bytes();
            write_etr(&capture, &threads, &mut file)?;
            names.commit()?;
        }
        Form::Chrome => write_chrome(&capture, &threads, &mut file)?,
        Form::Perfetto => write_perfetto(&capture, &threads, &mut file)?,
    }
    file.commit()?;
    Ok(Outcome::new(is_incomplete, options.allow_loss))
}

/// A file that is written in pieces; it never takes the place of another one.
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
        if self.bytes.len() < PIECE { Ok(()) } else { self.write() }
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

fn name(thread: &Thread) -> ThreadName {
    ThreadName { serial: thread.serial, name: thread.name() }
}

/// The process as its own name: the main class, where the capture knows it.
fn process(capture: &Capture) -> (String, u32) {
    let header = capture.header.as_ref();
    let name = header.and_then(|header| header.value("main")).unwrap_or("java");
    (name.to_owned(), header.map_or(0, |header| header.pid))
}

fn write_etr(capture: &Capture, threads: &[&Thread], file: &mut Target) -> Result<()> {
    if threads.iter().any(|thread| thread.serial > 254) {
        eprintln!("tracewright: a record has one byte for its thread: those beyond 254 share the number 255");
    }
    for thread in threads {
        let mut writer = etr::Writer::new(&capture.code, thread.serial);
        let mut flow = capture.flow(thread);
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

fn write_chrome(capture: &Capture, threads: &[&Thread], file: &mut Target) -> Result<()> {
    let (process, pid) = process(capture);
    chrome::begin(&mut file.bytes, &process, pid);
    for thread in threads {
        let mut writer = chrome::Writer::new(&capture.code, pid, &name(thread), &mut file.bytes);
        let mut flow = capture.flow(thread);
        while let Some(step) = flow.next_step() {
            writer.step(&step, &mut file.bytes);
            file.pass()?;
        }
        writer.finish(&mut file.bytes);
    }
    chrome::end(&mut file.bytes);
    Ok(())
}

fn write_perfetto(capture: &Capture, threads: &[&Thread], file: &mut Target) -> Result<()> {
    let (process, pid) = process(capture);
    perfetto::begin(&mut file.bytes, &process, pid);
    for thread in threads {
        let mut writer = perfetto::Writer::new(&capture.code, pid, &name(thread), &mut file.bytes);
        let mut flow = capture.flow(thread);
        while let Some(step) = flow.next_step() {
            writer.step(&step, &mut file.bytes);
            file.pass()?;
        }
        writer.finish(&mut file.bytes);
    }
    Ok(())
}
