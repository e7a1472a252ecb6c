//! What the command line prints: programs, verdicts, checks and totals, as text and as JSON.

use crate::Grid;
use crate::blocks::canonical::Canonical;
use crate::blocks::{Block, Graph, graph_text};
use crate::draw;
use crate::proof::{Certificate, Decision, Kind, Verdict, check};
use crate::search::totals::Totals;
use crate::search::{Estimate, Figure, Mode, Plan};
use crate::spec::cells_text;
use serde_json::{Map, Value, json};

/// A program as JSON: `program`, `width`, `height`, `cells` (rows from top to bottom), `blocks` and
/// `canonical` (texts), and the steps of both, where -1 is endless.
pub fn program_json(grid: &Grid) -> Value {
    let graph = Graph::of(grid);
    let canonical = Canonical::of(&graph);
    json!({
        "program": grid.to_string(),
        "width": grid.width(),
        "height": grid.height(),
        "cells": cells_text(grid),
        "blocks": graph_text(&graph),
        "block_steps": graph.blocks().map(|(_, block)| steps_of(block)).collect::<Vec<_>>(),
        "canonical": canonical.text(),
        "canonical_steps": canonical.steps.iter().map(|steps| steps.map_or(-1, i64::from)).collect::<Vec<_>>(),
    })
}

/// A program as text: its name, its cells, its blocks.
pub fn program_text(grid: &Grid) -> String {
    let graph = Graph::of(grid);
    let steps: Vec<String> = graph.blocks().map(|(_, block)| steps_of(block).to_string()).collect();
    format!(
        "{grid}  {} by {}\n\n{}\nblocks     {}\nsteps      {}\ncanonical  {}\n",
        grid.width(),
        grid.height(),
        draw::program_text(grid),
        graph_text(&graph),
        steps.join(" "),
        Canonical::of(&graph).text(),
    )
}

fn steps_of(block: Block) -> i64 {
    match block {
        Block::Work { steps, .. } | Block::Exit { steps } => steps.into(),
        Block::Open { .. } => 0,
        Block::Hang => -1,
    }
}

/// What the checker says of a certificate, as JSON: `program`, `valid`, `reason` (null if valid).
pub fn check_json(certificate: &Certificate) -> Value {
    let refusal = check(certificate).err().map(|refusal| refusal.to_string());
    json!({ "program": certificate.program, "valid": refusal.is_none(), "reason": refusal })
}

/// What the checker says of a certificate, in a sentence.
pub fn check_text(certificate: &Certificate) -> String {
    match check(certificate) {
        Ok(()) => format!("{} never halts: {}", certificate.program, certificate.sentence()),
        Err(refusal) => format!("{}: this is no proof: {refusal}", certificate.program),
    }
}

/// A verdict as JSON: `program`, `result` (`halted`, `hangs` or `undecided`), `steps`, `hang` (the
/// kind, or null), `certificate` (or null); and `open` (column and row, from 0 at the bottom left)
/// where the program met a cell that is not chosen.
pub fn verdict_json(grid: &Grid, verdict: &Verdict) -> Value {
    let (result, hang) = match &verdict.decision {
        Decision::Halts => ("halted", None),
        Decision::Hangs(hang) => ("hangs", Some(hang)),
        Decision::Open { .. } | Decision::Undecided => ("undecided", None),
    };
    let mut value = json!({
        "program": grid.to_string(),
        "result": result,
        "steps": verdict.steps,
        "hang": hang.map(|hang| hang.kind.name()),
        "certificate": hang.map(|hang| &hang.certificate),
    });
    if let (Decision::Open { column, row }, Some(object)) = (&verdict.decision, value.as_object_mut()) {
        object.insert("open".into(), json!([column, row]));
    }
    value
}

/// A verdict in a sentence.
pub fn verdict_text(grid: &Grid, verdict: &Verdict) -> String {
    let steps = verdict.steps;
    match &verdict.decision {
        Decision::Halts => format!("{grid} halts after {steps} steps"),
        Decision::Hangs(hang) => {
            let reason = hang.certificate.sentence();
            format!("{grid} never halts ({}): {reason}", hang.kind.name())
        }
        Decision::Open { column, row } => {
            format!("{grid} meets the open cell in column {column} of row {row} after {steps} steps")
        }
        Decision::Undecided => format!("{grid} is undecided after {steps} steps"),
    }
}

