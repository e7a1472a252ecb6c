//! The control channel: who answers for a recorder, and what happens when nobody does.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{
    Folder, Jvm, NOBODY, Program, STRANGER, as_user, clean, fresh_user, has_second_user, program, run, skip,
    tracewright,
};

#[test]
fn a_process_that_is_no_jvm_is_refused_by_every_command() {
    let folder = Folder::new();
    let own = std::process::id().to_string();
    for pid in [&own[..], "1", "0", "4294967295"] {
        for command in ["attach", "start", "stop", "status"] {
            let ran = tracewright(folder.path(), &[command, pid]);
            assert_eq!(ran.code, 2, "{command}: {ran}");
            assert!(ran.err.contains(&format!("process {pid} is not a running Java program")), "{ran}");
        }
    }
    assert!(!folder.path().join("recording.capture").exists(), "a folder is left");
}

#[test]
fn a_jvm_of_ones_own_is_attached_to_and_stopped() {
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    let jvm = program.start(Command::new(&program.java), &[], folder.path());
    let ran = tracewright(folder.path(), &["attach", &jvm.pid, "-o", "a.capture"]);
    assert_eq!(ran.code, 0, "{ran}");
    let ran = tracewright(folder.path(), &["stop", &jvm.pid]);
    assert!(ran.code == 0 && ran.out.contains("a.capture: "), "{ran}");
}

/// The folder for sockets of a user, made before that user's first program.
fn control_folder(user: u32, owner: u32, mode: u32) -> PathBuf {
    let path = PathBuf::from(format!("/tmp/tracewright-{user}"));
    fs::create_dir(&path).unwrap();
    chown(&path, Some(owner), Some(owner)).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path
}

/// Another user has the folder where a recorder's socket is wanted, and listens there in its place.
#[test]
fn nobody_answers_for_a_recorder_in_a_folder_of_another_user() {
    if !has_second_user() {
        return;
    }
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    for (owner, mode) in [(Some(NOBODY), 0o700), (None, 0o755), (None, 0o770)] {
        let user = fresh_user();
        let taken = control_folder(user, owner.unwrap_or(user), mode);
        let jvm = program.start(as_user(user, &program.java), &[], folder.path());
        let listener = UnixListener::bind(taken.join(format!("{}.sock", jvm.pid))).unwrap();
        listener.set_nonblocking(true).unwrap();
        let ran = tracewright(folder.path(), &["status", &jvm.pid]);
        assert!(ran.code == 2 && ran.err.contains("no recorder is in process"), "{ran}");
        // The recorder gets a socket in another place, which the commands find.
        let capture = format!("{user}.capture");
        let ran = tracewright(folder.path(), &["attach", &jvm.pid, "-o", &capture]);
        assert!(ran.code == 0 && ran.out.ends_with(&format!("/{capture}\n")), "{ran}");
        let ran = tracewright(folder.path(), &["status", &jvm.pid]);
        assert!(ran.code == 0 && ran.out.starts_with("recording for "), "{ran}");
        assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
        drop(jvm);
        clean(user);
    }
}

/// The folder is right, but the socket in it is another process's: it looks like the user's from outside.
#[test]
fn a_socket_of_another_process_is_not_believed() {
    if !has_second_user() {
        return;
    }
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    let user = fresh_user();
    let jvm = program.start(as_user(user, &program.java), &[], folder.path());
    let path = control_folder(user, user, 0o700).join(format!("{}.sock", jvm.pid));
    let listener = UnixListener::bind(&path).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    chown(&path, Some(user), Some(user)).unwrap();
    let ran = tracewright(folder.path(), &["status", &jvm.pid]);
    assert!(ran.code == 2 && ran.err.contains("no recorder is in process"), "{ran}");
    drop((listener, jvm));
    clean(user);
}

/// A program that `record` starts, where another user has the folder for its socket.
#[test]
fn a_recorded_program_is_reached_though_its_folder_was_taken() {
    if !has_second_user() {
        return;
    }
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    let user = fresh_user();
    let own = folder.of(user, "own");
    control_folder(user, NOBODY, 0o700);
    let mut record = as_user(user, folder.binary());
    record.args(["record", "--paused", "-o", "c.capture", "--"]).arg(&program.java);
    let jvm = program.start(record, &[], &own);
    let mut status = as_user(user, folder.binary());
    status.args(["status", &jvm.pid]).current_dir(&own).env_remove("XDG_RUNTIME_DIR");
    let ran = run(status);
    assert!(ran.code == 0 && ran.out == "nothing is being recorded\n", "{ran}");
    drop(jvm);
    clean(user);
}

