//! `tracewright 2l verify`: proofs of hangs, checked apart from what found them.

use std::io::{BufRead, BufReader, Read};

use busybeaver::proof::{Certificate, check};

use crate::cli::two_l::Verify;
use crate::escape::plain;
use crate::exit::{Outcome, Result, Stop};
use crate::input;
use crate::numbers::{counted, grouped};
use crate::output::Output;

/// The longest line, in bytes; certificates of 7 by 7 programs have some thousand.
const LINE: u64 = 16 << 20;

pub(crate) fn run(options: &Verify) -> Result<Outcome> {
    let shown = options.file.display();
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
            verify(text.trim())
        };
        let line = match verified {
            Ok(sentence) => {
                good += 1;
                format!("line {number}: holds: {}\n", plain(&sentence))
            }
            Err(sentence) => {
                bad += 1;
                format!("line {number}: refused: {}\n", plain(&sentence))
            }
        };
        output.buffer.extend_from_slice(line.as_bytes());
        output.pass()?;
    }
    if good + bad == 0 {
        return Stop::failed(format!(
            "{shown} holds no certificate; `tracewright 2l run --json` prints them"
        ));
    }
    output
        .buffer
        .extend_from_slice(format!("{} accepted, {bad} refused\n", counted(good, "proof")).as_bytes());
    output.flush()?;
    Ok(if bad == 0 { Outcome::Complete } else { Outcome::Incomplete })
}

/// What the proof in `line` shows, or why it shows nothing.
fn verify(line: &str) -> std::result::Result<String, String> {
    let value: serde_json::Value = serde_json::from_str(line).map_err(|error| format!("no JSON: {error}"))?;
    let text = match value.get("certificate") {
        Some(serde_json::Value::Null) => return Err("it has no certificate, so it proves nothing".into()),
        Some(certificate) => certificate.to_string(),
        None => line.to_owned(),
    };
    let certificate = Certificate::from_json(&text).map_err(|error| format!("no certificate: {error}"))?;
    check(&certificate).map_err(|refusal| refusal.to_string())?;
    Ok(certificate.sentence())
}
