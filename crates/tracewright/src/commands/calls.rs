//! `tracewright calls`: what each thread of a recording did.

use analyses::calls::{Figures, Options, Report, Search};
use analyses::replay::{Measure, NodeId};
use model::code::{BlockId, MethodId};
use model::{Cut, FlowSource, ThreadInfo};

use crate::cli::captures::Calls;
use crate::escape::plain;
use crate::exit::{Outcome, Result, Stop};
use crate::hangs::open_frames;
use crate::libraries;
use crate::marks;
use crate::method_names::MethodNames;
use crate::method_times::MethodTimes;
use crate::numbers::counted;
use crate::output::Output;
use crate::paint::{Ink, Paint};
use crate::pattern::Patterns;
use crate::recordings::{self, Ran};
use crate::reports::top::Top;
use crate::sections;
use crate::views::code_names::{comes_round, line_key};
use crate::views::{calls_flat, calls_json, calls_summary, calls_text, calls_top};
use crate::warn::warn_of;

pub(crate) fn run(options: &Calls) -> Result<Outcome> {
    let mut recording = recordings::open(&options.capture)?;
    recording.infer_lost(!options.lost_records.no_inferred);
    let recording = recording.as_ref();
    let cut = match &options.section {
        Some(section) => sections::part(recording, section, true)?,
        None => {
            let [from, to] = marks::boundaries(recording, options.from.as_deref(), options.to.as_deref())?;
            Cut::new(recording, from, to)
        }
    };
    // Figures, single lines and JSON have every call.
    let is_folded = !options.flat && !options.summary && !options.json && !options.synthetic;
    let cut = if is_folded { cut.without_forwards() } else { cut };
    let libraries = match options.own.as_slice() {
        // Whoever looks for something looks everywhere.
        [] if is_folded && !options.libraries && options.method.is_empty() && options.search.is_none() => {
            libraries::by_themselves(recording)
        }
        [] => None,
        own => Some(libraries::of(recording, own)?),
    };
    let (cut, own) = match libraries {
        Some(libraries) => (cut.with_libraries_as_one(libraries.methods), libraries.own),
        None => (cut, String::new()),
    };
    let is_part = [&options.section, &options.from, &options.to].into_iter().any(Option::is_some);
    let is_whole = !is_part && !is_folded && own.is_empty();
    let recording: &dyn FlowSource = if is_whole { recording } else { &cut };
    let wanted = Patterns::new(&options.thread);
    some_thread(recording, &wanted)?;
    let is_wanted = |thread: &ThreadInfo| is_wanted(&wanted, thread);
    let is_incomplete = warn(options, recording);
    let mut output = Output::default();
    if options.flat {
        let limit = if options.all { u64::MAX } else { options.limit };
        for (at, _) in recording.threads().iter().enumerate().filter(|(_, thread)| is_wanted(thread)) {
            calls_flat::write(recording, at, options.json, limit, options.search.as_deref(), &mut output)?;
        }
    } else {
        // Before all that ran is read: a name that nothing has needs none of it.
        let methods = methods(options, recording)?;
        let ran = recordings::ran_with_times(recording, |name| wanted.allow(name), options.times.0);
        anomalies(options, &ran);
        write(options, recording, &ran, methods.as_deref(), &mut output)?;
    }
    if !options.json {
        // They are counted everywhere, and not only in what was looked for.
        let is_search = !options.method.is_empty() || options.search.is_some();
        let location = if is_search { " anywhere in the recording" } else { "" };
        output.buffer.extend_from_slice(left_out(cut.left_out(), location, &own).as_bytes());
    }
    output.flush()?;
    Ok(Outcome::new(is_incomplete, options.allow_loss))
}

/// Whether a thread is asked for by its name or its number.
pub(crate) fn is_wanted(wanted: &Patterns, thread: &ThreadInfo) -> bool {
    wanted.allow(&thread.name) || wanted.allow(&thread.serial.to_string())
}

/// Refuses what is asked of threads if none is called so.
pub(crate) fn some_thread(recording: &dyn FlowSource, wanted: &Patterns) -> Result<()> {
    let threads = recording.threads();
    if threads.is_empty()
        || threads.iter().any(|thread| is_wanted(wanted, thread))
        || recordings::unrecorded(recording).any(|running| wanted.allow(&running.name))
        || open_frames::of(recording).iter().any(|open| wanted.allow(&open.thread))
    {
        return Ok(());
    }
    let names: Vec<String> = threads.iter().take(10).map(|thread| thread.name.clone()).collect();
    Stop::failed(format!("no thread has such a name; there are {}", names.join(", ")))
}

