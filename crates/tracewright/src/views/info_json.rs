//! What a trace is, for programs: one object with all that `info` knows.

use model::{Diagnostic, EventSource, Gap, Lost, Place, Severity, Symbol, TraceInfo};

use super::json::Json;
use super::open_frames;
use crate::commands::info::Counts;
use crate::losses::Total;
use crate::open_frames::OpenFrames;

pub(crate) fn render(input: &str, counts: &Counts, source: &dyn EventSource, open: &[OpenFrames]) -> Vec<u8> {
    let mut json = Json::default();
    let streams = source.streams();
    let stream_name = |number: u32| streams.get(number as usize).map_or("?", |stream| stream.name.as_str());
    json.object(|json| {
        json.key("input").text(input);
        json.key("traces").array(source.traces(), trace);
        json.key("from")
            .number_or_null(streams.iter().filter_map(|stream| stream.first).min().map(|time| time.0));
        json.key("to")
            .number_or_null(streams.iter().filter_map(|stream| stream.last).max().map(|time| time.0));
        json.key("events").number(counts.by_symbol.iter().sum::<u64>());
        json.key("lost");
        total(json, counts.losses.total);
        let mut names: Vec<(usize, &u64)> =
            counts.by_symbol.iter().enumerate().filter(|(_, n)| **n > 0).collect();
        let name = |symbol: usize| source.alphabet().name(Symbol(symbol as u32));
        names.sort_by_key(|&(symbol, count)| (std::cmp::Reverse(count), name(symbol)));
        json.key("names").array(names, |json, (symbol, count)| {
            json.object(|json| {
                json.key("name").text(name(symbol));
                json.key("events").number(count);
            });
        });
        json.key("streams").array(streams.iter().enumerate(), |json, (number, stream)| {
            json.object(|json| {
                json.key("name").text(&stream.name);
                json.key("trace").number(stream.trace);
                json.key("cpu").number_or_null(stream.cpu);
                json.key("packets").number(stream.packets);
                json.key("events").number(stream.events);
                json.key("from").number_or_null(stream.first.map(|time| time.0));
                json.key("to").number_or_null(stream.last.map(|time| time.0));
                json.key("lost");
                total(json, counts.losses.of_stream(number));
            });
        });
        json.key("gaps")
            .array(&counts.losses.gaps, |json, gap| one_gap(json, gap, stream_name(gap.stream.0)));
        if !open.is_empty() {
            json.key("open").array(open, |json, open| {
                json.object(|json| {
                    json.key("name").text(&open.thread);
                    json.key("open");
                    open_frames::json(json, open);
                });
            });
        }
        json.key("diagnostics")
            .array(source.diagnostics(), |json, found| diagnostic(json, found, &stream_name));
    });
    json.out.push(b'\n');
    json.out
}

fn trace(json: &mut Json, trace: &TraceInfo) {
    json.object(|json| {
        json.key("name").text(&trace.name);
        json.key("format").text(&trace.format);
        json.key("host").text_or_null(trace.host.as_deref());
        json.key("tracer").text_or_null(trace.tracer.as_deref());
        json.key("environment").object(|json| {
            for (name, value) in &trace.environment {
                json.key(name).text(value);
            }
        });
        if let Some(clock) = &trace.host_clock {
            json.key("host_clock").object(|json| {
                json.key("reference").text(&clock.reference);
                json.key("from_ns").number(clock.from.0);
                json.key("ahead_ns").number(clock.ahead);
                json.key("least_ahead_ns").number(clock.ahead_between.0);
                json.key("most_ahead_ns").number(clock.ahead_between.1);
                json.key("drift").number(clock.drift);
                json.key("least_drift").number(clock.drift_between.0);
                json.key("most_drift").number(clock.drift_between.1);
                json.key("messages").number(clock.messages);
            });
        }
        json.key("clocks").array(&trace.clocks, |json, clock| {
            json.object(|json| {
                json.key("name").text(&clock.name);
                json.key("frequency").number(clock.frequency);
                json.key("offset_s").number(clock.offset_s);
                json.key("offset").number(clock.offset);
            });
        });
    });
}

fn total(json: &mut Json, total: Total) {
    json.object(|json| {
        json.key("events").number(total.events);
        json.key("packets").number(total.packets);
        json.key("gaps").number(total.gaps);
    });
}

fn one_gap(json: &mut Json, gap: &Gap, stream: &str) {
    json.object(|json| {
        json.key("stream").text(stream);
        json.key("before_event").number(gap.before_event);
        json.key("from").number_or_null(gap.from.map(|time| time.0));
        json.key("to").number_or_null(gap.to.map(|time| time.0));
        json.key("lost").number_or_null(match gap.lost {
            Lost::Events(count) | Lost::Packets(count) => Some(count),
            Lost::Unknown => None,
        });
        json.key("unit").text(if matches!(gap.lost, Lost::Packets(_)) { "packets" } else { "events" });
    });
}

fn diagnostic<'a>(json: &mut Json, diagnostic: &Diagnostic, stream_name: &impl Fn(u32) -> &'a str) {
    json.object(|json| {
        json.key("code").text(diagnostic.code);
        json.key("severity").text(match diagnostic.severity {
            Severity::Note => "note",
            Severity::Damage => "damage",
        });
        match &diagnostic.place {
            Place::File { file, offset } => {
                json.key("file").text(file);
                json.key("offset").number(offset);
            }
            Place::Line { file, line } => {
                json.key("file").text(file);
                json.key("line").number(line);
            }
            Place::Event(stream, number) => {
                json.key("stream").text(stream_name(stream.0));
                json.key("event").number(number);
            }
            Place::Steps(track, steps) => {
                json.key("track").number(track.0);
                json.key("from_step").number(steps.start);
                json.key("to_step").number(steps.end);
            }
        }
        json.key("sentence").text(&diagnostic.sentence);
    });
}
