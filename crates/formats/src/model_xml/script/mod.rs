//! Scripts in values: the expressions of JavaScript that only compute, parsed to the model.
//!
//! ```text
//! ts + 2                         op == 'op1' ? 'TRUE' : 'FALSE'
//! Math.floor(size / 4096)        name.substring(0, 3) + "-" + id
//! ```
//!
//! What is more than an expression (statements, variables, objects) is refused: no script engine is
//! run, so no file can make us run a program.

mod lexer;
mod parser;

pub(super) use parser::parse;
