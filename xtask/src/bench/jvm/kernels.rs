//! Kernels: how much slower they run under each recorder, off, on and stopped again; how much data that
//! makes.

use std::collections::HashMap;

use serde_json::json;

use super::data;
use super::java::{BLOCKS, CALLS, Jvm, Mode, PATHS, Program};
use super::{Size, geomean, row};
use crate::bench::measure::median;
use crate::bench::table::Table;
use crate::sh::{Outcome, Trouble};

const MODES: [Mode; 5] = [Mode::None, Mode::Paper, CALLS, BLOCKS, PATHS];
/// No kernel may become slower than this in path mode.
const WORST: f64 = 4.0;

/// Milliseconds by kernel and program, in the order of the programs.
type Times = HashMap<String, Vec<f64>>;
/// In the same order, the share of the words that was dropped since the disk or the writer was slower.
type Losses = HashMap<String, Vec<f64>>;

/// Rows for each kernel and for all together.
pub(super) fn run(table: &mut Table, program: &Program, size: Size) -> Outcome {
    let mut all = Vec::new();
    for mode in MODES {
        all.push(Jvm::start(program, mode, &["--paused"])?);
    }
    let names: Vec<String> =
        all[0].ask("list")?.split(' ').map(str::to_owned).filter(|name| !name.is_empty()).collect();
    // Only who has answered can be asked how much was recorded.
    all.iter_mut().try_for_each(|jvm| jvm.ask("list").map(|_| ()))?;
    eprintln!("jvm: {} kernels before recording", names.len());
    let (off, _) = rounds(&mut all, &[Mode::None, PATHS, BLOCKS], &names, size)?;
    all.iter().filter(|jvm| matches!(jvm.mode, Mode::Ours(_))).try_for_each(|jvm| jvm.control("start"))?;
    eprintln!("jvm: kernels while recording");
    let (on, losses) = rounds(&mut all, &MODES, &names, size)?;
    all.iter().filter(|jvm| matches!(jvm.mode, Mode::Ours(_))).try_for_each(|jvm| jvm.control("stop"))?;
    eprintln!("jvm: kernels after recording");
    let (after, _) = rounds(&mut all, &[Mode::None, PATHS, BLOCKS], &names, size)?;
    all.into_iter().try_for_each(Jvm::end)?;
    eprintln!("jvm: what the kernels write");
    let data = names.iter().map(|name| Ok((name, data::of_kernel(program, name)?)));
    let data: HashMap<&String, data::Data> = data.collect::<Result<_, Trouble>>()?;

    let mut ratios: HashMap<Mode, Vec<f64>> = HashMap::new();
    for name in &names {
        let (Some(times), Some(lost), Some(data)) = (on.get(name), losses.get(name), data.get(name)) else {
            continue;
        };
        let ratio: Vec<f64> = times.iter().map(|time| time / times[0]).collect();
        MODES.iter().zip(&ratio).for_each(|(mode, ratio)| ratios.entry(*mode).or_default().push(*ratio));
        // Each run of a kernel records the same blocks.
        let rate = data.blocks_of_one_run / times[4] / 1e3;
        table.push(row(
            &format!("jvm, {name}"),
            format!(
                "paths {:.2}, blocks {:.2}, calls {:.2}; {:.2} bits a block, {:.2} as written, {rate:.0} M blocks/s; \
                 dropped {:.0} %, blocks {:.0} %",
                ratio[4],
                ratio[3],
                ratio[2],
                data.path_bits_on_disk(),
                data.path_bits(),
                lost[4] * 100.0,
                lost[3] * 100.0
            ),
            format!("paper {:.1}; none {:.3} ms", ratio[1], times[0]),
            Some(ratio[4]),
            format!("paths <= {WORST}"),
            Some(ratio[4] <= WORST),
            json!({
                "ms": { "modes": MODES.map(Mode::name), "medians": times },
                "dropped": lost,
                "data": data.json(),
            }),
        ));
    }
    let mean = |mode: Mode| geomean(ratios.get(&mode).map_or(&[][..], Vec::as_slice));
    let target = |what: &str, ours: f64, most: f64| {
        let verdict = Some(ours <= most);
        row(
            what,
            format!("{ours:.2}"),
            "none 1".into(),
            Some(ours),
            format!("<= {most}"),
            verdict,
            json!(ours),
        )
    };
    table.push(target("jvm, kernels, paths, geomean", mean(PATHS), 2.0));
    table.push(target("jvm, kernels, blocks, geomean", mean(BLOCKS), 3.2));
    let (ours, paper) = (mean(BLOCKS) - 1.0, mean(Mode::Paper) - 1.0);
    table.push(row(
        "jvm, kernels, overhead of blocks",
        format!("{:.0} %; calls {:.0} %", ours * 100.0, (mean(CALLS) - 1.0) * 100.0),
        format!("paper {:.0} %", paper * 100.0),
        Some(paper / ours),
        ">= 4 times less".into(),
        Some(paper / ours >= 4.0),
        json!({ "blocks": ours, "paper": paper }),
    ));
    for (what, times) in [("off", off), ("stopped again", after)] {
        for (at, mode) in [(1, "paths"), (2, "blocks")] {
            let ratios: Vec<f64> = times.values().map(|times| times[at] / times[0]).collect();
            let mut shown = target(&format!("jvm, kernels, {mode}, {what}, geomean"), geomean(&ratios), 1.05);
            shown.samples = json!(times);
            table.push(shown);
        }
    }
    let bits: Vec<f64> = data.values().map(data::Data::path_bits).collect();
    let disk: Vec<f64> = data.values().map(data::Data::path_bits_on_disk).collect();
    let bytes: Vec<f64> = data.values().map(data::Data::block_bytes).collect();
    // What is kept is what counts; what a program writes before that is compressed is shown as well.
    table.push(row(
        "jvm, kernels, data a block, paths, geomean",
        format!("{:.2} bits; {:.2} as written", geomean(&disk), geomean(&bits)),
        format!("paper 112; blocks {:.1} as written", geomean(&bytes) * 8.0),
        Some(geomean(&disk) / 112.0),
        "<= 2 bits".into(),
        Some(geomean(&disk) <= 2.0),
        json!({ "bits": bits, "bits_on_disk": disk, "bytes_of_blocks": bytes }),
    ));
    Ok(())
}