/// A program that listens itself where its recorder would.
struct Listening {
    folder: Folder,
    taken: PathBuf,
    jvm: Jvm,
    user: u32,
}

/// `options`: of its virtual machine.
fn listening_with(options: &[&str]) -> Option<Listening> {
    if !has_second_user() {
        return None;
    }
    let folder = Folder::new();
    let program = program(&folder)?;
    let user = fresh_user();
    let taken = control_folder(user, user, 0o700);
    let java = as_user(user, &program.java);
    let jvm = program.start_with(java, options, folder.path(), &[taken.to_str().unwrap()]);
    Some(Listening { folder, taken, jvm, user })
}

fn listening() -> Option<Listening> {
    listening_with(&[])
}

/// It may be putting back its classes, so it is waited for as long as it uses a processor, at most a minute; whoever
/// waits is told.
#[test]
fn whoever_waits_for_a_program_that_is_busy_is_told() {
    let Some(Listening { folder, jvm, user, .. }) = listening_with(&["-Dspins=true"]) else { return };
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracewright"));
    command.args(["stop", &jvm.pid]).current_dir(folder.path()).env_remove("XDG_RUNTIME_DIR");
    command.env("XDG_CACHE_HOME", folder.path().join("cache")).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut message = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut message).unwrap();
    let (start, end) = (
        format!("tracewright: process {} is busy and has not answered yet; waiting up to 5", jvm.pid),
        " s more\n",
    );
    assert!(message.starts_with(&start) && message.ends_with(end), "{message:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(jvm);
    clean(user);
}

/// The program itself listens in the place of a recorder, and never answers.
#[test]
fn a_program_that_listens_and_does_not_answer_is_not_waited_for() {
    let Some(Listening { folder, jvm, user, .. }) = listening() else { return };
    for arguments in [&["status", &jvm.pid][..], &["mark", &jvm.pid, "x"], &["attach", &jvm.pid]] {
        let ran = tracewright(folder.path(), arguments);
        assert!(ran.code == 2 && ran.err.contains("does not answer: no answer within"), "{ran}");
    }
    let ran = tracewright(folder.path(), &["jvms"]);
    assert!(row(&ran.out, &jvm).ends_with("has the recorder in it, which does not answer"), "{ran}");
    drop(jvm);
    clean(user);
}

/// So many have come before that the queue of its socket is full.
#[test]
fn a_full_queue_is_not_waited_for() {
    let Some(Listening { folder, taken, jvm, user }) = listening() else { return };
    for _ in 0..200 {
        let path = taken.join(format!("{}.sock", jvm.pid));
        // Those that find it full wait until the program has ended.
        std::thread::spawn(move || UnixStream::connect(path).map(|_stream| std::thread::park()));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    let ran = tracewright(folder.path(), &["status", &jvm.pid]);
    assert_eq!(ran.code, 2, "{ran}");
    let ran = tracewright(folder.path(), &["jvms"]);
    assert_eq!(ran.code, 0, "{ran}");
    drop(jvm);
    clean(user);
}

/// The line of `jvms` for a program.
fn row<'o>(out: &'o str, jvm: &Jvm) -> &'o str {
    out.lines().find(|line| line.trim_start().starts_with(&format!("{} ", jvm.pid))).unwrap_or_default()
}

#[test]
fn a_stopped_program_keeps_no_command_waiting() {
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    for has_recorder in [false, true] {
        let mut jvm = program.start(Command::new(&program.java), &[], folder.path());
        if has_recorder {
            let ran = tracewright(folder.path(), &["attach", &jvm.pid, "-o", "a.capture"]);
            assert_eq!(ran.code, 0, "{ran}");
        }
        jvm.signal("STOP");
        for command in ["status", "stop", "start", "attach", "mark"] {
            let text: &[&str] = if command == "mark" { &["x"] } else { &[] };
            let ran = tracewright(folder.path(), &[&[command, &jvm.pid], text].concat());
            let message = "is stopped (by SIGSTOP or a debugger) and does not answer";
            assert!(ran.code == 2 && ran.err.contains(message), "{command}: {ran}");
        }
        let ran = tracewright(folder.path(), &["jvms"]);
        assert!(row(&ran.out, &jvm).ends_with("is stopped (by SIGSTOP or a debugger)"), "{ran}");
        assert!(!folder.path().join("recording.capture").exists(), "a folder is left");
        jvm.signal("CONT");
        assert!(jvm.is_alive());
        if has_recorder {
            let ran = tracewright(folder.path(), &["stop", &jvm.pid]);
            assert!(ran.code == 0 && ran.out.contains("a.capture: "), "{ran}");
        }
    }
}

