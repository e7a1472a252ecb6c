//! A run as a picture: the tape over time, one line for each moment.

use crate::Grid;
use crate::blocks::Graph;
use crate::run::Walk;
use std::fmt::Write;

/// Some moments of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Film {
    /// Position of the first cell of every frame.
    pub first: i64,
    /// Steps, position of the data pointer and the cells, for each moment.
    pub frames: Vec<Frame>,
    /// Cells that are left out at the sides because the picture would be too wide.
    pub cut: u64,
}

/// One moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Steps taken.
    pub steps: u64,
    /// Where the data pointer is.
    pub pointer: i64,
    /// The cells in the picture.
    pub cells: Vec<i64>,
}

impl Film {
    /// Runs a program for `blocks` blocks and keeps about `frames` moments, evenly spread over
    /// the blocks, and at most `width` cells around the first position.
    pub fn of(grid: &Grid, blocks: u64, frames: u64, width: u64) -> Self {
        let graph = Graph::of(grid);
        let end = run_length(&graph, blocks);
        let stride = end.div_ceil(frames.max(1)).max(1);
        let mut walk = Walk::new(&graph);
        let mut shown = Vec::new();
        let (mut low, mut high) = (0, 0);
        loop {
            let position = walk.tape().position();
            (low, high) = (low.min(position), high.max(position));
            if walk.blocks().is_multiple_of(stride) {
                shown.push((walk.steps(), position, walk.tape().clone()));
            }
            if walk.blocks() >= end || walk.step().is_some() {
                break;
            }
        }
        let space = width.max(1) as i64;
        let first = low.max(-(space / 2)).max(low.min(high - space + 1));
        let last = high.min(first + space - 1);
        let cut = (high - low + 1) - (last - first + 1);
        let frame = |(steps, pointer, tape): (u64, i64, crate::run::Tape)| Frame {
            steps,
            pointer,
            cells: (first..=last).map(|at| tape.at(at)).collect(),
        };
        Film { first, frames: shown.into_iter().map(frame).collect(), cut: cut.max(0) as u64 }
    }
}

/// Blocks until the program ends, at most this many.
fn run_length(graph: &Graph, blocks: u64) -> u64 {
    let mut walk = Walk::new(graph);
    while walk.blocks() < blocks && walk.step().is_none() {}
    walk.blocks()
}

/// A film in the terminal: one character a cell. Zero is `.`, small values are digits (negative
/// ones letters `a` = -1, `b` = -2, ...), larger ones `#` (`%` when negative); the data pointer is
/// marked by brackets.
pub fn film_text(film: &Film) -> String {
    let mut out = String::new();
    let digits = film.frames.last().map_or(1, |frame| frame.steps.to_string().len());
    for frame in &film.frames {
        let _ = write!(out, "{:>digits$} ", frame.steps);
        for (position, &value) in (film.first..).zip(&frame.cells) {
            out.push(if position == frame.pointer {
                '['
            } else if position == frame.pointer + 1 {
                ']'
            } else {
                ' '
            });
            out.push(value_letter(value));
        }
        if film.first + frame.cells.len() as i64 == frame.pointer + 1 {
            out.push(']');
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    if film.cut > 0 {
        let _ = writeln!(out, "({} cells at the sides are left out)", film.cut);
    }
    out
}

fn value_letter(value: i64) -> char {
    match value {
        0 => '.',
        1..=9 => char::from(b'0' + value as u8),
        -26..=-1 => char::from(b'a' + (-value - 1) as u8),
        10.. => '#',
        _ => '%',
    }
}

/// A film as SVG: time runs down, red above zero, blue below, darker the larger; the data pointer
/// is a dot.
pub fn film_svg(film: &Film) -> String {
    const SIDE: usize = 4;
    let columns = film.frames.first().map_or(0, |frame| frame.cells.len());
    let (width, height) = (columns * SIDE, film.frames.len() * SIDE);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" shape-rendering=\"crispEdges\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for (row, frame) in frames_by_row(film) {
        let y = row * SIDE;
        for (column, &value) in frame.cells.iter().enumerate().filter(|(_, value)| **value != 0) {
            let shade = 20 + 20 * value.unsigned_abs().ilog2().min(9) / 3;
            let hue = if value > 0 { 12 } else { 215 };
            let x = column * SIDE;
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"hsl({hue} 70% {}%)\"/>",
                85_u32.saturating_sub(shade)
            );
        }
        if let Some(column) =
            usize::try_from(frame.pointer - film.first).ok().filter(|&column| column < columns)
        {
            let (x, y) = (column * SIDE + 1, y + 1);
            let _ = writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"2\" height=\"2\" fill=\"#111\"/>");
        }
    }
    out + "</svg>\n"
}

fn frames_by_row(film: &Film) -> impl Iterator<Item = (usize, &Frame)> {
    film.frames.iter().enumerate()
}
