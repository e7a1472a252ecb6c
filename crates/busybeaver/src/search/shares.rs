//! The search in parts.
//!
//! A share is a subtree, named by the grid it starts from. Shares are made by walking the top of
//! the tree, in the order of the search, so that adding the totals of all shares in their order
//! gives the totals of the whole, whoever searched which and when.
