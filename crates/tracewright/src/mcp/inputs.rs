//! The inputs that were named at the start: nothing else is ever opened.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::escape::plain;

/// Longest piece of a path that is shown.
const SHOWN: usize = 200;

/// Most inputs that are listed in a sentence.
const LISTED: usize = 20;

#[derive(Debug, Clone)]
pub(super) struct Inputs {
    paths: Vec<PathBuf>,
    /// Folders and archives with source text.
    sources: Vec<PathBuf>,
    /// Where new recordings go, if recording is allowed. Each is an input, too, by its name.
    recordings: Option<PathBuf>,
}

impl Inputs {
    pub(super) fn new(
        paths: &[PathBuf],
        sources: &[PathBuf],
        recordings: Option<PathBuf>,
    ) -> Result<Inputs, String> {
        if let Some(folder) = &recordings {
            std::fs::create_dir_all(folder)
                .map_err(|error| format!("cannot record into {}: {error}", folder.display()))?;
        }
        for path in paths {
            if path.as_os_str() == "-" {
                return Err("- cannot be an input: standard input is where the client speaks".into());
            }
            if let Err(error) = path.metadata() {
                return Err(format!("cannot open {}: {error}", path.display()));
            }
        }
        Ok(Inputs { paths: paths.to_vec(), sources: sources.to_vec(), recordings })
    }

    pub(super) fn sources(&self) -> &[PathBuf] {
        &self.sources
    }

    pub(super) fn recordings(&self) -> Option<&Path> {
        self.recordings.as_deref()
    }

    /// A recording that was made here, by its name.
    fn recorded(&self, name: &str) -> Option<PathBuf> {
        let stem = name.strip_suffix(".capture")?;
        let is_plain = stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let path = self.recordings()?.join(name);
        (is_plain && path.symlink_metadata().is_ok_and(|about| about.is_dir())).then_some(path)
    }

    /// The input with that number or path, as it was given; without either the only one.
    pub(super) fn find(&self, asked: Option<&Value>) -> Result<PathBuf, String> {
        let found = match asked {
            None | Some(Value::Null) => (self.paths.len() == 1).then(|| self.paths[0].clone()),
            Some(Value::Number(number)) => self.at(number.as_u64()).cloned(),
            // Some clients make text of numbers.
            Some(Value::String(text)) => {
                let same = self.paths.iter().find(|path| path.as_os_str() == text.as_str());
                same.or_else(|| self.at(text.parse().ok())).cloned().or_else(|| self.recorded(text))
            }
            Some(_) => None,
        };
        found.ok_or_else(|| match asked {
            None | Some(Value::Null) => format!("say which input: {}", self.listed()),
            Some(_) => format!("no such input; there are {}", self.listed()),
        })
    }

    fn at(&self, number: Option<u64>) -> Option<&PathBuf> {
        self.paths.get(usize::try_from(number?).ok()?.checked_sub(1)?)
    }

    /// `1 = a.capture, 2 = trace/`.
    pub(super) fn listed(&self) -> String {
        let each = self.paths.iter().take(LISTED).enumerate().map(|(at, path)| {
            let path = path.display().to_string();
            let shown: String = plain(&path).chars().take(SHOWN).collect();
            format!("{} = {shown}", at + 1)
        });
        let mut all = each.collect::<Vec<_>>().join(", ");
        if self.paths.len() > LISTED {
            all.push_str(&format!(", and so on to {}", self.paths.len()));
        }
        if self.recordings.is_some() {
            all.push_str(if all.is_empty() {
                "what is recorded, as NAME.capture"
            } else {
                ", and what is recorded, as NAME.capture"
            });
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_was_named_is_found() {
        let inputs = Inputs { paths: vec!["a".into(), "dir/b".into()], sources: vec![], recordings: None };
        let find = |asked: Value| inputs.find(Some(&asked)).ok();
        assert_eq!(find(json!(2)), Some("dir/b".into()));
        assert_eq!(find(json!("2")), Some("dir/b".into()));
        assert_eq!(find(json!("a")), Some("a".into()));
        for asked in [
            json!(0),
            json!(3),
            json!(-1),
            json!(1.5),
            json!("../a"),
            json!("b"),
            json!("./a"),
            json!([1]),
            json!(true),
        ] {
            assert_eq!(find(asked.clone()), None, "{asked}");
        }
        assert!(inputs.find(None).is_err());
    }
}