fn write(
    options: &Calls,
    recording: &dyn FlowSource,
    ran: &Ran<'_>,
    methods: Option<&[bool]>,
    output: &mut Output,
) -> Result<()> {
    let (blocks, calls) = (Measure::blocks(&ran.replay), Measure::calls(&ran.replay));
    let roots: Vec<NodeId> = ran.replay.threads.iter().map(|thread| thread.root).collect();
    if options.summary {
        if ran.threads.is_empty() {
            eprintln!("tracewright: {}", plain(&nothing_recorded(recording)));
        }
        let (all, each) = Figures::of(&ran.replay, &blocks, &calls, &roots);
        let (lost, uncounted) = (Measure::lost(&ran.replay), Measure::uncounted_gaps(&ran.replay));
        let lost = roots.iter().map(|root| lost.of_node(*root)).collect();
        let uncounted_gaps = roots.iter().map(|root| uncounted.of_node(*root)).sum();
        let inferred = [Measure::inferred(&ran.replay), Measure::only_way(&ran.replay)];
        let inferred = inferred.map(|known| roots.iter().map(|root| known.of_node(*root)).sum());
        let times = MethodTimes::of(&ran.times, options.sort);
        let most = if options.all { usize::MAX } else { METHODS };
        let summary =
            calls_summary::Summary { recording, ran, all, each, lost, uncounted_gaps, inferred, times, most };
        let top = options.top.map(|most| Top::of(recording, ran, &roots, most));
        output.buffer = match options.json {
            true => calls_summary::json(&summary, top.as_ref()),
            false => {
                let top = top.map_or(String::new(), |top| calls_top::text(&top, Paint::for_stdout()));
                (calls_summary::text(&summary, Paint::for_stdout()) + &top).into()
            }
        };
        return Ok(());
    }
    let search = options.search.as_deref().map(|text| Searched::new(recording, text));
    let found = search
        .as_ref()
        .map(|searched| |method: MethodId, blocks: &[BlockId]| searched.matches(method, blocks));
    let search: Option<&Search<'_>> = match &found {
        Some(found) => Some(found),
        None => None,
    };
    let lines = |method: MethodId, block: BlockId| line_key(recording.code(), method, block);
    let comes_round = |method, index, block| comes_round(recording.code(), method, index, block);
    let wanted_options = Options {
        depth: options.depth,
        unfold: options.unfold,
        lines: Some(&lines),
        comes_round: Some(&comes_round),
        search,
    };
    let mut report = Report::new(&ran.replay, &blocks, &calls, wanted_options);
    let of_threads = |root: NodeId| (blocks.of_node(root), calls.of_node(root));
    if options.json {
        output.buffer = calls_json::render(recording, ran, &blocks, &mut report, methods, &of_threads);
    } else {
        let limit = if options.all { u64::MAX } else { options.limit };
        let page = calls_text::Page {
            recording,
            ran,
            blocks: &blocks,
            limit,
            is_search: search.is_some(),
            is_unfolded: options.unfold,
            paint: Paint::for_stdout(),
        };
        let found = page.write(&mut report, methods, &of_threads, output)?;
        if !found {
            return nothing(options, recording);
        }
    }
    Ok(())
}

/// A note on calls that are left out: those that only forward, and those of libraries. `location`: where they are;
/// `own`: what is not a library.
fn left_out([forwards, of_libraries]: [u64; 2], location: &str, own: &str) -> String {
    let mut text = String::new();
    if forwards > 0 {
        let calls = counted(forwards, "call");
        text += &format!(
            "\n{calls} of bridges, accessors and stubs that a compiler made{location}: --synthetic shows them\n"
        );
    }
    if of_libraries > 0 {
        let calls = counted(of_libraries, "call");
        let own = plain(own);
        text += &format!("\n{calls} that libraries made of libraries: --libraries shows them (own: {own})\n");
    }
    if text.is_empty() { text } else { Paint::for_stdout().dip(Ink::Quiet, &text) }
}

fn nothing(options: &Calls, recording: &dyn FlowSource) -> Result<()> {
    match &options.search {
        Some(text) => Stop::failed(format!("nothing that ran has {text} in its class, method or line")),
        None => Stop::failed(nothing_recorded(recording)),
    }
}

