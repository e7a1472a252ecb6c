//! Programs of 2L as text: names, drawings of cells, and the first event of a history.

use busybeaver::Grid;
use busybeaver::blocks::{Graph, graph_text};

/// Reads the first line as a name and as cells; a name that was read must be written as it is read again.
///
/// # Panics
/// When another program comes back.
pub fn run(input: &[u8]) {
    std::hint::black_box(busybeaver::history::program_of(input));
    let text = String::from_utf8_lossy(input);
    let name = text.lines().next().unwrap_or_default();
    let cells = busybeaver::spec::read_cells(4, 4, name);
    for grid in [name.parse::<Grid>(), cells].into_iter().flatten() {
        let again = grid.to_string().parse::<Grid>();
        assert!(again.is_ok_and(|again| again == grid), "a program was not read as it was written");
        std::hint::black_box(graph_text(&Graph::of(&grid)));
    }
}
