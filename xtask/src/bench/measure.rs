//! How things are measured: medians, and two programs turn by turn.

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::sh::{Outcome, Trouble};

/// The middle one; of an even number the lower of the two in the middle.
pub(crate) fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

/// The middle one of the ratios of neighbours: what else the machine does hits both sides of each.
pub(crate) fn median_ratio(ours: &[f64], peer: &[f64]) -> f64 {
    let ratios: Vec<f64> = ours.iter().zip(peer).map(|(ours, peer)| ours / peer).collect();
    median(&ratios)
}

/// Seconds that each of `times` runs of `work` took. What it returns is made up anew each time and
/// dropped outside the measured time.
pub(crate) fn seconds<T>(times: usize, mut work: impl FnMut() -> T) -> Vec<f64> {
    (0..times)
        .map(|_| {
            let start = Instant::now();
            let result = black_box(work());
            let took = start.elapsed();
            drop(result);
            took.as_secs_f64()
        })
        .collect()
}

/// A whole process, from start to end, its output thrown away.
pub(crate) struct Process<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: Vec<&'a str>,
    /// Exit codes that mean that the work was done.
    pub(crate) good: &'a [i32],
}

impl Process<'_> {
    fn once(&self) -> Result<Duration, Trouble> {
        let mut command = Command::new(self.program);
        command.args(&self.arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        let status = command.status();
        let took = start.elapsed();
        let line = format!("{} {}", self.program.display(), self.arguments.join(" "));
        match status {
            Ok(status) if status.code().is_some_and(|code| self.good.contains(&code)) => Ok(took),
            Ok(status) => Err(Trouble::Wrong(format!("`{line}` ended with {status}"))),
            Err(error) => Err(Trouble::CannotDo(format!("`{line}`: {error}"))),
        }
    }
}

impl Process<'_> {
    /// How many lines it prints: a reader that prints too few events is not fast but wrong.
    pub(crate) fn lines(&self) -> u64 {
        let mut command = Command::new(self.program);
        command.args(&self.arguments).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().map(|output| output.stdout).unwrap_or_default();
        output.iter().filter(|byte| **byte == b'\n').count() as u64
    }

    /// The most memory that it held at once, in MiB, as Linux reports while it runs; 0 elsewhere.
    pub(crate) fn peak_mib(&self) -> f64 {
        let mut command = Command::new(self.program);
        command.args(&self.arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else { return 0.0 };
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0.0_f64;
        while matches!(child.try_wait(), Ok(None)) {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
            peak = peak.max(kib.unwrap_or(0.0) / 1024.0);
            std::thread::sleep(Duration::from_micros(500));
        }
        peak
    }
}

/// Two processes turn by turn, A B A B, so that whatever else the machine does hits both.
#[derive(Default)]
pub(crate) struct Duel {
    pub(crate) ours: Vec<f64>,
    pub(crate) peer: Vec<f64>,
}

impl Duel {
    /// One round that is not counted (it fills the page cache), then `rounds` that are.
    pub(crate) fn fight(ours: &Process<'_>, peer: &Process<'_>, rounds: usize) -> Result<Duel, Trouble> {
        let mut duel = Duel::default();
        ours.once()?;
        peer.once()?;
        for _ in 0..rounds {
            duel.ours.push(ours.once()?.as_secs_f64());
            duel.peer.push(peer.once()?.as_secs_f64());
        }
        Ok(duel)
    }

    /// The same against something that is done in this process.
    pub(crate) fn against<T>(
        ours: &Process<'_>,
        rounds: usize,
        mut peer: impl FnMut() -> Result<T, Trouble>,
    ) -> Result<Duel, Trouble> {
        let mut duel = Duel::default();
        ours.once()?;
        peer()?;
        for _ in 0..rounds {
            duel.ours.push(ours.once()?.as_secs_f64());
            let start = Instant::now();
            black_box(peer()?);
            duel.peer.push(start.elapsed().as_secs_f64());
        }
        Ok(duel)
    }

    /// How many times faster we are: the median of the ratios of neighbours.
    pub(crate) fn ratio(&self) -> f64 {
        median_ratio(&self.peer, &self.ours)
    }
}

/// Runs a process once for its effect.
pub(crate) fn must_run(program: &str, arguments: &[&str]) -> Outcome {
    Process { program: Path::new(program), arguments: arguments.to_vec(), good: &[0] }.once().map(|_| ())
}