/// The totals of a search as JSON.
pub fn totals_json(plan: &Plan, totals: &Totals) -> Value {
    let mut kinds: Map<String, Value> =
        Kind::ALL.iter().map(|&kind| (kind.name().into(), count(totals, kind).into())).collect();
    kinds.insert("UNDETECTED".into(), totals.undecided.len().into());
    json!({
        "width": plan.width,
        "height": plan.height,
        "mode": mode(plan),
        "total": totals.total(),
        "success": totals.success,
        "hangs_detected": totals.hanging(),
        "undecided": totals.undecided.len(),
        "max_steps": totals.max_steps,
        "best_program": totals.best_program,
        "hangs_by_kind": kinds,
        "run_lengths": totals.run_lengths,
        "undecided_programs": totals.undecided,
    })
}

/// The totals of a search as text.
pub fn totals_text(plan: &Plan, totals: &Totals) -> String {
    let mut out = format!(
        "{} by {} ({}): {} programs\n  {:>12} halt, the longest after {} steps: {}\n  {:>12} hang\n",
        plan.width,
        plan.height,
        mode(plan),
        totals.total(),
        totals.success,
        totals.max_steps,
        if totals.best_program.is_empty() { "-" } else { &totals.best_program },
        totals.hanging(),
    );
    for kind in Kind::ALL.into_iter().filter(|&kind| count(totals, kind) > 0) {
        out += &format!("  {:>16} {}\n", count(totals, kind), kind.name());
    }
    out += &format!("  {:>12} undecided\n", totals.undecided.len());
    for program in &totals.undecided {
        out += &format!("               {program}\n");
    }
    out += "  steps of those that halt\n";
    for (class, count) in totals.run_lengths.iter().enumerate().filter(|(_, count)| **count > 0) {
        out += &format!("  {:>12} to {:<6} {count}\n", 1_u64 << class, (2_u64 << class) - 1);
    }
    out
}

/// An estimate of a search as JSON: each figure as `total` and `error`, its standard error.
pub fn estimate_json(plan: &Plan, estimate: &Estimate) -> Value {
    let mut value = json!({ "width": plan.width, "height": plan.height, "mode": mode(plan), "max_steps": plan.max_steps });
    if let (Some(object), Ok(Value::Object(figures))) =
        (value.as_object_mut(), serde_json::to_value(estimate))
    {
        object.extend(figures);
    }
    value
}

/// An estimate of a search as text.
pub fn estimate_text(plan: &Plan, estimate: &Estimate) -> String {
    let mut out = format!(
        "{} by {} ({}), estimated from {} programs in {} parts\n",
        plan.width,
        plan.height,
        mode(plan),
        estimate.searched,
        estimate.probes
    );
    let mut line = |figure: Figure, what: &str| {
        let error = if figure.total > 0.0 { 100.0 * figure.error / figure.total } else { 0.0 };
        out += &format!("  {:>10.2e} ± {error:>4.1} % {what}\n", figure.total);
    };
    line(estimate.programs, "programs");
    line(estimate.halt, "halt");
    line(estimate.hang, "hang");
    line(estimate.undecided, &format!("undecided after {} steps", plan.max_steps));
    if let Some(bytes) = estimate.certificate_bytes {
        let each = if estimate.hang.total > 0.0 { bytes.total / estimate.hang.total } else { 0.0 };
        line(bytes, &format!("bytes of certificates, {each:.1} each"));
    }
    let hours = estimate.seconds.total / 3600.0;
    line(estimate.seconds, &format!("seconds of a processor: {hours:.3} hours"));
    out
}

fn mode(plan: &Plan) -> &'static str {
    match plan.mode {
        Mode::Orchestrated => "orch",
        Mode::Plain => "plain",
    }
}

fn count(totals: &Totals, kind: Kind) -> u64 {
    totals.hangs.get(&kind).copied().unwrap_or(0)
}
