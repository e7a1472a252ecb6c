//! The figures of a recording.

use analyses::calls::Figures;
use model::{FlowSource, ThreadInfo};

use super::call_times::rounded;
use super::json::Json;
use super::table::Table;
use super::throttled;
use crate::escape::plain;
use crate::method_times::MethodTimes;
use crate::moment;
use crate::numbers::{counted, grouped};
use crate::paint::{Ink, Paint};
use crate::recordings::Ran;
use crate::reports::top::Top;

/// What is shown.
pub(crate) struct Summary<'a> {
    pub(crate) recording: &'a dyn FlowSource,
    pub(crate) ran: &'a Ran<'a>,
    /// Of all threads together.
    pub(crate) all: Figures,
    /// Of each thread.
    pub(crate) each: Vec<Figures>,
    /// Records of each thread that were lost and counted: dropped while recording, or damaged since.
    pub(crate) lost: Vec<u64>,
    /// Places where something was lost and nobody knows how much.
    pub(crate) uncounted_gaps: u64,
    /// Records that were lost and are inferred, and those of them for which only one way fits.
    pub(crate) inferred: [u64; 2],
    /// How long calls took, by method, those first that are asked for.
    pub(crate) times: Vec<MethodTimes>,
    /// So many of these are shown.
    pub(crate) most: usize,
}

/// Rows of threads; further ones are counted.
const MOST: usize = 50;

impl Summary<'_> {
    fn lost(&self) -> u64 {
        self.lost.iter().copied().fold(0, u64::saturating_add)
    }

    /// Whether the recording ended because it could not go on.
    fn failed(&self) -> bool {
        self.recording.course().failed
    }

    fn methods_that_ran(&self) -> usize {
        let mut ran: Vec<_> = (0..self.ran.replay.len() as u32)
            .filter_map(|node| match self.ran.replay.kind(analyses::replay::NodeId(node)) {
                analyses::replay::Kind::Frame { method, .. } => Some(method),
                _ => None,
            })
            .collect();
        ran.sort_unstable();
        ran.dedup();
        ran.len()
    }
}

/// For people.
pub(crate) fn text(summary: &Summary<'_>, paint: Paint) -> String {
    let (all, recording) = (&summary.all, summary.recording);
    let mut table = Table::new("ll");
    let mut rows: Vec<(&str, String)> = vec![];
    let course = recording.course();
    rows.extend(course.program.as_ref().map(|program| ("main", plain(program).into_owned())));
    let jvm = recording.trace().environment.iter().find(|(key, _)| key == "jvm");
    rows.extend(jvm.map(|(_, value)| ("jvm", plain(value).into_owned())));
    rows.extend(course.began.map(|began| ("began", moment::text(began) + " UTC")));
    let end = course.ending.as_deref();
    let end = end.unwrap_or("not in an orderly way: killed, or still being recorded");
    rows.push(("ended", plain(end).into_owned()));
    rows.push(("threads", grouped(summary.ran.threads.len() as u64)));
    rows.push(("classes", grouped(recording.code().classes.len() as u64)));
    let (known, ran) = (recording.code().methods.len() as u64, summary.methods_that_ran() as u64);
    rows.push(("methods", format!("{}, {} of them ran", grouped(known), grouped(ran))));
    rows.push(("calls", grouped(all.calls)));
    rows.push(("blocks", format!("{} recorded", grouped(all.blocks))));
    rows.push((
        "",
        format!("{} with loops folded ({:.2} % fewer)", grouped(all.without_loops), all.reduction()),
    ));
    let shown = format!(
        "{} with equal calls shown once, too ({:.2} % fewer)",
        grouped(all.shown),
        all.reduction_shown()
    );
    rows.push(("", shown));
    rows.extend(throttled::sentence(recording.throttled()).map(|sentence| ("counted only", sentence)));
    let skipped = recording.trace().environment.iter().find(|(key, _)| key == "left alone");
    rows.extend(skipped.map(|(_, count)| {
        ("not recorded", format!("{count}: calls of them are not in these figures; `info` says why"))
    }));
    rows.push(("lost", lost(summary, paint)));
    let [inferred, only_way] = summary.inferred;
    if inferred > 0 {
        let text = format!(
            "{} more that were lost; of {} only one way fits",
            counted(inferred, "record"),
            grouped(only_way)
        );
        rows.push(("inferred", text));
    }
    rows.into_iter().for_each(|(label, value)| table.row([label.to_owned(), value]));
    let mut out: String = table.lines("").iter().map(|line| format!("{line}\n")).collect();
    out += &format!("\n{}\n", paint.dip(Ink::Title, "Threads"));
    let mut table = Table::new("lrrrrr");
    table.row(["name", "blocks", "folded", "fewer", "calls", "lost"]);
    let threads = summary.ran.threads.iter().zip(&summary.each).zip(&summary.lost);
    for ((thread, figures), lost) in threads.take(MOST) {
        table.row([
            plain(&thread.name).into_owned(),
            grouped(figures.blocks),
            grouped(figures.without_loops),
            format!("{:.2} %", figures.reduction()),
            grouped(figures.calls),
            grouped(*lost),
        ]);
    }
    out.extend(table.lines("  ").iter().map(|line| format!("{line}\n")));
    if summary.ran.threads.len() > MOST {
        out += &format!("  ... and {} more\n", grouped((summary.ran.threads.len() - MOST) as u64));
    }
    out + &times(summary, paint)
}

