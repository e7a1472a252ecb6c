//! The recorder is started and stopped from outside.
