//! Where the agent's memory comes from: straight from the kernel, by an allocator of our own.
//!
//! The virtual machine sorts the methods of a class by where the allocator of the process has put their
//! names, and programs see that order by reflection. What we would leave there in holes would change it,
//! differently in each run. So nothing of ours lies there.
//!
//! That allocator has one lock for all threads, and to instrument a class takes thousands of small pieces
//! while the writer takes some too. So whoever works on a class borrows a [`Stock`] for that time: pieces
//! that are given back go onto a list for their size, and are taken from there again. No stock belongs to
//! a thread, so a thread that ends leaves nothing behind; there are as many as classes came at once.
#![allow(unsafe_code)] // an allocator

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::ptr::{NonNull, null_mut};
use std::sync::Mutex;

use dlmalloc::GlobalDlmalloc;

use crate::recorder::lock;

/// Sizes are rounded up to this, everywhere: any piece may come to lie in a stock.
const STEP: usize = 16;
/// Larger pieces are never stocked.
const SIZES: usize = 64;
/// Bytes that a stock keeps at most.
const MOST: usize = 4 << 20;

/// The allocator.
#[derive(Debug)]
pub(crate) struct Memory;

/// Pieces that were given back: lists, in each of which the pieces have the same size and each holds the
/// address of the next.
#[derive(Debug)]
struct Stock {
    lists: [*mut u8; SIZES],
    bytes: usize,
}

// Whoever has the stock has the pieces, and nobody else knows them.
unsafe impl Send for Stock {}

/// Stocks that nobody has borrowed.
static STOCKS: Mutex<Vec<Stock>> = Mutex::new(Vec::new());

thread_local! {
    /// What this thread has borrowed.
    static BORROWED: Cell<*mut Stock> = const { Cell::new(null_mut()) };
}

/// Runs this with a stock.
pub(crate) fn with_stock<T>(body: impl FnOnce() -> T) -> T {
    let _borrowed = Borrowed::new();
    body()
}

/// Gives the stock back, after a panic too. Nothing, where there was one already.
struct Borrowed(*mut Stock);

impl Borrowed {
    fn new() -> Self {
        if !BORROWED.get().is_null() {
            return Self(null_mut());
        }
        let kept = lock(&STOCKS).pop();
        let stock = kept.unwrap_or(Stock { lists: [null_mut(); SIZES], bytes: 0 });
        let stock = Box::into_raw(Box::new(stock));
        BORROWED.set(stock);
        Self(stock)
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        if !self.0.is_null() {
            BORROWED.set(null_mut());
            // It came out of a box, and the thread knows it no more.
            let stock = unsafe { Box::from_raw(self.0) };
            lock(&STOCKS).push(*stock);
        }
    }
}

impl Stock {
    fn take(&mut self, list: usize) -> Option<NonNull<u8>> {
        let head = self.lists.get_mut(list)?;
        let piece = NonNull::new(*head)?;
        // A piece of a list is ours, has at least `STEP` bytes and holds the address of the next.
        *head = unsafe { piece.cast::<*mut u8>().read() };
        self.bytes -= (list + 1) * STEP;
        Some(piece)
    }

    /// Whether the piece was kept.
    fn keep(&mut self, list: usize, piece: NonNull<u8>) -> bool {
        let Some(head) = self.lists.get_mut(list).filter(|_| self.bytes < MOST) else { return false };
        unsafe { piece.cast::<*mut u8>().write(*head) };
        *head = piece.as_ptr();
        self.bytes += (list + 1) * STEP;
        true
    }
}

/// The list for a piece; `None` if such pieces are not stocked.
fn list_of(layout: Layout) -> Option<usize> {
    let list = layout.size().checked_sub(1)? / STEP;
    (list < SIZES && layout.align() <= STEP).then_some(list)
}

/// The same piece with its size rounded up.
fn rounded(list: usize) -> Layout {
    Layout::from_size_align((list + 1) * STEP, STEP).unwrap_or(Layout::new::<[u128; SIZES]>())
}

