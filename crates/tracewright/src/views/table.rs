//! Text in columns.

/// Columns are lined up only so far.
const WIDEST: usize = 60;

/// Rows of cells, lined up when printed. Cells must be harmless text.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    /// By column: whether it is pushed to the right, as numbers are.
    right: Vec<bool>,
}

impl Table {
    /// Columns are described by `l` and `r`, left and right.
    pub(crate) fn new(columns: &str) -> Table {
        Table { rows: vec![], right: columns.chars().map(|column| column == 'r').collect() }
    }

    pub(crate) fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The lines, each with `indent` before it and without spaces at its end.
    pub(crate) fn lines(&self, indent: &str) -> Vec<String> {
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        // One endless name must not push every other row to its length.
        let widths: Vec<usize> = (0..self.right.len()).map(|column| width(column).min(WIDEST)).collect();
        let line = |row: &Vec<String>| {
            let mut line = indent.to_owned();
            for (index, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let space = " ".repeat(width.saturating_sub(cell.chars().count()));
                let (before, after) = if self.right[index] { (&*space, "") } else { ("", &*space) };
                line += if index > 0 { "  " } else { "" };
                line = line + before + cell + after;
            }
            line.truncate(line.trim_end().len());
            line
        };
        self.rows.iter().map(line).collect()
    }
}
