//! What can be typed after `values`.

use std::path::PathBuf;

use clap::Args;

/// List with which arguments recorded methods were called and what came of it, of those that --values named
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright values shop.capture
  tracewright values shop.capture --method Cart.add --each
  tracewright values shop.capture --failed --each
  tracewright values shop.capture --search SKU-17 --each --json

Values are kept only of methods that were named when recording: `record --values 'shop.Cart.*'`, and `attach` and `start` \
alike. Of an object its class and identity are shown, `shop.Cart@1b2c3d`, and of arrays and collections of the JDK how many elements they have; \
of a string its first 200 letters. No code of the program was run to find out.

Arguments have names where the program was compiled with them (javac -g or -parameters).

Exit code: 0 done, 1 done but the recording is damaged or records were lost, 2 it could not be read.")]
pub(crate) struct Values {
    /// A capture of a Java program
    #[arg(value_name = "CAPTURE")]
    pub(crate) capture: PathBuf,
    /// Only methods of such a name: add, Cart.add, 'shop.Cart.*', 'Cart.add(int)'; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) method: Vec<String>,
    /// Only threads with such a name or number; `*` and `?` stand for any text and character; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) thread: Vec<String>,
    /// Only calls in whose values this text is
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    /// Only calls that an exception left
    #[arg(long)]
    pub(crate) failed: bool,
    /// List each call by itself, in order
    #[arg(long)]
    pub(crate) each: bool,
    /// Maximum number of calls to list, and of different values of an argument
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print one JSON object with each call by itself
    #[arg(long)]
    pub(crate) json: bool,
    /// Exit with 0 although the recording is damaged or records were lost
    #[arg(long)]
    pub(crate) allow_loss: bool,
}
