//! The program as its users meet it: arguments in; exit code, output and errors out.

mod events;
mod help;
mod hostile;
mod info;
mod loops;
mod util;
