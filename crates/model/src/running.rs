//! What threads were in the middle of when recording began.
//!
//! A frame that was open then goes on in its old code, so it leaves no record until its method is called again.

/// A thread that was in the middle of methods which were to be recorded. At most [`Running::MOST`] frames.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Running {
    /// The program's number for the thread, which need not be one that has records.
    pub tid: u64,
    /// Its name at that moment.
    pub name: String,
    /// The frames of such methods, innermost first; not those of others.
    pub frames: Vec<RunningFrame>,
    /// What was seen of them later, where somebody sampled them.
    pub samples: Option<RunningSamples>,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningFrame {
    /// The class with dots.
    pub class: String,
    /// The name of the method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The line it had come to; `None` if the class does not say.
    pub line: Option<u16>,
}

/// Samples of the frames of a [`Running`], counted by line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunningSamples {
    /// How many were taken.
    pub count: u32,
    /// How many of the frames were still there in the last one, from the outermost on.
    pub still: u32,
    /// For each frame, outermost first, the lines that it was seen at and in how many samples, by line.
    pub lines: Vec<Vec<(u16, u32)>>,
}

impl Running {
    /// Frames that a recorder asks for, of a thread.
    pub const MOST: u16 = 200;
}
