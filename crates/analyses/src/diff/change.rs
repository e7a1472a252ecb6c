//! What can differ in a method. All numbers are joint ones.

use model::code::{BlockId, MethodId};
use model::flow::Left;

/// A difference between calls of one method on both sides, callees aside; alike ones are one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The method.
    pub method: MethodId,
    /// What differs.
    pub change: Change,
    /// In how many pairs of calls or iterations that were held against each other.
    pub times: u64,
    /// How often it happened on each side, added up.
    pub counts: [u64; 2],
    /// Its position in the order in which differences are met along the runs.
    pub order: u64,
}

/// What differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// Behind one block the sides went on in different ways.
    Path {
        /// The last block that both ran; `None`: the beginning.
        after: Option<BlockId>,
        /// How each side went on.
        next: [Next; 2],
    },
    /// Calls of a method at one place: more or fewer, none on one side included.
    Calls {
        /// The block that called, if one did.
        at: Option<BlockId>,
        /// The method called.
        callee: MethodId,
    },
    /// The same call was made at another place.
    Moved {
        /// The blocks that called on each side.
        at: [Option<BlockId>; 2],
        /// The method called.
        callee: MethodId,
    },
    /// Iterations of a loop: more or fewer.
    Iterations {
        /// The joint loop; `None`: no natural one.
        index: Option<u32>,
        /// The block before it.
        after: Option<BlockId>,
    },
    /// Iterations of one kind: more or fewer, none on one side included.
    Variant {
        /// The joint loop.
        index: Option<u32>,
        /// The kind: a hash of what its iterations name, in order.
        shape: u64,
        /// A node with an iteration of this kind.
        example: u32,
    },
    /// The same iterations, or calls in a row, in another order.
    Order {
        /// The joint loop; `None`: calls in a row.
        index: Option<u32>,
    },
    /// One side returned and the other threw.
    Ended {
        /// In which way, on each side.
        left: [Left; 2],
    },
    /// An exception was caught on one side only.
    Caught {
        /// The handler.
        block: BlockId,
    },
}

/// How a side went on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Next {
    /// With this block.
    Block(BlockId),
    /// With a handler that an exception led to.
    Catch(BlockId),
    /// With a call.
    Call(MethodId),
    /// The call ended.
    Left(Left),
    /// The iteration was over.
    LoopAgain,
    /// The thread had nothing more to do.
    Nothing,
    /// Something is missing, or recording ended there.
    Unseen,
}

/// The first place where two threads part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parting {
    /// Blocks that both ran before.
    pub position: u64,
    /// The open calls, outermost first: the method, and the block of it that ran last before (and called the next).
    pub frames: Vec<(MethodId, Option<BlockId>)>,
    /// How each side went on.
    pub next: [Next; 2],
}