/// The middle of what the kernels take in each of these programs, turn by turn, and what was dropped then.
fn rounds(all: &mut [Jvm], modes: &[Mode], names: &[String], size: Size) -> Result<(Times, Losses), Trouble> {
    let (mut times, mut losses) = (Times::new(), Losses::new());
    for name in names {
        let mut samples = vec![Vec::new(); modes.len()];
        let before = records(all, modes)?;
        for round in 0..=size.rounds {
            for (mode, samples) in modes.iter().zip(&mut samples) {
                let Some(jvm) = all.iter_mut().find(|jvm| jvm.mode == *mode) else { continue };
                // The first round warms up: new byte code begins in the interpreter.
                let took = jvm.run(name, if round == 0 { size.warm } else { size.runs })?;
                if round > 0 {
                    samples.extend(took);
                }
                if matches!(mode, Mode::Ours(_)) {
                    jvm.settle()?;
                }
            }
        }
        times.insert(name.clone(), samples.iter().map(|samples| median(samples)).collect());
        let share = |((recorded, lost), (recorded_before, lost_before)): ((f64, f64), (f64, f64))| {
            let lost = lost - lost_before;
            lost / (recorded - recorded_before + lost).max(1.0)
        };
        losses.insert(name.clone(), records(all, modes)?.into_iter().zip(before).map(share).collect());
    }
    Ok((times, losses))
}

/// What each program has kept and dropped so far; nothing where nothing is recorded.
fn records(all: &[Jvm], modes: &[Mode]) -> Result<Vec<(f64, f64)>, Trouble> {
    let of = |mode: &Mode| match all.iter().find(|jvm| jvm.mode == *mode) {
        Some(jvm) if matches!(mode, Mode::Ours(_)) => jvm.records(),
        _ => Ok((0.0, 0.0)),
    };
    modes.iter().map(of).collect()
}
