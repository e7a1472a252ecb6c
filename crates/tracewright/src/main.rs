//! The program; all that it does is in the library, so that other programs can have the tables too.

fn main() -> std::process::ExitCode {
    tracewright::main()
}
