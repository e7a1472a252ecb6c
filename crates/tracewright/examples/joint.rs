//! How far the joint engine can be trusted: deletes events from an intact trace, infers them, and
//! counts what is right. `joint FOLDER [CASES [KIND]]` walks the folder with `std::fs`.
//!
//! A switch is right if CPU, both threads and the time are right; a call if name, CPU and time are.

use std::collections::HashSet;
use std::error::Error;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use analyses::machines::joint::{Guess, Inferred, Joint, Keep};
use formats::ctf::Reader;
use formats::source::{NamedSource, Source};
use model::{Alphabet, EventSource, Item};

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

fn open(folder: &Path) -> Result<Reader, Box<dyn Error>> {
    let mut files = Vec::new();
    collect(folder, "", &mut files)?;
    Ok(Reader::open(files)?)
}

/// An event that can be deleted.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    place: (u32, u64),
    time: i64,
    cpu: u32,
    name: String,
    threads: Option<(i64, i64)>,
}

fn known(folder: &Path, alphabet: &Alphabet) -> Result<Vec<Known>, Box<dyn Error>> {
    let mut reader = open(folder)?;
    let mut list = Vec::new();
    while let Some(item) = reader.next_item() {
        let Item::Event(event) = item else { continue };
        let (Some(time), Some(cpu)) = (event.time, event.cpu) else { continue };
        let name = alphabet.name(event.symbol).to_owned();
        let number = |name| event.fields.get(name).and_then(|value| value.as_i64());
        let threads = (name == "sched_switch").then(|| number("prev_tid").zip(number("next_tid"))).flatten();
        if threads.is_some() || name.starts_with("syscall_") {
            let place = (event.stream.0, event.seq);
            list.push(Known { place, time: time.0, cpu, name, threads });
        }
    }
    Ok(list)
}

fn infer(folder: &Path, alphabet: &Alphabet, without: &HashSet<(u32, u64)>) -> Result<Joint, Box<dyn Error>> {
    let mut reader = open(folder)?;
    let model = include_bytes!("../models/kernel.xml");
    let mut model = formats::pattern_xml::read("kernel.xml", model).map_err(|found| format!("{found:?}"))?;
    let mut joint = Joint::new(model.patterns.swap_remove(0), Keep::default()).map_err(|unfit| unfit.sentence)?;
    let mut cpus: Vec<Option<u32>> = Vec::new();
    while let Some(item) = reader.next_item() {
        match item {
            Item::Event(event) if !without.is_empty() && without.contains(&(event.stream.0, event.seq)) => {}
            Item::Event(event) => {
                let stream = event.stream.0 as usize;
                cpus.resize(cpus.len().max(stream + 1), None);
                if let Some(place) = cpus.get_mut(stream) {
                    *place = event.cpu;
                }
                joint.observe(&event, alphabet.name(event.symbol));
            }
            Item::Gap(gap) => joint.lose(&gap, cpus.get(gap.stream.0 as usize).copied().flatten()),
        }
    }
    joint.finish();
    Ok(joint)
}

fn number(event: &Inferred, name: &str) -> Option<i64> {
    event.fields.iter().find(|field| field.name == name).and_then(|field| match field.value {
        Guess::Number(number) => Some(number),
        _ => None,
    })
}

fn is_right(event: &Inferred, known: &Known) -> bool {
    event.name == known.name
        && event.cpu == Some(known.cpu)
        && (event.from.0..=event.to.0).contains(&known.time)
        && known.threads.is_none_or(|(prev, next)| {
            number(event, "prev_tid") == Some(prev) && number(event, "next_tid") == Some(next)
        })
}

