//! `tracewright 2l verify`: proofs of hangs, checked apart from what found them.

use std::io::{BufRead, BufReader, Read};

use busybeaver::proof::{Certificate, check};
use busybeaver::search::cover::{Cover, Coverage, STEPS};

use crate::cli::two_l::Verify;
use crate::escape::plain;
use crate::exit::{Outcome, Result, Stop};
use crate::input;
use crate::numbers::{counted, grouped};
use crate::output::Output;

/// The longest line, in bytes; a certificate has some sixty.
const LINE: u64 = 64 << 10;

/// Programs that are listed, of those that a list does not cover.
const LISTED: usize = 20;

pub(crate) fn run(options: &Verify) -> Result<Outcome> {
    let shown = options.file.display();
    let mut cover = match options.covers.as_deref() {
        Some(&[width, height]) => {
            Some(Cover::new(width, height).or_else(|error| Stop::failed(error.to_string()))?)
        }
        _ => None,
    };
    let input = input::stream(&options.file)
        .or_else(|error| Stop::failed(format!("cannot open {shown}: {error}")))?;
    let mut input = BufReader::new(input);
    let mut output = Output::default();
    let (mut good, mut bad, mut number) = (0, 0, 0_u64);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(LINE + 1).read_until(b'\n', &mut line);
        let read = read.or_else(|error| Stop::failed(format!("cannot read {shown}: {error}")))?;
        if read == 0 {
            break;
        }
        number += 1;
        let text = String::from_utf8_lossy(&line);
        let verified = if read as u64 > LINE {
            input.skip_until(b'\n').or_else(|error| Stop::failed(format!("cannot read {shown}: {error}")))?;
            Err(format!("the line has more than {} bytes", grouped(LINE)))
        } else if text.trim().is_empty() {
            continue;
        } else {
            verify(text.trim_end_matches(['\r', '\n']))
        };
        let verified = verified.and_then(|certificate| {
            let sentence = certificate.sentence();
            if let Some(cover) = &mut cover {
                cover.add(certificate.program, number).map_err(|error| error.to_string())?;
            }
            Ok(sentence)
        });
        let line = match verified {
            Ok(sentence) => {
                good += 1;
                if cover.is_some() {
                    String::new()
                } else {
                    format!("line {number}: holds: {}\n", plain(&sentence))
                }
            }
            Err(sentence) => {
                bad += 1;
                format!("line {number}: refused: {}\n", plain(&sentence))
            }
        };
        output.buffer.extend_from_slice(line.as_bytes());
        output.pass()?;
    }
    // A size all of whose programs halt is covered by a list of none.
    if good + bad == 0 && cover.is_none() {
        return Stop::failed(format!(
            "{shown} holds no certificate; `tracewright 2l run --json` prints them"
        ));
    }
    let summary = format!("{} accepted, {} refused\n", counted(good, "proof"), grouped(bad));
    output.buffer.extend_from_slice(summary.as_bytes());
    let mut is_whole = true;
    if let (Some(cover), Some(&[width, height])) = (cover, options.covers.as_deref()) {
        let coverage = cover.coverage(options.threads.map_or_else(super::cores, usize::from));
        is_whole = coverage.is_whole();
        output.buffer.extend_from_slice(covered(width, height, &coverage).as_bytes());
    }
    output.flush()?;
    Ok(if bad == 0 && is_whole { Outcome::Complete } else { Outcome::Incomplete })
}

/// The certificate in `line`, if it holds, or why it shows nothing.
fn verify(line: &str) -> std::result::Result<Certificate, String> {
    let read = |text: &str| Certificate::from_line(text).map_err(|error| format!("no certificate: {error}"));
    let certificate = if line.starts_with('{') {
        let value: serde_json::Value =
            serde_json::from_str(line).map_err(|error| format!("no JSON: {error}"))?;
        match value.get("certificate") {
            Some(serde_json::Value::String(text)) => read(text)?,
            Some(serde_json::Value::Null) => return Err("it has no certificate, so it proves nothing".into()),
            _ => return Err("no certificate: its JSON has no text with that name".into()),
        }
    } else {
        read(line)?
    };
    check(&certificate).map_err(|refusal| refusal.to_string())?;
    Ok(certificate)
}

/// What a list covers, in sentences.
fn covered(width: u8, height: u8, coverage: &Coverage) -> String {
    let mut out = String::new();
    for line in coverage.foreign.iter().take(LISTED) {
        out += &format!(
            "line {line}: refused: its program is not one of {width} by {height} that the list needs\n"
        );
    }
    if coverage.foreign.len() > LISTED {
        out += &format!("and {} more of these\n", grouped((coverage.foreign.len() - LISTED) as u64));
    }
    for program in coverage.missing.iter().take(LISTED) {
        out += &format!("{program} has no proof and does not halt within {} steps\n", grouped(STEPS));
    }
    if coverage.missing.len() > LISTED {
        out += &format!("and {} more of these\n", grouped((coverage.missing.len() - LISTED) as u64));
    }
    let programs = counted(coverage.programs(), "program");
    out += &match coverage.is_whole() {
        true => format!("{width} by {height}: {programs}, each of which halts or has one proof\n"),
        false => format!("{width} by {height} is not covered\n"),
    };
    if coverage.is_whole() {
        out += &format!("  {:>12} halt", grouped(coverage.halting));
        if coverage.halting > 0 {
            let (steps, program) = (grouped(coverage.longest), &coverage.longest_program);
            out += &format!(", the longest after {steps} steps: {program}");
        }
        out += &format!("\n  {:>12} never halt\n", grouped(coverage.hanging));
    }
    out
}
