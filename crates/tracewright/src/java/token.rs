//! The token of those who send commands over TCP.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;

use super::options::Pairs;
use crate::cli::java::Port;
use crate::exit::{Result, Stop};

/// Adds the port to the agent's options, and makes the file with the token if there is none.
pub(crate) fn add(pairs: &mut Pairs, port: &Port) -> Result<()> {
    let (Some(number), Some(path)) = (port.listen, &port.token_file) else { return Ok(()) };
    let cannot = |error: std::io::Error| Stop::Failed(format!("cannot make {}: {error}", path.display()));
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(mut file) => {
            let mut random = [0; 24];
            let made = File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut random));
            let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
            made.and_then(|()| writeln!(file, "{token}")).map_err(cannot)?;
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(cannot(error)),
    }
    let path = std::path::absolute(path).map_err(cannot)?;
    pairs.add("port", number.to_string().as_bytes());
    pairs.add_path("token-file", &path);
    Ok(())
}
