//! What is compiled into the program besides its code; one file in `build/` for each thing.

#[path = "build/agent.rs"]
mod agent;

fn main() {
    agent::embed();
}