fn show(event: &Inferred) -> String {
    let fields: Vec<String> = event
        .fields
        .iter()
        .filter(|field| field.name.ends_with("tid") || field.name == "prev_state")
        .map(|field| format!("{}={:?}", field.name, field.value))
        .collect();
    format!(
        "[{} .. {}] cpu {:?} {} {} p={:.3}",
        event.from.0,
        event.to.0,
        event.cpu,
        event.name,
        fields.join(" "),
        event.probability
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: joint FOLDER [CASES [KIND]]")?;
    let folder = Path::new(&folder);
    let cases: usize = std::env::args().nth(2).map_or(Ok(0), |text| text.parse())?;
    let only: Option<String> = std::env::args().nth(3);
    let best = |work: &dyn Fn()| {
        let mut times: Vec<_> = (0..7)
            .map(|_| {
                let start = Instant::now();
                work();
                start.elapsed()
            })
            .collect();
        times.sort();
        times.first().copied().unwrap_or_default()
    };
    let reading = best(&|| {
        if let Ok(mut reader) = open(folder) {
            while reader.next_item().is_some() {}
        }
    });
    // Names may come while reading; the first pass learns them all.
    let mut reader = open(folder)?;
    while reader.next_item().is_some() {}
    let alphabet = reader.alphabet().clone();
    let inferring = best(&|| drop(infer(folder, &alphabet, &HashSet::new())));
    println!("reading {reading:?}, reading and inferring {inferring:?}");
    let intact = infer(folder, &alphabet, &HashSet::new())?;
    println!(
        "{} events, {} incoherences, {} inferred, {} stretches not explained",
        intact.events(),
        intact.incoherences().len(),
        intact.inferred().len(),
        intact.unexplained()
    );
    for incoherence in intact.incoherences().iter().take(12) {
        println!("  {} {} {}", incoherence.time.0, incoherence.sentence, incoherence.is_explained);
    }
    for event in intact.inferred().iter().take(12) {
        println!("  {}\n      {}", show(event), event.reason);
    }
    let outside = intact.inferred().iter().filter(|event| event.window.is_none()).count();
    println!("{outside} inferred outside declared windows");
    for window in intact.windows() {
        println!("  window {:?}", window);
    }
    if cases == 0 {
        return Ok(());
    }
    let list = known(folder, &alphabet)?;
    println!("kind             deleted inferred right  precision recall  unexplained  only-way wrong");
    for (kind, count) in [
        ("sched_switch", 1),
        ("sched_switch", 2),
        ("sched_switch", 5),
        ("sched_switch", 15),
        ("syscall", 1),
        ("syscall", 3),
    ] {
        if only.as_ref().is_some_and(|only| *only != format!("{kind}{count}")) {
            continue;
        }
        let kinds: Vec<&Known> = list.iter().filter(|known| known.name.starts_with(kind)).collect();
        let mut random = 0x9E37_79B9_7F4A_7C15u64 ^ count as u64;
        let (mut deleted, mut inferred, mut right, mut unexplained, mut wrong_sure) = (0, 0, 0, 0, 0);
        let mut bins = [(0u32, 0u32, 0f64); 5];
        let (mut widths, mut state_right, mut shown) = (Vec::new(), 0, 0);
        for _ in 0..cases {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let Some(first) = kinds.get((random >> 33) as usize % kinds.len()) else { continue };
            let gone: Vec<&Known> = kinds
                .iter()
                .filter(|known| known.cpu == first.cpu && known.place.1 >= first.place.1)
                .take(count)
                .copied()
                .collect();
            let joint = infer(folder, &alphabet, &gone.iter().map(|known| known.place).collect())?;
            deleted += gone.len();
            unexplained += joint.unexplained();
            let mut open: Vec<&Known> = gone.clone();
            let mut all_right = true;
            for event in joint.inferred() {
                if intact.inferred().contains(event) {
                    continue;
                }
                inferred += 1;
                let hit = open.iter().position(|known| is_right(event, known));
                if let Some(hit) = hit {
                    open.remove(hit);
                    right += 1;
                    widths.push(event.to.0 - event.from.0);
                    state_right += 1;
                } else {
                    all_right = false;
                    wrong_sure += u32::from(event.certainty == model::Certainty::OnlyWay);
                }
                let bin = ((event.probability * 5.0) as usize).min(4);
                if let Some(bin) = bins.get_mut(bin) {
                    *bin = (bin.0 + 1, bin.1 + u32::from(hit.is_some()), bin.2 + event.probability);
                }
            }
            if (!open.is_empty() || !all_right) && shown < 6 && std::env::var_os("SHOW").is_some() {
                shown += 1;
                println!("  deleted:");
                gone.iter().for_each(|known| println!("     {known:?}"));
                joint
                    .inferred()
                    .iter()
                    .for_each(|event| println!("   got {}  {}", show(event), event.reason));
                joint
                    .incoherences()
                    .iter()
                    .for_each(|incoherence| println!("   inc {}", incoherence.sentence));
            }
        }
        widths.sort_unstable();
        let share = |of: usize, all: usize| 100.0 * of as f64 / all.max(1) as f64;
        println!(
            "{:<14} {count:>2} {deleted:>6} {inferred:>8} {right:>6}    {:>6.1} {:>6.1}   {unexplained:>8}   {wrong_sure:>6}   median width {} ns",
            kind,
            share(right, inferred),
            share(right, deleted),
            widths.get(widths.len() / 2).copied().unwrap_or(0)
        );
        let _ = state_right;
        for (all, hits, sum) in bins.iter().filter(|bin| bin.0 > 0) {
            println!(
                "      said {:.3}, was {:.3} ({all})",
                sum / f64::from(*all),
                f64::from(*hits) / f64::from(*all)
            );
        }
    }
    Ok(())
}
