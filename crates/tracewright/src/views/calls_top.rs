//! The methods that did the most and the first exceptions, in text.
//!
//! ```text
//! Methods by blocks of their own
//!   blocks  calls  method
//!      120      4  shop.Oven.heat (Oven.java)
//!
//! Exceptions in the order of their first occurrence
//!   thread  from                           ended     caught
//!   main    shop.Oven.cool (Oven.java:30)  1 call    shop.Bakery.close (Bakery.java:32)
//! ```

use super::table::Table;
use crate::escape::plain;
use crate::numbers::{counted, grouped};
use crate::paint::{Ink, Paint};
use crate::reports::top::{CodeLocation, Top};

pub(crate) fn text(top: &Top, paint: Paint) -> String {
    let mut out = String::new();
    if !top.methods.is_empty() {
        out += &format!("\n{}\n", paint.dip(Ink::Title, "Methods by blocks of their own"));
        let mut table = Table::new("rrl");
        table.row(["blocks", "calls", "method"]);
        for one in &top.methods {
            let file = one.file.as_deref().map_or(String::new(), |file| format!(" ({})", plain(file)));
            table.row([grouped(one.blocks), grouped(one.calls), format!("{}{file}", plain(&one.method))]);
        }
        out.extend(table.lines("  ").iter().map(|line| format!("{line}\n")));
    }
    if !top.exceptions.is_empty() {
        out += &format!("\n{}\n", paint.dip(Ink::Title, "Exceptions in the order of their first occurrence"));
        let mut table = Table::new("llll");
        table.row(["thread", "from", "ended", "caught"]);
        for one in &top.exceptions {
            let caught = one.caught.as_ref().map_or("by nothing that was recorded".to_owned(), location);
            let ended = counted(one.ended as u64, "call");
            table.row([plain(&one.thread).into_owned(), location(&one.from), ended, caught]);
        }
        out.extend(table.lines("  ").iter().map(|line| format!("{line}\n")));
    }
    out
}

fn location(location: &CodeLocation) -> String {
    let at = match (&location.file, location.line) {
        (Some(file), Some(line)) => format!(" ({}:{line})", plain(file)),
        (Some(file), None) => format!(" ({})", plain(file)),
        (None, _) => String::new(),
    };
    format!("{}{at}", plain(&location.method))
}