/// It is stopped while a command waits for its answer.
#[test]
fn a_program_that_is_stopped_meanwhile_is_not_waited_for() {
    let Some(Listening { folder, jvm, user, .. }) = listening() else { return };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(1000));
            jvm.signal("STOP");
        });
        let ran = tracewright(folder.path(), &["stop", &jvm.pid]);
        assert!(ran.code == 2 && ran.err.contains("does not answer: it is stopped"), "{ran}");
    });
    drop(jvm);
    clean(user);
}

/// What stands where HotSpot writes of itself, in a folder of the program's own user.
struct Performance {
    folder: Folder,
    program: Program,
    user: u32,
    top: PathBuf,
}

impl Performance {
    fn new() -> Option<Performance> {
        if !has_second_user() {
            return None;
        }
        let folder = Folder::new();
        let (program, user) = (program(&folder)?, fresh_user());
        let top = PathBuf::from(format!("/tmp/hsperfdata_hostile-{user}"));
        fs::create_dir(&top).unwrap();
        chown(&top, Some(user), Some(user)).unwrap();
        Some(Performance { folder, program, user, top })
    }

    /// `jvms` still says that the program can be recorded, and takes little memory for it.
    fn check(&self, make: impl Fn(&Path)) {
        let java = as_user(self.user, &self.program.java);
        let jvm = self.program.start(java, &["-XX:-UsePerfData"], self.folder.path());
        make(&self.top.join(&jvm.pid));
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 3000000; exec \"$0\" jvms", env!("CARGO_BIN_EXE_tracewright")]);
        let ran = run(command);
        assert!(row(&ran.out, &jvm).ends_with("can be recorded"), "{ran}");
        let ran = tracewright(self.folder.path(), &["attach", &jvm.pid, "--paused"]);
        assert_eq!(ran.code, 0, "{ran}");
    }
}

impl Drop for Performance {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.top);
        clean(self.user);
    }
}

#[test]
fn a_pipe_a_device_and_a_huge_file_in_the_place_of_performance_data_are_not_read() {
    let Some(performance) = Performance::new() else { return };
    performance.check(|path| {
        let made = Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    });
    performance.check(|path| std::os::unix::fs::symlink("/dev/zero", path).unwrap());
    performance.check(|path| {
        let file = fs::File::create(path).unwrap();
        file.set_len(10 << 30).unwrap();
        chown(path, Some(performance.user), None).unwrap();
    });
}

/// It says that the program cannot be attached to.
const REFUSES: &[u8] = b"xxsun.rt.jvmCapabilities\0\0\x000000";

#[test]
fn performance_data_of_another_user_is_not_believed() {
    let Some(performance) = Performance::new() else { return };
    performance.check(|path| {
        fs::write(path, REFUSES).unwrap();
        chown(path, Some(STRANGER), None).unwrap();
    });
}

/// So that the rows above show something: what the program's own user writes is believed.
#[test]
fn performance_data_of_the_programs_user_is_believed() {
    let Some(performance) = Performance::new() else { return };
    let java = as_user(performance.user, &performance.program.java);
    let jvm = performance.program.start(java, &["-XX:-UsePerfData"], performance.folder.path());
    let path = performance.top.join(&jvm.pid);
    fs::write(&path, REFUSES).unwrap();
    chown(&path, Some(performance.user), None).unwrap();
    let ran = tracewright(performance.folder.path(), &["jvms"]);
    assert!(row(&ran.out, &jvm).ends_with("it was started with -XX:+DisableAttachMechanism"), "{ran}");
}

/// Where a recorder can have no socket at all, whoever starts the program is told.
#[test]
fn a_recorder_without_a_socket_says_so() {
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    if !crate::support::has_namespaces() {
        return;
    }
    // Nobody can make anything in /tmp, not even root; the program and its classes lie elsewhere.
    let temporary = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let home = temporary.path();
    fs::copy(program.classes.join("Busy.class"), home.join("Busy.class")).unwrap();
    let mut command = crate::support::unshared("sh");
    let record = "timeout -s KILL 3 \"$0\" record -o c.capture -- \"$@\"";
    let script = format!("{} && mount -o remount,ro /tmp && {record}", crate::support::own_tmp());
    command.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_tracewright")).arg(&program.java);
    command.args(["-XX:-UsePerfData", "-cp"]).arg(home).arg("Busy").current_dir(home);
    command.env_remove("XDG_RUNTIME_DIR").env("XDG_CACHE_HOME", home);
    let ran = run(command);
    if ran.err.contains("mount:") {
        return skip("a tmpfs cannot be mounted here");
    }
    assert!(ran.out.starts_with("ready"), "{ran}");
    let message = "tracewright: cannot open a socket for stop, status and mark: ";
    assert!(ran.err.contains(message), "{ran}");
}
