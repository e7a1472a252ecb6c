//! `tracewright loops --expand`: from what `loops --json` printed back to the history.
//!
//! A history that was read from a text comes back as that text, byte for byte. Of other inputs each unit is a line, and so is
//! `<gap>`; where there are several tracks, `<track NAME>` stands before each.

use std::io::BufReader;
use std::path::Path;

use formats::history_text::GAP;
use formats::loops_json::{self, WrittenText, WrittenTrack};
use model::grammar::What;

use crate::escape::plain;
use crate::exit::{Outcome, Result, Stop};
use crate::input;
use crate::output::Output;
use crate::pattern::Patterns;

/// Writes the histories of the tracks whose names match one of `wanted`.
pub(super) fn expand(file: &Path, wanted: &[String]) -> Result<Outcome> {
    let shown = file.display();
    let input = input::stream(file).or_else(|error| Stop::failed(format!("cannot read {shown}: {error}")))?;
    let mut tracks = loops_json::read(BufReader::new(input))
        .or_else(|sentence| Stop::failed(format!("cannot read {shown}: {sentence}")))?;
    let patterns = Patterns::new(wanted);
    tracks.retain(|track| patterns.allow(&track.name));
    if tracks.is_empty() && !patterns.is_empty() {
        let asked = wanted.join(" or ");
        return Stop::failed(format!("{shown} has no track called {asked}"));
    }
    let mut output = Output::default();
    let are_several = tracks.len() > 1;
    for track in &tracks {
        if are_several {
            output.buffer.extend_from_slice(format!("<track {}>\n", plain(&track.name)).as_bytes());
        }
        match &track.text {
            Some(text) => as_text(track, text, &mut output)?,
            None => as_lines(track, &mut output)?,
        }
    }
    output.flush()?;
    Ok(Outcome::Complete)
}

fn as_text(track: &WrittenTrack, text: &WrittenText, output: &mut Output) -> Result<()> {
    // Where something was lost is among the pieces.
    let mut units = track.history.expand().filter(|what| *what != What::Gap);
    for symbol in text.grammar.expand() {
        let What::Unit(number) = symbol else { continue };
        let symbol = match text.texts.get(number as usize) {
            Some(Some(symbol)) => symbol,
            _ => units.next().map_or("", |unit| name(track, unit)),
        };
        output.buffer.extend_from_slice(symbol.as_bytes());
        output.pass()?;
    }
    Ok(())
}

fn as_lines(track: &WrittenTrack, output: &mut Output) -> Result<()> {
    for what in track.history.expand() {
        output.buffer.extend_from_slice(plain(name(track, what)).as_bytes());
        output.buffer.push(b'\n');
        output.pass()?;
    }
    Ok(())
}

fn name(track: &WrittenTrack, what: What) -> &str {
    match what {
        What::Unit(unit) => track.alphabet.get(unit as usize).map_or("?", String::as_str),
        _ => GAP,
    }
}