/// Why there is nothing to show; most often the filters let nothing through.
fn nothing_recorded(recording: &dyn FlowSource) -> String {
    if recording.course().has_damaged_steps {
        return "no step can be read: what would hold them is missing or damaged".to_owned();
    }
    if !recording.has_blocks() {
        return "it holds no call".to_owned();
    }
    let about = recording.trace().environment.iter();
    let inside: Vec<&str> =
        about.filter(|(key, _)| key == "inside").map(|(_, value)| value.as_str()).collect();
    if !inside.is_empty() {
        return format!("no step was recorded: nothing ran that --inside names ({})", inside.join(", "));
    }
    if !recording.code().classes.is_empty() {
        return "no step was recorded: nothing ran of the classes that the filters let through".to_owned();
    }
    let about = recording.trace().environment.iter();
    let included: Vec<&str> =
        about.filter(|(key, _)| key == "include").map(|(_, value)| value.as_str()).collect();
    match included.as_slice() {
        [] => "no step was recorded: the program ran no classes but the JDK's, and those are recorded \
               only when --include names them"
            .to_owned(),
        _ => format!(
            "no step was recorded: the program loaded no class that --include names ({})",
            included.join(", ")
        ),
    }
}

/// The methods that `--method` asks for, as a set; `None` if it asks for none.
fn methods(options: &Calls, recording: &dyn FlowSource) -> Result<Option<Vec<bool>>> {
    if options.method.is_empty() {
        return Ok(None);
    }
    let names = MethodNames::new(&options.method);
    let ids = (0..recording.code().methods.len() as u32).map(MethodId);
    let asked: Vec<bool> = ids.map(|id| names.mean(recording.code(), id)).collect();
    if !asked.contains(&true) {
        return Stop::failed(format!(
            "no recorded method is called {}; a name is shop.Till.pay, Till.pay or pay, of a nested class Shop.Till.pay or Shop$Till.pay, with parameters 'pay(int, String)', and `*` stands for any text",
            options.method.join(" or ")
        ));
    }
    Ok(Some(asked))
}

/// What `--search` looks for, method by method.
struct Searched<'c> {
    recording: &'c dyn FlowSource,
    /// By method: its class or name has the text.
    names: Vec<bool>,
    /// The text is a file and a line.
    line: Option<(String, u16)>,
}

impl<'c> Searched<'c> {
    fn new(recording: &'c dyn FlowSource, text: &str) -> Searched<'c> {
        let line =
            text.rsplit_once(':').and_then(|(file, line)| Some((file.to_lowercase(), line.parse().ok()?)));
        let text = text.to_lowercase();
        let ids = (0..recording.code().methods.len() as u32).map(MethodId);
        let has = |name: &str| name.contains(&text) || name.replace('$', ".").contains(&text);
        let names = ids.map(|id| line.is_none() && has(&recording.code().method_name(id).to_lowercase()));
        Searched { recording, names: names.collect(), line }
    }

    fn matches(&self, method: MethodId, blocks: &[BlockId]) -> bool {
        let Some((file, line)) = &self.line else {
            return self.names.get(method.0 as usize).copied().unwrap_or(false);
        };
        let Some(about) = self.recording.code().method(method) else { return false };
        let source = self.recording.code().class(about.class).and_then(|class| class.source_file.as_deref());
        source.is_some_and(|source| source.to_lowercase().ends_with(file.as_str()))
            && blocks.iter().any(|block| {
                about.blocks.get(*block as usize).is_some_and(|block| block.lines.contains(line))
            })
    }
}

/// Methods that a summary names.
const METHODS: usize = 20;

fn warn(options: &Calls, recording: &dyn FlowSource) -> bool {
    warn_of(&options.capture, recording)
}

/// Prints how many records could not be decoded.
fn anomalies(options: &Calls, ran: &Ran<'_>) {
    let shown = options.capture.display().to_string();
    let shown = plain(&shown);
    for (count, what) in [
        (ran.anomalies.unknown_records, "belong to no method that is known; gaps stand in their places"),
        (ran.anomalies.damaged_records, "lie in chunks that are damaged; gaps stand in their places"),
    ] {
        if count > 0 {
            eprintln!("tracewright: {shown}: {} {what}", crate::numbers::counted(count, "record"));
        }
    }
}
