//! How far down frames are looked for, and what is known of them after a loss.

use super::*;

/// Frames of the methods 0, 1, 2, ..., each of which has run block 5; the last one is the innermost.
fn frames(count: u32) -> Frames {
    let mut frames = Frames::default();
    for method in 0..count {
        frames.push(Frame { last: 5, then: 9, awaited: true, ..Frame::of_paths(method, 1) });
    }
    frames
}

fn above(frames: &mut Frames, method: usize) -> Option<usize> {
    frames.above(|frame, _| frame.method as usize == method)
}

#[test]
fn the_nearest_frame_that_fits_is_found_from_the_top() {
    let mut ten = frames(10);
    assert_eq!(above(&mut ten, 9), Some(0));
    assert_eq!(above(&mut ten, 4), Some(5));
    assert_eq!(above(&mut ten, 10), None);
    assert_eq!(ten.above(|frame, _| frame.method % 3 == 2), Some(1));
}

#[test]
fn a_search_goes_as_far_as_words_that_fitted_allow() {
    const FAR: usize = 3;
    let mut deep = frames((limits::SEARCH + 10) as u32);
    let top = limits::SEARCH + 9;
    assert_eq!(above(&mut deep, top - limits::SEARCH + 1), Some(limits::SEARCH - 1), "the last one");
    assert_eq!(above(&mut deep, top - limits::SEARCH), None, "one too far");
    deep.earn(FAR);
    assert_eq!(
        above(&mut deep, top - limits::SEARCH - FAR),
        None,
        "one too far, which uses up what was earned"
    );
    assert_eq!(above(&mut deep, top - limits::SEARCH), None);
    deep.earn(1);
    deep.earn(2);
    assert_eq!(above(&mut deep, top - limits::SEARCH - 2), Some(limits::SEARCH + 2));
    // What is found nearby costs little of it.
    deep.earn(5);
    assert_eq!(above(&mut deep, top - 1), Some(1));
    assert_eq!(above(&mut deep, top - limits::SEARCH - 2), Some(limits::SEARCH + 2));
    // Where there are few frames, looking at all of them in vain costs as many.
    let mut few = frames(3);
    few.earn(limits::SEARCH);
    assert_eq!(above(&mut few, 7), None);
    assert_eq!(few.credit, limits::SEARCH - 3);
}

#[test]
fn after_a_loss_only_the_frame_that_a_word_names_is_known_again() {
    let mut three = frames(3);
    assert_eq!((three.is_forgotten(), three.position()), (false, Some(5)));
    three.forget_positions();
    assert_eq!((three.is_forgotten(), three.position()), (true, Some(ANYWHERE)));
    assert_eq!(three.above(|_, is_forgotten| !is_forgotten), None);
    three.push(Frame::of_paths(3, 1));
    assert_eq!((three.is_forgotten(), three.position()), (false, Some(BEFORE)), "it began after the loss");
    assert_eq!(three.above(|_, is_forgotten| is_forgotten), Some(1));
    three.stand(6);
    assert_eq!(three.position(), Some(6));
    assert!(!three.pop());
    assert!(three.is_forgotten());
    three.stand(7);
    let top = *three.top().unwrap();
    assert_eq!((three.is_forgotten(), three.position()), (false, Some(7)));
    assert_eq!((top.awaited, top.then), (false, 0), "of the calls around it nothing is known");
    assert!(!three.pop());
    assert_eq!((three.is_forgotten(), three.position()), (true, Some(ANYWHERE)));
    three.push(Frame { awaited: true, ..Frame::of_paths(3, 1) });
    assert!(three.pop(), "it began after the loss");
    assert!(!three.pop(), "whether it was awaited is forgotten");
    assert!(!three.pop());
    assert!(three.is_empty() && three.top().is_none() && three.position().is_none());
    assert!(!three.pop());
    three.push(Frame::of_paths(0, 1));
    assert!(!three.is_forgotten(), "nothing of what was open before is left");
}

#[test]
fn a_known_frame_says_whether_its_return_is_awaited() {
    let mut two = frames(2);
    assert!(two.pop());
    two.push(Frame { awaited: false, ..Frame::of_paths(1, 1) });
    assert!(!two.pop());
    two.remember_top();
    assert_eq!(two.top().map(|top| (top.awaited, top.then)), Some((true, 9)), "nothing was lost");
}

#[test]
fn a_thread_has_room_for_so_many_frames() {
    let mut full = frames(limits::DEPTH as u32 - 1);
    assert!(!full.is_full());
    full.push(Frame::of_paths(0, 1));
    assert!(full.is_full());
}
