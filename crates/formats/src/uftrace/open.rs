//! Opening: the small files are read, the records gone through once for the functions that ran.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use model::code::{Block, Class, ClassId, CodeMap, Method, MethodId};
use model::flow_source::{Course, ThreadInfo};
use model::{Diagnostic, Location, Severity, Timestamp, TraceInfo};
use source::{NamedSource, Source};

use super::info::Info;
use super::modules::{self, Module};
use super::records::{Kind, Next, Records};
use super::symbols::Symbols;
use super::tasks::Tasks;
use super::{Error, INFO, Recording, TASKS};
use crate::limits;

/// Which function an address belongs to.
#[derive(Debug, Default)]
pub(super) struct Functions {
    /// By session; the last is for threads without one.
    sessions: Vec<HashMap<u64, MethodId>>,
    /// For each thread: from when on it was in which session, by time.
    threads: Vec<Vec<(u64, usize)>>,
}

impl Functions {
    /// The function that a thread called at a moment.
    pub(super) fn of(&self, thread: usize, time: u64, address: u64) -> MethodId {
        let session = self.session(thread, time);
        let known = self.sessions.get(session).and_then(|known| known.get(&address));
        known.copied().unwrap_or(MethodId(u32::MAX))
    }

    fn session(&self, thread: usize, time: u64) -> usize {
        let none = self.sessions.len().saturating_sub(1);
        let Some(changes) = self.threads.get(thread) else { return none };
        let at = changes.partition_point(|(from, _)| *from <= time).checked_sub(1);
        at.and_then(|at| changes.get(at)).map_or(none, |(_, session)| *session)
    }
}

impl Recording {
    /// Opens the files of one folder; their names are compared, folders in front of them left out.
    pub fn open(files: Vec<NamedSource>) -> Result<Recording, Error> {
        let mut texts: BTreeMap<String, Box<dyn Source>> = BTreeMap::new();
        for NamedSource { name, source } in files {
            let name = name.rsplit('/').next().unwrap_or(&name).to_owned();
            texts.insert(name, source);
        }
        let info = Info::read(texts.get(INFO).ok_or(Error::NotUftrace)?.as_ref())?;
        let mut opening = Opening { files: texts, ..Opening::default() };
        let tasks = opening.text(TASKS).unwrap_or_default();
        let tasks = Tasks::read(&tasks);
        if let Some((line, count)) = tasks.strange {
            let sentence = format!("Lines that make no sense, left out: {count}; the first is line {line}.");
            opening.report("uftrace-task-line", Severity::Damage, TASKS, 0, sentence);
        }
        opening.modules = tasks.sessions.iter().map(|session| opening.map(&session.id)).collect();
        opening.functions.sessions = vec![HashMap::new(); tasks.sessions.len() + 1];
        opening.threads(&tasks);
        Ok(opening.finish(info, &tasks))
    }
}

/// What was found up to now.
#[derive(Default)]
struct Opening {
    files: BTreeMap<String, Box<dyn Source>>,
    /// For each session what lay in its memory.
    modules: Vec<Vec<Module>>,
    /// By the name of the file.
    symbols: HashMap<String, Option<Symbols>>,
    classes: HashMap<(String, String), ClassId>,
    methods: HashMap<(ClassId, u64), MethodId>,
    code: CodeMap,
    functions: Functions,
    threads: Vec<ThreadInfo>,
    records: Vec<Rc<dyn Source>>,
    diagnostics: Vec<Diagnostic>,
}

impl Opening {
    fn report(&mut self, code: &'static str, severity: Severity, file: &str, offset: u64, sentence: String) {
        if self.diagnostics.len() < limits::DIAGNOSTICS {
            let location = Location::File { file: file.to_owned(), offset };
            self.diagnostics.push(Diagnostic { code, severity, location, sentence });
        }
    }

