//! Counts the events of a CTF trace by name, and times it: `read_ctf FOLDER [--quiet]`.
//!
//! It walks the folder with `std::fs`, as the library opens no files.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use formats::ctf::Reader;
use model::{Edge, EventSource, Item, Lost};
use source::{NamedSource, Source};

struct OnDisk {
    file: File,
    size: u64,
}

impl Source for OnDisk {
    fn size(&self) -> u64 {
        self.size
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.file.read_at(buffer, offset)
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<NamedSource>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
        } else {
            let file = File::open(entry.path())?;
            let size = file.metadata()?.len();
            files.push(NamedSource { name, source: Box::new(OnDisk { file, size }) });
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: read_ctf FOLDER [--quiet]")?;
    let quiet = std::env::args().any(|argument| argument == "--quiet");
    let start = Instant::now();
    let mut files = Vec::new();
    collect(Path::new(&folder), "", &mut files)?;
    let mut reader = Reader::open(files)?;
    let opened = start.elapsed();
    let mut counts: Vec<u64> = Vec::new();
    let (mut lost, mut gaps) = (0, 0u64);
    while let Some(item) = reader.next_item() {
        match item {
            Item::Event(event) => {
                let index = event.symbol.0 as usize;
                if counts.len() <= index {
                    counts.resize(index + 1, 0);
                }
                if let Some(count) = counts.get_mut(index) {
                    *count += 1;
                }
            }
            Item::Gap(gap) if gap.edge == Edge::Start => {
                gaps += 1;
                if let Lost::Events(count) = gap.lost {
                    lost += count;
                }
            }
            Item::Gap(_) => {}
        }
    }
    let elapsed = start.elapsed();
    if !quiet {
        let by_name: BTreeMap<&str, u64> = reader.alphabet().names().zip(counts.iter().copied()).collect();
        for (name, count) in by_name {
            println!("{count:>9} {name}");
        }
        for diagnostic in reader.diagnostics() {
            println!("{} {:?}: {}", diagnostic.code, diagnostic.location, diagnostic.sentence);
        }
    }
    let events: u64 = counts.iter().sum();
    println!("{events} events, {lost} lost in {gaps} gaps; opened in {opened:?}, all in {elapsed:?}");
    Ok(())
}
