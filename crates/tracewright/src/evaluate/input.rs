//! The trace that is evaluated on: it is read many times over, by several threads.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use formats::event_lines;
use model::EventSource;

use crate::exit::{Result, Stop};
use crate::input;
use crate::open::open;

/// Event lines that come once are held in memory; a line has about a hundred bytes, and more events than fit are
/// not evaluated.
const MOST_BYTES: u64 = 4 << 30;

/// Something that can be opened again and again.
#[derive(Debug)]
pub(crate) enum Input {
    /// Files; the system keeps them in memory while they are read.
    Path(PathBuf),
    /// Event lines that came by standard input or a FIFO, which come once.
    Lines(Arc<[u8]>),
}

impl Input {
    pub(crate) fn new(path: &Path) -> Result<Input> {
        // Standard input may be a file, too, but is not opened by its name.
        if path.as_os_str() != "-" && (path.is_dir() || path.is_file()) {
            return Ok(Input::Path(path.to_owned()));
        }
        match input::whole(path, MOST_BYTES) {
            Ok(lines) => Ok(Input::Lines(lines.into())),
            Err(error) => Stop::failed(format!("cannot read {}: {error}", path.display())),
        }
    }

    pub(crate) fn open(&self) -> Result<Box<dyn EventSource>> {
        match self {
            Input::Path(path) => open(path),
            Input::Lines(lines) => {
                let size = lines.len() as u64;
                Ok(Box::new(event_lines::Reader::new("stdin", Cursor::new(lines.clone()), size)))
            }
        }
    }
}
