//! A kept index of the timeline: what can be read of any bytes can be kept again, and drawn.

use analyses::timeline::{Cell, cells, from_bytes, to_bytes};

/// Reads, keeps, reads and draws.
///
/// # Panics
/// When what was kept does not come back.
pub fn run(input: &[u8]) {
    let Some(index) = from_bytes(input) else { return };
    let bytes = to_bytes(&index);
    let again = from_bytes(&bytes).map(|again| to_bytes(&again));
    assert_eq!(again, Some(bytes), "what was kept does not come back");
    for (row, _) in index.order().into_iter().take(50) {
        let Some(row) = index.rows.get(row) else { continue };
        let mut drawn = 0u32;
        cells(&row.lane, index.start(), index.end(), index.end(), 64, |_, cell| {
            drawn += u32::from(cell != Cell::Nothing);
        });
        std::hint::black_box(drawn);
    }
}
