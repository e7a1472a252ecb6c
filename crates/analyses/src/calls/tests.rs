//! Reports as text, against runs written by hand.
