//! Open files that come with the bytes of a message on a Unix socket.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

/// Reads what there is. A file that came with it takes the place of `file`; of several only the last is kept
/// open, and none is passed on to programs that this process starts.
pub(crate) fn receive(
    stream: &UnixStream,
    bytes: &mut [u8],
    file: &mut Option<OwnedFd>,
) -> io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(stream, &mut [IoSliceMut::new(bytes)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(files) = message
            && let Some(last) = files.last()
        {
            *file = Some(last);
        }
    }
    Ok(received.bytes)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::fd::AsFd;

    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

    use super::*;

    #[test]
    fn a_file_arrives_with_its_bytes_and_the_last_one_is_kept() {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let mut readers = Vec::new();
        let mut send = |text: &str| {
            let (reader, writer) = io::pipe().unwrap();
            let files = [writer.as_fd()];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            assert!(control.push(SendAncillaryMessage::ScmRights(&files)));
            sendmsg(&ours, &[io::IoSlice::new(text.as_bytes())], &mut control, SendFlags::empty()).unwrap();
            readers.push(reader);
        };
        send("one");
        send("two");
        ours.write_all(b"three").unwrap();
        let (mut bytes, mut file) = ([0; 64], None);
        let mut text = Vec::new();
        while text.len() < 11 {
            let count = receive(&theirs, &mut bytes, &mut file).unwrap();
            text.extend_from_slice(&bytes[..count]);
        }
        assert_eq!(text, b"onetwothree");
        std::fs::File::from(file.unwrap()).write_all(b"kept").unwrap();
        let written: Vec<String> = readers
            .iter_mut()
            .map(|reader| {
                let mut text = String::new();
                reader.read_to_string(&mut text).unwrap();
                text
            })
            .collect();
        assert_eq!(written, ["", "kept"]);
    }
}
