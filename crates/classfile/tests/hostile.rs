//! No bytes make the crate panic, hang or take memory out of proportion.
#![allow(clippy::unwrap_used)] // all of this is a test

mod support {
    pub(crate) mod samples;
    #[path = "mod.rs"]
    pub(crate) mod tools;
}

use std::time::{Duration, Instant};

use classfile::fuzz::fuzz_class;
use fastrand::Rng;
use support::{samples, tools};

/// What one class may take in a test build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

fn patiently(what: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let start = Instant::now();
    let written = fuzz_class(bytes);
    assert!(start.elapsed() < PATIENCE, "{what} took {:?}", start.elapsed());
    written
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Rng) {
    for _ in 0..=random.usize(..6) {
        let at = random.usize(..bytes.len());
        let edge = [0, 1, 0x7f, 0x80, 0xff, 0xfe][random.usize(..6)];
        // What shifts everything behind it rarely leaves a class to read, so it is rare.
        match random.usize(..24) {
            3 => bytes.truncate(at.max(1)),
            0 | 6..=12 => bytes[at] ^= 1 << random.usize(..8),
            1 | 13..=18 => bytes[at] = edge,
            2 => bytes[at] = random.u8(..),
            4 => {
                let end = (at + 1 + random.usize(..8)).min(bytes.len());
                bytes.drain(at..end);
                bytes.push(0);
            }
            5 => bytes.insert(at, edge),
            _ => {
                let from = random.usize(..bytes.len());
                let end = (from + random.usize(..12)).min(bytes.len());
                let part = bytes[from..end].to_vec();
                let to = (at + part.len()).min(bytes.len());
                bytes.splice(at..to, part);
            }
        }
    }
}

#[test]
fn every_truncation_of_a_rich_class() {
    for version in [45, 49, 50, 61, 69] {
        let bytes = samples::rich(version);
        assert!(patiently("rich", &bytes).is_some());
        for length in 0..bytes.len() {
            assert!(fuzz_class(&bytes[..length]).is_none(), "{length} of {} bytes", bytes.len());
        }
    }
}

#[test]
fn mutated_classes() {
    let mut seeds: Vec<Vec<u8>> = [45, 49, 50, 61].map(samples::rich).to_vec();
    let mut rounds = 6_000;
    if let Some(jdk) = testing::jdk() {
        let folder =
            tools::extract(&jdk, "regex:/java.base/java/util/(HashMap|Optional|concurrent/F.*).class");
        let found = tools::classes(folder.path());
        seeds.extend(
            found.iter().map(|path| std::fs::read(path).unwrap()).filter(|class| class.len() < 30_000),
        );
        rounds = 12_000;
    }
    if let Some(more) = std::env::var_os("FUZZ_ROUNDS") {
        rounds = more.to_str().unwrap().parse().unwrap();
    }
    let (mut random, mut read) = (Rng::with_seed(0x5eed), 0);
    for round in 0..rounds {
        let mut bytes = seeds[random.usize(..seeds.len())].clone();
        mutate(&mut bytes, &mut random);
        read += usize::from(patiently(&format!("round {round}"), &bytes).is_some());
    }
    eprintln!("{rounds} mutations of {} classes, {read} could be read", seeds.len());
}

fn be(values: impl IntoIterator<Item = u16>) -> Vec<u8> {
    values.into_iter().flat_map(u16::to_be_bytes).collect()
}

#[test]
fn frames_that_multiply() {
    // One frame with 65,000 locals, then 65,000 of one byte that all repeat it.
    let mut frames = be([60_001]);
    frames.push(255);
    frames.extend(be([0, 65_000]));
    frames.extend(vec![1; 65_000]);
    frames.extend(be([0]));
    frames.extend(vec![0; 60_000]);
    let code = [vec![0; 65_000], vec![177]].concat();
    let bytes = samples::with_code(b"()V", &code, &[], &[(b"StackMapTable", frames)]);
    assert!(patiently("frames", &bytes).is_some());
}

#[test]
fn handlers_times_blocks() {
    // 32,000 blocks, all protected by 65,535 handlers.
    let code = [[153, 0, 3].repeat(21_000), vec![177]].concat();
    let handlers: Vec<[u16; 4]> = (0..65_535_u16).map(|row| [0, 63_000, row % 21_000 * 3, row]).collect();
    let bytes = samples::with_code(b"()V", &code, &handlers, &[]);
    assert!(patiently("handlers", &bytes).is_some());
}

#[test]
fn loops_inside_each_other() {
    // 10,000 headers, then 10,000 jumps back, the innermost first.
    let mut code = vec![0; 10_000];
    for depth in 0..10_000_i32 {
        let offset = (10_000 - 1 - depth) - (10_000 + 3 * depth);
        code.push(153);
        code.extend(i16::try_from(offset.max(-32_000)).unwrap().to_be_bytes());
    }
    code.push(177);
    let bytes = samples::with_code(b"()V", &code, &[], &[]);
    assert!(patiently("loops", &bytes).is_some());
}

#[test]
fn jumps_that_push_each_other_out_of_reach() {
    let mut code = Vec::new();
    for _ in 0..10_000 {
        code.extend([167, 0x7f, 0xfe]);
    }
    code.extend(vec![0; 35_000]);
    code.push(177);
    let bytes = samples::with_code(b"()V", &code, &[], &[]);
    assert!(patiently("chain", &bytes).is_some());
}

#[test]
fn long_names_in_every_line() {
    let name = b"x".repeat(65_000);
    let mut class = classfile::class_builder::ClassBuilder::new(61, 0x21, &name, b"O").unwrap();
    for _ in 0..30_000 {
        class.method(0x0401, &name, &name, None, &[]).unwrap();
    }
    assert!(patiently("names", &class.finish()).is_some());
}

#[test]
fn annotations_inside_each_other() {
    // target: the instruction at 0; empty path; annotation with an array of arrays of ...
    let mut table = be([1]);
    table.extend([0x44, 0, 0, 0]);
    table.extend(be([1, 1, 1]));
    table.extend([b'[', 0, 1].repeat(20_000));
    let attribute = (&b"RuntimeVisibleTypeAnnotations"[..], table);
    let bytes = samples::with_code(b"()V", &[177], &[], &[attribute]);
    assert!(patiently("annotations", &bytes).is_some());
}

#[test]
fn a_switch_with_as_many_arms_as_fit() {
    let mut code = vec![3, 170, 0, 0];
    code.extend(16_300_u32.wrapping_mul(4).wrapping_add(15).to_be_bytes());
    code.extend(0_u32.to_be_bytes());
    code.extend(16_299_u32.to_be_bytes());
    for _ in 0..16_300 {
        code.extend((16_300_u32 * 4 + 15).to_be_bytes());
    }
    code.push(177);
    let bytes = samples::with_code(b"()V", &code, &[], &[]);
    assert!(patiently("switch", &bytes).is_some());
}
