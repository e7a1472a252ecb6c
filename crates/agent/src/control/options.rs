//! The options that the agent gets when it is loaded, and on its control socket.
//!
//! They are pairs as [`formats::control_text`] draws them, split by commas when the agent is loaded and by spaces in a
//! line of the socket.

use std::path::PathBuf;

use capture::Encoding;
use capture::records::WhenFull;
use classfile::filters::Pattern;
pub(crate) use formats::control_text::encode;

use crate::classes::wanted::Wanted;

/// How to record.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choices {
    pub(crate) dir: Option<PathBuf>,
    pub(crate) wanted: Wanted,
    /// Of the calls of the methods that [`Wanted::inside`] names, one in so many is recorded.
    pub(crate) one_in: u64,
    /// Processor time that recording may add to the program's own, in percent of that; methods are throttled until it does.
    pub(crate) budget: Option<u32>,
    /// No recording of this process may keep any.
    pub(crate) forbids_values: bool,
    pub(crate) when_full: WhenFull,
    /// Whether calls have times, see `clock.rs`.
    pub(crate) has_clock: bool,
    /// Stop after so many seconds.
    pub(crate) seconds: Option<f64>,
    /// Stop when the capture has so many bytes.
    pub(crate) bytes: Option<u64>,
    /// Where classes are kept that earlier runs prepared, see `classes/cache.rs`.
    pub(crate) cache: Option<PathBuf>,
    /// Other processes are given the same folder: the next free one is taken.
    pub(crate) many: bool,
    /// Report on standard error when a recording ends unexpectedly.
    pub(crate) reports: bool,
    /// The file to which the number of the process goes, as a line, when the recorder was loaded.
    pub(crate) loaded: Option<PathBuf>,
    /// Do not begin yet.
    pub(crate) is_paused: bool,
    /// Where the control socket is to be.
    pub(crate) control: Option<PathBuf>,
    /// Listen on this port of the loopback address too.
    pub(crate) port: Option<u16>,
    /// The file with the token that a client has to send there first. In a file, since the options of
    /// a process can be seen by everybody.
    pub(crate) token_file: Option<PathBuf>,
    /// The text of a mark.
    pub(crate) text: Option<String>,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            dir: None,
            wanted: Wanted::default(),
            one_in: 1,
            budget: None,
            forbids_values: false,
            when_full: WhenFull::Bounded,
            has_clock: true,
            seconds: None,
            bytes: None,
            cache: None,
            many: false,
            reports: false,
            loaded: None,
            is_paused: false,
            control: None,
            port: None,
            token_file: None,
            text: None,
        }
    }
}

impl Choices {
    /// Adds these pairs. A key that is not known is an error: a misspelt filter must not
    /// record what it was meant to leave out.
    pub(crate) fn add<'a>(&mut self, pairs: impl Iterator<Item = &'a str>) -> Result<(), String> {
        for pair in formats::control_text::pairs(pairs) {
            let (key, value) = pair?;
            let wrong = || format!("{key} cannot be {value:?}");
            match key {
                "dir" => self.dir = Some(PathBuf::from(&value)),
                "include" => self.wanted.filters.include.push(Pattern::new(&value)),
                "exclude" => self.wanted.filters.exclude.push(Pattern::new(&value)),
                "values" => self.wanted.values.push(Pattern::new(&value)),
                "inside" => self.wanted.inside.push(Pattern::new(&value)),
                "one-in" => {
                    self.one_in = value.parse().ok().filter(|&count| count > 0).ok_or_else(wrong)?;
                }
                "budget" => {
                    let percent = value.parse().ok().filter(|&percent| percent > 0).ok_or_else(wrong)?;
                    (self.budget, self.wanted.throttles) = (Some(percent), true);
                }
                "tasks" => self.wanted.tasks = value == "1",
                "no-values" => self.forbids_values = value == "1",
                "generated" => self.wanted.filters.generated = value == "1",
                "mode" => self.wanted.encoding = encoding(&value).ok_or_else(wrong)?,
                "when-full" => self.when_full = when_full(&value).ok_or_else(wrong)?,
                "clock" => self.has_clock = value == "1",
                "for" => self.seconds = Some(seconds(&value).ok_or_else(wrong)?),
                "size" => self.bytes = Some(value.parse().map_err(|_| wrong())?),
                "class-cache" => self.cache = Some(PathBuf::from(&value)),
                "many" => self.many = value == "1",
                "tells" => self.reports = value == "1",
                "loaded" => self.loaded = Some(PathBuf::from(&value)),
                "paused" => self.is_paused = value == "1",
                "control" => self.control = Some(PathBuf::from(&value)),
                "port" => self.port = Some(value.parse().map_err(|_| wrong())?),
                "token-file" => self.token_file = Some(PathBuf::from(&value)),
                "text" => self.text = Some(value),
                _ => return Err(format!("there is no option {key:?}")),
            }
        }
        Ok(())
    }
}

fn encoding(name: &str) -> Option<Encoding> {
    [Encoding::Blocks, Encoding::Paths, Encoding::Calls].into_iter().find(|known| known.name() == name)
}

fn when_full(name: &str) -> Option<WhenFull> {
    match name {
        "drop" => Some(WhenFull::Drop),
        "wait" => Some(WhenFull::Wait),
        "bounded" => Some(WhenFull::Bounded),
        _ => None,
    }
}

fn seconds(text: &str) -> Option<f64> {
    text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_and_nonsense_is_refused() {
        let mut choices = Choices::default();
        choices.add("dir=/tmp/a%20b,include=shop.*,for=1.5,mode=calls".split(',')).unwrap();
        assert_eq!(choices.dir, Some(PathBuf::from("/tmp/a b")));
        assert_eq!((choices.seconds, choices.wanted.encoding), (Some(1.5), Encoding::Calls));
        assert_eq!(choices.wanted.filters.include, [Pattern::new("shop.*")]);
        for bad in [
            "dir",
            "dri=/tmp",
            "dir=%2",
            "dir=%ff",
            "for=0",
            "for=nan",
            "size=-1",
            "mode=",
            "port=70000",
            "budget=0",
        ] {
            assert!(Choices::default().add([bad].into_iter()).is_err(), "{bad}");
        }
    }
}
