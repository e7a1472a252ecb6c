//! A program, cell by cell.

use crate::Grid;
use crate::grid::Cell;
use crate::spec::cell_letter;
use std::fmt::Write;

/// The cells with a space between them, one row a line, and the entry below.
///
/// ```text
/// _ o *
/// o * _
/// o _ .
/// ^
/// ```
pub fn program_text(grid: &Grid) -> String {
    let mut out = String::new();
    let cells: Vec<Cell> = grid.cells().collect();
    for row in cells.chunks(grid.width().into()) {
        let letters: Vec<String> = row.iter().map(|&cell| cell_letter(cell, '.').to_string()).collect();
        out += &letters.join(" ");
        out.push('\n');
    }
    out + "^\n"
}

/// Side of a cell in the SVG.
const SIDE: u32 = 24;

/// The program as SVG: data cells are discs, turns are diamonds, cells not chosen are grey; an
/// arrow shows where the PP comes in.
pub fn program_svg(grid: &Grid) -> String {
    let (width, height) = (u32::from(grid.width()) * SIDE, u32::from(grid.height()) * SIDE);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-1 -1 {} {}\" role=\"img\">\n<title>2L program {grid}</title>\n",
        width + 2,
        height + SIDE + 2
    );
    let mut put = |text: std::fmt::Arguments<'_>| {
        // Writing to a string does not fail.
        let _ = out.write_fmt(text);
        out.push('\n');
    };
    put(format_args!("<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\" stroke=\"#888\"/>"));
    for (index, cell) in (0..).zip(grid.cells()) {
        let (x, y) = (index % u32::from(grid.width()) * SIDE, index / u32::from(grid.width()) * SIDE);
        let (middle_x, middle_y) = (x + SIDE / 2, y + SIDE / 2);
        match cell {
            Cell::Noop => {
                put(format_args!("<circle cx=\"{middle_x}\" cy=\"{middle_y}\" r=\"1.5\" fill=\"#bbb\"/>"))
            }
            Cell::Data => {
                put(format_args!("<circle cx=\"{middle_x}\" cy=\"{middle_y}\" r=\"7\" fill=\"#2563a8\"/>"))
            }
            Cell::Turn => put(format_args!(
                "<path d=\"M{middle_x} {} l9 9 -9 9 -9 -9 z\" fill=\"#c2571a\"/>",
                middle_y - 9
            )),
            Cell::Unset => put(format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"#e4e4e4\"/>"
            )),
        }
    }
    let middle = SIDE / 2;
    put(format_args!(
        "<path d=\"M{middle} {} v-16 m-5 6 l5 -6 5 6\" fill=\"none\" stroke=\"#333\" stroke-width=\"2\"/>",
        height + SIDE - 3
    ));
    out + "</svg>\n"
}
