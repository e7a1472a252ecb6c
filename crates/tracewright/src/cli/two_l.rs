//! What can be typed behind `tracewright 2l`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::view::Listen;

/// 2L Busy Beavers: show a program, run it, search all of a size, verify proofs
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright 2l show ZgoCQhGBUIBlqA
  tracewright 2l run ZgoCQhGBUIBlqA --loops
  tracewright 2l view ZgoCQhGBUIBlqA
  tracewright 2l search 4 4

A program is a small grid, written as in the 2L Busy Beaver search of Erwin Bonsma: 2 bits a cell in \
letters of base 64 (`-` for `+` and `_` for `/` are understood).")]
pub(crate) struct TwoL {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Show(Show),
    Run(Run),
    View(View),
    Search(Search),
    Merge(Merge),
    Verify(Verify),
}

/// Draw a program, and list its blocks
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright 2l show ROuShls
  tracewright 2l show ROuShls --svg > program.svg")]
pub(crate) struct Show {
    /// The program
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: String,
    /// Print a picture in SVG instead
    #[arg(long)]
    pub(crate) svg: bool,
}

/// Run a program, and prove that it hangs if it does and a proof is found
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright 2l run ROuShls
  tracewright 2l run ZgoCQhGBUIBlqA --loops
  tracewright 2l run ZgoCQhGBUIBlqA --json | tracewright 2l verify -
  tracewright 2l run ZgoCQhGBUIBlqA --history | tracewright loops -
  tracewright 2l run ZgoCQhGBUIBlqA --history | tracewright view -

A program is only called hanging with a proof that was checked; without one it is undecided.")]
pub(crate) struct Run {
    /// The program
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: String,
    /// List the loops of its history, as in the founding text
    #[arg(long)]
    pub(crate) loops: bool,
    /// Print its history, one event a block, as lines of JSON for `loops -`, `hangs -` and `view`
    #[arg(long, conflicts_with_all = ["loops", "film", "json"])]
    pub(crate) history: bool,
    /// Draw its tape over time
    #[arg(long, conflicts_with = "loops")]
    pub(crate) film: bool,
    /// With --film: print a picture in SVG
    #[arg(long, requires = "film")]
    pub(crate) svg: bool,
    /// With --loops, --film or --history: maximum number of blocks to run
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub(crate) blocks: u64,
    /// Maximum number of steps to run
    #[arg(long, value_name = "N", default_value_t = 10_000_000_000)]
    pub(crate) steps: u64,
    /// Print one JSON object, with the certificate of the proof
    #[arg(long, conflicts_with_all = ["loops", "film"])]
    pub(crate) json: bool,
}

/// Play a program in the browser: its cells, its tape over time, the loops of its history
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright 2l view ROuShls
  tracewright 2l view ZgoCQhGBUIBlqA --steps 50000
  tracewright 2l view dwoAlShaIhJBYIGAKA

A program that goes on is shown up to --steps, or until its tape has outgrown 8,388,608 cells; the page says which. It \
also says whether a proof was found that the program never halts. `2l run --history | tracewright view -` shows the same, \
up to 1,000,000 steps. How the page is served: `tracewright view --help`.")]
pub(crate) struct View {
    /// The program
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: String,
    /// Maximum number of steps to show, at most 100,000,000
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub(crate) steps: u64,
    #[command(flatten)]
    pub(crate) listen: Listen,
}

/// Run all programs of a size: which halt, which hang, which runs longest
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright 2l search 4 4
  tracewright 2l search 4 4 --plain --json
  tracewright 2l search 4 3 --file search.jsonl
  tracewright 2l search 4 4 --certificates proofs.txt
  tracewright 2l search 4 4 --steps 100,100000
  tracewright 2l search 5 5 --shares 0-499 -o part1.jsonl
  tracewright 2l search 6 6 --estimate 200 --check

With --file, what is done is kept in the file; the same command goes on from there after any \
interruption.

A search is in shares, about a thousand or more, which may be searched on different machines: each gets a range of \
them and a file of its own, and `2l merge` puts the files together. An impossible range is refused with the number of \
shares.")]
pub(crate) struct Search {
    /// Columns, at most 8
    #[arg(value_name = "W")]
    pub(crate) width: u8,
    /// Rows, at most 8
    #[arg(value_name = "H")]
    pub(crate) height: u8,
    /// All grids, not only one of each symmetric set of beginnings
    #[arg(long)]
    pub(crate) plain: bool,
    /// Maximum number of steps of a program; further numbers are stages: what is left is tried again
    /// with that many, one program of each group that does the same
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1000000")]
    pub(crate) steps: Vec<u64>,
    /// Write the certificate of every hang to this file, one a line, when the search has ended (- is standard output, at
    /// once; the totals go to standard error then). Each is checked first. With --file they are kept there as well, so
    /// that those which were found before are written too
    #[arg(long, value_name = "FILE")]
    pub(crate) certificates: Option<PathBuf>,
    /// Make a certificate of every hang and check it; what it refuses is undecided
    #[arg(long)]
    pub(crate) check: bool,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Keep what is done here, and go on with what was kept
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Search only the shares with these numbers, the first one 0
    #[arg(long, value_name = "A-B", value_parser = shares, requires = "file")]
    pub(crate) shares: Option<(usize, usize)>,
    /// Estimate how many programs there are, how many hang and how long a search takes, from about so many parts that are
    /// drawn at random, instead of searching; with --check also the size of all certificates
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000), conflicts_with_all = ["file", "certificates"])]
    pub(crate) estimate: Option<u64>,
    /// Seed of the random choice of --estimate
    #[arg(long, value_name = "S", default_value_t = 1, requires = "estimate")]
    pub(crate) seed: u64,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Two numbers with a dash between them.
fn shares(text: &str) -> Result<(usize, usize), String> {
    let range = text.split_once('-').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    range.ok_or_else(|| "not of the form A-B, two numbers of shares".into())
}

/// Put the parts of a search together, and print its totals
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright 2l search 5 5 --shares 0-499 -o part1.jsonl
  tracewright 2l search 5 5 --shares 500-1214 -o part2.jsonl
  tracewright 2l merge part1.jsonl part2.jsonl

All parts must be of one search, no share may be in two of them, and none may be missing.

Exit code: 0 the search is whole, 2 the parts do not fit together.")]
pub(crate) struct Merge {
    /// Files that `2l search --shares` wrote
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write the whole search to this file; `2l search --file` goes on with it
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Check proofs: each line is a certificate, or what `2l run --json` printed
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright 2l run ZgoCQhGBUIBlqA --json | tracewright 2l verify -
  tracewright 2l verify --covers 4 4 proofs.txt

A proof is refused if checking it takes more than 10,000,000 blocks to the moment that it is about, 65,536 blocks in a \
period, 8,388,608 cells of tape (64 MiB) or 300,000 views, or if its line has more than 64 KiB.

With --covers, the list must hold one proof of each program of the size that does not halt, and no other; what holds is \
counted and not listed.

Exit code: 0 all proofs hold (and cover the size), 1 some do not, 2 the input cannot be read.")]
pub(crate) struct Verify {
    /// Check also that each program of this size halts or has exactly one proof: columns and rows
    #[arg(long, num_args = 2, value_names = ["W", "H"])]
    pub(crate) covers: Option<Vec<u8>>,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// A file with one proof a line (- is standard input)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}
