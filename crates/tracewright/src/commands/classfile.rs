//! `tracewright classfile`: the blocks, edges and loops of the methods of a Java class.

use classfile::{ClassFile, listing};

use crate::cli;
use crate::escape::lines;
use crate::exit::{Outcome, Result, Stop};
use crate::input;
use crate::output::Output;

/// The largest class file that is read, in bytes. The format has no larger ones in practice: a
/// method has at most 65,535 bytes and a class at most 65,535 constants.
const LARGEST: u64 = 256 << 20;

pub(crate) fn run(options: &cli::Classfile) -> Result<Outcome> {
    let shown = options.file.display();
    let bytes = input::whole(&options.file, LARGEST)
        .or_else(|error| Stop::failed(format!("cannot read {shown}: {error}")))?;
    let class = ClassFile::parse(&bytes);
    let class = class.or_else(|error| Stop::failed(format!("{shown} is no Java class: {error}")))?;
    let mut output = Output { buffer: lines(&listing::class(&class)).into_bytes() };
    output.flush()?;
    Ok(Outcome::Complete)
}