    /// The text of a small file; `None` if it is not there. A text that is too long is cut, and that is reported.
    fn text(&mut self, name: &str) -> Option<String> {
        let source = self.files.get(name)?;
        let size = usize::try_from(source.size()).unwrap_or(usize::MAX);
        let mut bytes = vec![0; size.min(limits::UFTRACE_TEXT)];
        let count = source.read_at(0, &mut bytes).unwrap_or(0);
        bytes.truncate(count);
        if size > limits::UFTRACE_TEXT {
            let sentence = format!("Only the first {} bytes are read.", limits::UFTRACE_TEXT);
            self.report("uftrace-text-cut", Severity::Damage, name, limits::UFTRACE_TEXT as u64, sentence);
        }
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn map(&mut self, session: &str) -> Vec<Module> {
        let name = format!("sid-{session}.map");
        match self.text(&name) {
            Some(text) => modules::read(&text),
            None => {
                let sentence = "The file is missing: functions are called by their addresses.".to_owned();
                self.report("uftrace-file-missing", Severity::Damage, &name, 0, sentence);
                vec![]
            }
        }
    }

    fn threads(&mut self, tasks: &Tasks) {
        let number = |name: &String| name.strip_suffix(".dat")?.parse::<u64>().ok();
        let mut found: Vec<(u64, String)> =
            self.files.keys().filter_map(|name| Some((number(name)?, name.clone()))).collect();
        found.sort_unstable();
        let of_kernel: Vec<String> =
            self.files.keys().filter(|name| name.starts_with("kernel-")).cloned().collect();
        for name in of_kernel {
            let sentence = "What was recorded of the kernel is left out.".to_owned();
            self.report("uftrace-kernel", Severity::Note, &name, 0, sentence);
        }
        if found.len() > limits::UFTRACE_TASKS {
            let sentence = format!("Only {} threads are read.", limits::UFTRACE_TASKS);
            self.report("uftrace-threads", Severity::Damage, TASKS, 0, sentence);
        }
        for (tid, name) in found.into_iter().take(limits::UFTRACE_TASKS) {
            let Some(file) = self.files.remove(&name) else { continue };
            self.thread(tid, &name, Rc::from(file), tasks);
        }
    }

    fn thread(&mut self, tid: u64, name: &str, file: Rc<dyn Source>, tasks: &Tasks) {
        let serial = self.threads.len() as u32;
        let mut about = ThreadInfo { serial, tid: Some(tid), ..ThreadInfo::default() };
        let mut changes: Vec<(u64, usize)> = vec![];
        let mut session = None;
        let mut begins: Vec<u64> = tasks.sessions.iter().map(|session| session.begin).collect();
        begins.sort_unstable();
        let mut next_begin = 0;
        let mut records = Records::new(Rc::clone(&file));
        while let Some(next) = records.next() {
            let record = match next {
                Next::Record(record) => record,
                Next::Damage { offset, bytes } => {
                    let sentence = format!("{bytes} bytes are no records and were skipped.");
                    self.report("uftrace-bytes-skipped", Severity::Damage, name, offset, sentence);
                    continue;
                }
            };
            about.records += 1;
            if record.kind == Kind::Lost {
                about.lost = about.lost.saturating_add(record.address);
                continue;
            }
            let time = Timestamp(record.time.cast_signed());
            about.time =
                Some(about.time.map_or((time, time), |(first, last)| (first.min(time), last.max(time))));
            // A session can only have changed where one begins.
            if session.is_none() || record.time >= next_begin {
                let at = tasks.session(tid, record.time);
                let after = begins.partition_point(|begin| *begin <= record.time);
                next_begin = begins.get(after).copied().unwrap_or(u64::MAX);
                let at = at.unwrap_or(tasks.sessions.len());
                if session != Some(at) {
                    session = Some(at);
                    changes.push((record.time, at));
                }
            }
            match record.kind {
                Kind::Entry | Kind::Exit => {
                    self.function(session.unwrap_or(tasks.sessions.len()), record.address)
                }
                Kind::Lost | Kind::Event => {}
            }
        }
        let program =
            session.and_then(|at| tasks.sessions.get(at)).map(|session| file_name(&session.program));
        about.name = format!("{} {tid}", program.unwrap_or("thread"));
        self.functions.threads.push(changes);
        self.threads.push(about);
        self.records.push(file);
    }

    /// Makes sure that the function of an address is known.
    fn function(&mut self, session: usize, address: u64) {
        let is_known = |known: &HashMap<u64, MethodId>| known.contains_key(&address);
        if self.functions.sessions.get(session).is_none_or(is_known) {
            return;
        }
        if self.code.methods.len() >= limits::UFTRACE_FUNCTIONS {
            return self.full();
        }
        let method = self.method(session, address);
        if let Some(known) = self.functions.sessions.get_mut(session) {
            if known.len() >= limits::UFTRACE_FUNCTIONS {
                return self.full();
            }
            known.insert(address, method);
        }
    }

    fn full(&mut self) {
        const CODE: &str = "uftrace-functions";
        if !self.diagnostics.iter().any(|known| known.code == CODE) {
            let sentence =
                format!("More than {} functions: further ones have no name.", limits::UFTRACE_FUNCTIONS);
            self.report(CODE, Severity::Damage, INFO, 0, sentence);
        }
    }

    fn method(&mut self, session: usize, address: u64) -> MethodId {
        let modules = self.modules.get(session).map_or(&[][..], Vec::as_slice);
        let Some(module) = modules::find(modules, address).and_then(|at| modules.get(at)).cloned() else {
            let class = self.class("?", "");
            return self.add(class, address, format!("{address:#x}"), None);
        };
        let file = module.file().to_owned();
        self.load(&file);
        let inside = address - module.begin;
        let symbols = self.symbols.get(&file).and_then(Option::as_ref);
        match symbols.and_then(|symbols| symbols.find(inside)) {
            Some(function) => {
                let (begin, name) = (function.address, demangled(function.name));
                let (line, source) = function.line.map_or((None, ""), |(line, file)| (Some(line), file));
                let source = source.to_owned();
                let class = self.class(&file, &source);
                self.add(class, begin, name, line)
            }
            None => {
                let class = self.class(&file, "");
                self.add(class, inside, format!("{inside:#x}"), None)
            }
        }
    }

    fn load(&mut self, file: &str) {
        if self.symbols.contains_key(file) {
            return;
        }
        let text = self.text(&format!("{file}.sym"));
        let debug = self.text(&format!("{file}.dbg")).unwrap_or_default();
        if text.is_none() {
            let sentence = "The file is missing: functions are called by their addresses.".to_owned();
            self.report("uftrace-file-missing", Severity::Note, &format!("{file}.sym"), 0, sentence);
        }
        self.symbols.insert(file.to_owned(), text.map(|text| Symbols::read(text, debug)));
    }

    /// The functions of a file of the program that are written in one file of source.
    fn class(&mut self, file: &str, source: &str) -> ClassId {
        let next = ClassId(self.code.classes.len() as u32);
        let key = (file.to_owned(), source.to_owned());
        let id = *self.classes.entry(key).or_insert(next);
        if id == next {
            let source_file = Some(file_name(source).to_owned()).filter(|name| !name.is_empty());
            self.code.classes.push(Class { name: module_name(file).to_owned(), source_file, origin: None });
        }
        id
    }

    fn add(&mut self, class: ClassId, address: u64, name: String, line: Option<u32>) -> MethodId {
        let next = MethodId(self.code.methods.len() as u32);
        let id = *self.methods.entry((class, address)).or_insert(next);
        if id == next {
            self.code.methods.push(Method {
                class,
                name,
                descriptor: String::new(),
                access_flags: 0,
                blocks: vec![Block::body(line)],
                edges: vec![],
                exception_edges: vec![],
                loops: vec![],
            });
        }
        id
    }

    fn finish(self, info: Info, tasks: &Tasks) -> Recording {
        let Opening { code, threads, records, functions, diagnostics, .. } = self;
        let mut environment = info.about;
        environment.push(("functions".to_owned(), format!("{} that ran", code.methods.len())));
        let trace = TraceInfo {
            name: String::new(),
            format: "uftrace 4".to_owned(),
            host: info.host,
            tracer: info.tracer,
            environment,
            clocks: vec![],
            host_clock: None,
        };
        let course = Course {
            program: info.program,
            pid: tasks.sessions.first().and_then(|session| u32::try_from(session.pid).ok()),
            began: None,
            ending: info.exit,
            failed: false,
            has_uncounted_damage: diagnostics.iter().any(|found| found.severity == Severity::Damage),
            has_damaged_steps: threads.is_empty(),
            drops: vec![],
        };
        Recording { code, threads, files: records, functions: Rc::new(functions), trace, course, diagnostics }
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `libc` of `libc.so.6`, and the name itself of a program.
fn module_name(file: &str) -> &str {
    file.find(".so").map_or(file, |at| &file[..at])
}

/// A name as the programmer wrote it, without parameters; itself where it is no mangled one of C++ or Rust.
fn demangled(name: &str) -> String {
    if name.len() > limits::UFTRACE_NAME {
        return name.chars().take(limits::UFTRACE_NAME).collect();
    }
    // Shorter ones are types: `a` is the mangled name of `signed char`.
    if !name.starts_with("_Z") && !name.starts_with("_R") {
        return name.to_owned();
    }
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
    let written =
        cpp_demangle::Symbol::new(name).ok().and_then(|symbol| symbol.demangle_with_options(&options).ok());
    written.filter(|name| name.len() <= limits::UFTRACE_NAME).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
#[test]
fn names_are_as_the_programmer_wrote_them() {
    assert_eq!((demangled("main"), demangled("a")), ("main".to_owned(), "a".to_owned()));
    assert_eq!(demangled("_ZN6Square4areaEi"), "Square::area");
    assert_eq!(demangled("_ZN4shop4bake17h0123456789abcdefE"), "shop::bake");
    assert_eq!(demangled("_ZN"), "_ZN");
}
