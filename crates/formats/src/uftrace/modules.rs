//! `sid-*.map`: which file lay where in the memory of a session, as `/proc/PID/maps` has it.
//!
//! ```text
//! 5573f7064000-5573f7069000 r-xp 00000000 00:00 0    /tmp/sort build-id:fa8835976032c0a8
//! ```

/// A file in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Module {
    pub(super) begin: u64,
    pub(super) end: u64,
    /// Its path.
    pub(super) path: String,
}

impl Module {
    /// The name of the file, which is what its symbols are called by.
    pub(super) fn file(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// The modules of a map, by address. Further lines of a file that is there already lengthen it.
pub(super) fn read(text: &str) -> Vec<Module> {
    let mut modules: Vec<Module> = vec![];
    for line in text.lines() {
        let Some((begin, end, path)) = parts(line) else { continue };
        match modules.last_mut().filter(|last| last.path == path && begin >= last.begin) {
            Some(last) => last.end = last.end.max(end),
            None => modules.push(Module { begin, end, path: path.to_owned() }),
        }
    }
    modules.sort_by_key(|module| module.begin);
    modules
}

fn parts(line: &str) -> Option<(u64, u64, &str)> {
    let (range, rest) = line.split_once(' ')?;
    let (begin, end) = range.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    let path = rest.get(rest.find('/')?..)?;
    let path = path.split(" build-id:").next()?.trim_end();
    Some((number(begin)?, number(end)?, path)).filter(|(begin, end, _)| begin < end)
}

/// The module that has an address.
pub(super) fn find(modules: &[Module], address: u64) -> Option<usize> {
    let at = modules.partition_point(|module| module.begin <= address).checked_sub(1)?;
    modules.get(at).filter(|module| address < module.end).map(|_| at)
}