/// The methods whose calls took long; nothing where no clock looked.
fn times(summary: &Summary<'_>, paint: Paint) -> String {
    if summary.times.is_empty() {
        return String::new();
    }
    let mut table = Table::new("lrrrrr");
    table.row(["method", "calls", "time", "own", "waiting", "longest"]);
    for one in summary.times.iter().take(summary.most) {
        table.row([
            plain(&summary.recording.code().method_name(one.method)).into_owned(),
            grouped(one.calls),
            rounded(one.time),
            rounded(one.own),
            one.waiting.map_or(String::new(), rounded),
            rounded(one.longest),
        ]);
    }
    let mut out = format!("\n{}\n", paint.dip(Ink::Title, "Calls whose length is known"));
    out.extend(table.lines("  ").iter().map(|line| format!("{line}\n")));
    let more = summary.times.len().saturating_sub(summary.most);
    if more > 0 {
        out += &format!("  ... and {} (--all shows them)\n", counted(more as u64, "more method"));
    }
    out
}

/// All that is missing, counted or not.
fn lost(summary: &Summary<'_>, paint: Paint) -> String {
    let mut parts = vec![];
    if summary.lost() > 0 {
        parts.push(counted(summary.lost(), "record"));
    }
    if summary.uncounted_gaps > 0 {
        parts.push(format!("an unknown number of records in {}", counted(summary.uncounted_gaps, "gap")));
    }
    // Nobody counts what a recording that could not go on would have had.
    if summary.failed() {
        parts.push("all since it ended, which is not counted".to_owned());
    }
    if parts.is_empty() && summary.recording.course().has_uncounted_damage {
        parts.push("what missing or damaged parts held, which is not counted".to_owned());
    }
    if parts.is_empty() { "nothing".to_owned() } else { paint.dip(Ink::Bad, &parts.join(", and ")) }
}

/// For programs.
pub(crate) fn json(summary: &Summary<'_>, top: Option<&Top>) -> Vec<u8> {
    let mut json = Json::default();
    json.object(|json| {
        let recording = summary.recording;
        json.key("threads").number(summary.ran.threads.len());
        json.key("classes").number(recording.code().classes.len());
        json.key("methods").number(recording.code().methods.len());
        json.key("methods_that_ran").number(summary.methods_that_ran());
        figures(json, &summary.all);
        json.key("lost").number(summary.lost());
        json.key("uncounted_gaps").number(summary.uncounted_gaps);
        json.key("inferred").number(summary.inferred[0]);
        json.key("inferred_only_way").number(summary.inferred[1]);
        json.key("failed").bool(summary.failed());
        json.key("ended").text_or_null(recording.course().ending.as_deref());
        if let Some(top) = top {
            json.key("top").report(top);
        }
        let threads = summary.ran.threads.iter().zip(&summary.each).zip(&summary.lost);
        if !summary.times.is_empty() {
            json.key("by_method").array(&summary.times, |json, one: &MethodTimes| {
                json.object(|json| {
                    json.key("method").text(&recording.code().method_name(one.method));
                    let about = recording.code().method(one.method);
                    json.key("descriptor").text(about.map_or("", |about| &about.descriptor));
                    json.key("calls").number(one.calls);
                    json.key("time_ns").number(one.time);
                    json.key("own_ns").number(one.own);
                    json.key("waiting_ns").number_or_null(one.waiting);
                    json.key("longest_ns").number(one.longest);
                });
            });
        }
        json.key("by_thread").array(
            threads,
            |json, ((thread, each), lost): ((&&ThreadInfo, &Figures), &u64)| {
                json.object(|json| {
                    json.key("serial").number(thread.serial);
                    json.key("name").text(&thread.name);
                    figures(json, each);
                    json.key("lost").number(*lost);
                });
            },
        );
    });
    json.out.push(b'\n');
    json.out
}

fn figures(json: &mut Json, figures: &Figures) {
    json.key("calls").number(figures.calls);
    json.key("blocks").number(figures.blocks);
    json.key("blocks_with_loops_folded").number(figures.without_loops);
    json.key("blocks_told").number(figures.shown);
    json.key("reduction_percent").number(format!("{:.4}", figures.reduction()));
}