/// The stock that this thread has borrowed. It is borrowed by nobody else, and the reference must end
/// before anything else is allocated.
fn with_borrowed<T>(use_it: impl FnOnce(&mut Stock) -> Option<T>) -> Option<T> {
    let mut stock = NonNull::new(BORROWED.get())?;
    use_it(unsafe { stock.as_mut() })
}

unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(list) = list_of(layout) else { return unsafe { GlobalDlmalloc.alloc(layout) } };
        match with_borrowed(|stock| stock.take(list)) {
            Some(piece) => piece.as_ptr(),
            None => unsafe { GlobalDlmalloc.alloc(rounded(list)) },
        }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        let Some(list) = list_of(layout) else { return unsafe { GlobalDlmalloc.dealloc(piece, layout) } };
        let kept = NonNull::new(piece)
            .and_then(|piece| with_borrowed(|stock| stock.keep(list, piece).then_some(())));
        if kept.is_none() {
            unsafe { GlobalDlmalloc.dealloc(piece, rounded(list)) }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if list_of(layout).is_none() {
            return unsafe { GlobalDlmalloc.alloc_zeroed(layout) };
        }
        let piece = unsafe { self.alloc(layout) };
        if !piece.is_null() {
            unsafe { piece.write_bytes(0, layout.size()) };
        }
        piece
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Ok(wanted) = Layout::from_size_align(size, layout.align()) else { return null_mut() };
        match (list_of(layout), list_of(wanted)) {
            (None, None) => unsafe { GlobalDlmalloc.realloc(piece, layout, size) },
            (Some(old), Some(new)) if old == new => piece,
            _ => {
                let moved = unsafe { self.alloc(wanted) };
                if !moved.is_null() {
                    unsafe {
                        moved.copy_from_nonoverlapping(piece, layout.size().min(size));
                        self.dealloc(piece, layout);
                    }
                }
                moved
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_comes_back_and_no_two_have_the_same() {
        let taken = |size| unsafe { Memory.alloc(Layout::from_size_align(size, 8).unwrap()) };
        let given = |piece, size| unsafe { Memory.dealloc(piece, Layout::from_size_align(size, 8).unwrap()) };
        with_stock(|| {
            let (first, second) = (taken(24), taken(30));
            assert_ne!(first, second);
            given(first, 24);
            assert_eq!(taken(32), first, "17 to 32 bytes are one size");
            let other = taken(33);
            assert_ne!(other, first);
            for (piece, size) in [(first, 32), (second, 30), (other, 33)] {
                given(piece, size);
            }
        });
    }

    #[test]
    fn pieces_grow_shrink_and_outlive_the_stock() {
        let layout = |size| Layout::from_size_align(size, 1).unwrap();
        let piece = with_stock(|| unsafe {
            let piece = Memory.alloc_zeroed(layout(10));
            assert_eq!(std::slice::from_raw_parts(piece, 10), [0; 10]);
            piece.write_bytes(7, 10);
            let piece = Memory.realloc(piece, layout(10), 5_000);
            Memory.realloc(piece, layout(5_000), 9)
        });
        assert_eq!(unsafe { std::slice::from_raw_parts(piece, 9) }, [7; 9]);
        // Given back where there is no stock, and by another thread.
        let address = piece.addr();
        let given = move || unsafe {
            Memory.dealloc(std::ptr::with_exposed_provenance_mut(address), layout(9));
        };
        piece.expose_provenance();
        std::thread::spawn(given).join().unwrap();
    }

    #[test]
    fn a_stock_is_borrowed_once_and_comes_back_after_a_panic() {
        let kept = || lock(&STOCKS).len();
        with_stock(|| with_stock(|| drop(vec![1_u8; 100])));
        let _ = std::panic::catch_unwind(|| with_stock(|| panic!("put in by hand")));
        assert!(BORROWED.get().is_null());
        assert!(kept() > 0);
    }
}
