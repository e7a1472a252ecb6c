//! `tracewright 2l show`: a program as people see it.

use busybeaver::blocks::canonical::Canonical;
use busybeaver::blocks::{Graph, graph_text};
use busybeaver::draw::{program_svg, program_text};

use crate::cli::two_l::Show;
use crate::exit::{Outcome, Result};
use crate::output::Output;

pub(crate) fn run(options: &Show) -> Result<Outcome> {
    let grid = super::program(&options.program)?;
    let mut output = Output::default();
    if options.svg {
        output.buffer = program_svg(&grid).into_bytes();
    } else {
        let graph = Graph::of(&grid);
        let mut text = format!("{grid}: {} by {}\n\n{}", grid.width(), grid.height(), program_text(&grid));
        text += &format!("\nblocks     {}\n", graph_text(&graph));
        text += &format!("canonical  {}\n", Canonical::of(&graph).text());
        output.buffer = text.into_bytes();
    }
    output.flush()?;
    Ok(Outcome::Complete)
}
