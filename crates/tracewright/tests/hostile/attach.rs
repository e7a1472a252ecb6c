//! `attach` by root on a program of another user, who knows that it will come.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::support::{
    Folder, Jvm, NOBODY, Program, STRANGER, as_user, clean, fresh_user, has_namespaces, has_second_user,
    own_tmp, program, run, tracewright, tracewright_command, unshared,
};

/// A program of another user, in a folder of that user's.
struct Victim {
    folder: Folder,
    program: Program,
    user: u32,
    own: std::path::PathBuf,
}

fn victim() -> Option<Victim> {
    victim_of(NOBODY)
}

fn victim_of(user: u32) -> Option<Victim> {
    if !has_second_user() {
        return None;
    }
    let folder = Folder::new();
    let program = program(&folder)?;
    let own = folder.of(user, "own");
    Some(Victim { folder, program, user, own })
}

impl Victim {
    fn start(&self, options: &[&str]) -> Jvm {
        self.program.start(as_user(self.user, &self.program.java), options, &self.own)
    }

    /// What a capture has of the program, once it is stopped.
    fn stop(&self, jvm: &Jvm, capture: &Path) {
        let ran = tracewright(self.folder.path(), &["stop", &jvm.pid]);
        assert!(ran.code == 0 && ran.out.starts_with(capture.to_str().unwrap()), "{ran}");
        let ran = tracewright(self.folder.path(), &["calls", capture.to_str().unwrap()]);
        assert!(ran.code == 0 && ran.out.contains("Busy.step"), "{ran}");
    }
}

#[test]
fn a_program_of_another_user_is_recorded_where_the_caller_said() {
    let Some(victim) = victim() else { return };
    let mut jvm = victim.start(&[]);
    let capture = victim.folder.path().join("c.capture");
    let ran = tracewright(victim.folder.path(), &["attach", &jvm.pid, "-o", "c.capture"]);
    assert!(ran.code == 0 && ran.out == format!("recording into {}\n", capture.display()), "{ran}");
    std::thread::sleep(std::time::Duration::from_millis(100));
    victim.stop(&jvm, &capture);
    assert_eq!(fs::metadata(&capture).unwrap().uid(), NOBODY);
    assert!(jvm.is_alive());
}

/// The folder of the program has a link where HotSpot wants an empty file.
#[test]
fn a_link_in_the_place_of_the_attach_file_leads_nowhere() {
    let Some(victim) = victim() else { return };
    let secret = victim.folder.secret();
    let jvm = victim.start(&[]);
    symlink(&secret.path, victim.own.join(format!(".attach_pid{}", jvm.pid))).unwrap();
    let absent = victim.folder.path().join("absent");
    symlink(&absent, Path::new("/tmp").join(format!(".attach_pid{}", jvm.pid))).unwrap();
    let ran = tracewright(victim.folder.path(), &["attach", &jvm.pid]);
    fs::remove_file(Path::new("/tmp").join(format!(".attach_pid{}", jvm.pid))).unwrap();
    assert!(ran.code == 2 && ran.err.contains("cannot make .attach_pid"), "{ran}");
    secret.check();
    assert!(!absent.exists());
    // In one of the two folders it is enough.
    let ran = tracewright(victim.folder.path(), &["attach", &jvm.pid, "--paused"]);
    assert_eq!(ran.code, 0, "{ran}");
    secret.check();
}

/// `-o` names a link of the user's, or leads through one.
#[test]
fn a_link_in_the_path_of_the_capture_leads_nowhere() {
    let Some(victim) = victim() else { return };
    let jvm = victim.start(&[]);
    let roots = victim.folder.path().join("roots");
    fs::create_dir(&roots).unwrap();
    fs::create_dir(roots.join("empty")).unwrap();
    let secret = victim.folder.secret();
    for (link, to) in [("folder", &roots), ("empty", &roots.join("empty")), ("file", &secret.path)] {
        symlink(to, victim.own.join(link)).unwrap();
    }
    symlink(roots.join("absent"), victim.own.join("dangling")).unwrap();
    for output in ["own/empty", "own/file", "own/dangling", "own/folder/new", "own/folder/empty"] {
        let ran = tracewright(victim.folder.path(), &["attach", &jvm.pid, "-o", output]);
        assert_eq!(ran.code, 2, "{output}: {ran}");
    }
    secret.check();
    let left: Vec<_> = fs::read_dir(&roots).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["empty"]);
    assert_eq!(fs::metadata(roots.join("empty")).unwrap().uid(), 0);
}

/// Where the user could change the path, the folder is made with the user's rights.
#[test]
fn a_capture_in_a_folder_of_the_user_is_made_by_the_user() {
    let Some(victim) = victim() else { return };
    let jvm = victim.start(&[]);
    let capture = victim.own.join("c.capture");
    let ran = tracewright(victim.folder.path(), &["attach", &jvm.pid, "-o", "own/c.capture"]);
    assert_eq!(ran.code, 0, "{ran}");
    std::thread::sleep(std::time::Duration::from_millis(100));
    victim.stop(&jvm, &capture);
    let strangers = victim.folder.of(STRANGER, "strangers");
    let ran = tracewright(victim.folder.path(), &["start", &jvm.pid, "-o", "strangers/c.capture"]);
    assert!(ran.code == 2 && ran.err.contains("with the rights of user 65534"), "{ran}");
    assert_eq!(fs::read_dir(strangers).unwrap().count(), 0);
}

/// The caller's folder cannot even be seen by the program's user.
#[test]
fn a_capture_in_a_closed_folder_of_the_caller_arrives_there() {
    use std::os::unix::fs::PermissionsExt;
    let Some(victim) = victim() else { return };
    let jvm = victim.start(&[]);
    let closed = victim.folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    let ran = tracewright(victim.folder.path(), &["attach", &jvm.pid, "-o", "closed/c.capture"]);
    assert_eq!(ran.code, 0, "{ran}");
    std::thread::sleep(std::time::Duration::from_millis(100));
    victim.stop(&jvm, &closed.join("c.capture"));
    assert!(!closed.join("c.capture/open").exists(), "the capture has not ended well");
}

/// The names for the library and the socket among the temporary files are taken: by a link of another user's.
#[test]
fn a_taken_name_among_the_temporary_files_is_not_used() {
    let user = fresh_user();
    let Some(victim) = victim_of(user) else { return };
    let jvm = victim.start(&[]);
    let usual = format!("/tmp/tracewright-{user}");
    symlink(&victim.own, &usual).unwrap();
    let ran = tracewright(victim.folder.path(), &["attach", &jvm.pid, "-o", "c.capture"]);
    let status = tracewright(victim.folder.path(), &["status", &jvm.pid]);
    fs::remove_file(&usual).unwrap();
    assert_eq!((ran.code, status.code), (0, 0), "{ran}{status}");
    assert_eq!(fs::read_dir(&victim.own).unwrap().count(), 0);
    clean(user);
}

/// The user exchanges a folder on the way and a link to one of root's, as fast as can be.
#[test]
fn an_exchange_of_a_folder_and_a_link_wins_nothing() {
    let Some(victim) = victim() else { return };
    let jvm = victim.start(&[]);
    let roots = victim.folder.path().join("roots");
    fs::create_dir(&roots).unwrap();
    let script = "mkdir real; ln -s \"$0\" link; while :; do
        mv -T real way 2>/dev/null; mv -T way real; mv -T link way; mv -T way link; done";
    let mut exchange = as_user(NOBODY, "sh");
    let mut exchange = exchange.arg("-c").arg(script).arg(&roots).current_dir(&victim.own).spawn().unwrap();
    let mut made = 0;
    for round in 0..12 {
        let output = format!("own/way/{round}.capture");
        let ran = tracewright(victim.folder.path(), &["attach", &jvm.pid, "-o", &output]);
        if ran.code == 0 {
            made += 1;
            tracewright(victim.folder.path(), &["stop", &jvm.pid]);
        }
    }
    exchange.kill().unwrap();
    exchange.wait().unwrap();
    assert_eq!(fs::read_dir(&roots).unwrap().count(), 0, "{made} were made");
}

/// What is root's own is given to nobody, though it is empty and root has named it.
#[test]
fn an_empty_folder_of_the_callers_is_not_given_away() {
    let Some(victim) = victim() else { return };
    let jvm = victim.start(&[]);
    let empty = victim.folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let ran = tracewright(victim.folder.path(), &["attach", &jvm.pid, "-o", "empty"]);
    assert!(ran.code == 2 && ran.err.contains("empty exists already"), "{ran}");
    assert_eq!(fs::metadata(&empty).unwrap().uid(), 0);
}

#[test]
fn only_root_attaches_to_programs_of_others() {
    let Some(victim) = victim() else { return };
    let jvm = victim.start(&[]);
    for command in ["attach", "start", "stop", "status"] {
        let mut stranger = as_user(STRANGER, victim.folder.binary());
        stranger.args([command, &jvm.pid]).current_dir(victim.folder.path());
        let ran = run(stranger);
        assert!(ran.code == 2 && ran.err.contains("it is another user's"), "{command}: {ran}");
    }
}

/// A program that has one user and acts as another: whose files it may touch depends on the moment.
#[test]
fn a_program_with_the_rights_of_two_users_is_refused() {
    let Some(victim) = victim() else { return };
    let mut command = Command::new("setpriv");
    command.arg(format!("--ruid={NOBODY}")).arg("--clear-groups").arg("--").arg(&victim.program.java);
    let jvm = victim.program.start(command, &[], victim.folder.path());
    let ran = tracewright(victim.folder.path(), &["attach", &jvm.pid]);
    assert!(ran.code == 2 && ran.err.contains("with the rights of more than one user"), "{ran}");
}

#[test]
fn a_program_whose_working_folder_is_gone_is_attached_to() {
    let Some(victim) = victim() else { return };
    let jvm = victim.start(&[]);
    fs::remove_dir_all(&victim.own).unwrap();
    let ran = tracewright(victim.folder.path(), &["attach", &jvm.pid, "-o", "c.capture"]);
    assert_eq!(ran.code, 0, "{ran}");
}

/// The environment of a program is what its user says.
#[test]
fn a_hostile_environment_leads_nowhere() {
    let Some(victim) = victim() else { return };
    let long = format!("/{}", "x/".repeat(2000));
    for runtime in ["/proc/1/root/tmp", "/dev/fd", "relative", long.as_str()] {
        let mut command = as_user(NOBODY, "env");
        command.arg(format!("XDG_RUNTIME_DIR={runtime}")).arg(&victim.program.java);
        let jvm = victim.program.start(command, &[], &victim.own);
        let ran = tracewright(victim.folder.path(), &["attach", &jvm.pid, "--paused"]);
        assert_eq!(ran.code, 0, "{runtime}: {ran}");
        let ran = tracewright(victim.folder.path(), &["status", &jvm.pid]);
        assert!(ran.code == 0 && ran.out == "nothing is being recorded\n", "{runtime}: {ran}");
    }
}

#[test]
fn a_jvm_in_namespaces_of_its_own_is_recorded_where_the_caller_said() {
    if !has_namespaces() {
        return;
    }
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    // Its own /tmp, where another one could lie.
    let mut command = unshared("sh");
    let script = format!("{} && mkdir /tmp/work && cd /tmp/work && exec \"$0\" \"$@\"", own_tmp());
    command.arg("-c").arg(script);
    command.arg(&program.java);
    // The classes lie below the system's temporary folder, which it does not see.
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::copy(program.classes.join("Busy.class"), home.path().join("Busy.class")).unwrap();
    let program = Program { classes: home.path().to_owned(), java: program.java };
    let jvm = program.start(command, &[], folder.path());
    let ran = tracewright(folder.path(), &["attach", &jvm.pid, "-o", "c.capture"]);
    let capture = folder.path().join("c.capture");
    assert!(ran.code == 0 && ran.out == format!("recording into {}\n", capture.display()), "{ran}");
    let ran = tracewright(folder.path(), &["jvms"]);
    let row = format!("is being recorded into {}", capture.display());
    assert!(ran.out.lines().any(|line| line.contains(&jvm.pid) && line.ends_with(&row)), "{ran}");
    std::thread::sleep(std::time::Duration::from_millis(100));
    let ran = tracewright(folder.path(), &["stop", &jvm.pid]);
    assert!(ran.code == 0 && ran.out.starts_with(capture.to_str().unwrap()), "{ran}");
    let ran = tracewright(folder.path(), &["calls", "c.capture"]);
    assert!(ran.code == 0 && ran.out.contains("Busy.step"), "{ran}");
}

/// A program that `record` has started in there: its folder is where only it sees it, and the commands say so.
#[test]
fn a_capture_inside_another_namespace_is_named_as_the_caller_finds_it() {
    if !has_namespaces() {
        return;
    }
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::copy(program.classes.join("Busy.class"), home.path().join("Busy.class")).unwrap();
    let mut command = unshared("sh");
    let record =
        "export XDG_CACHE_HOME=/tmp/cache && cd /tmp && exec \"$0\" record -o /tmp/in.capture -- \"$@\"";
    let script = format!("{} && {record}", own_tmp());
    command.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_tracewright")).arg(&program.java);
    let program = Program { classes: home.path().to_owned(), java: program.java };
    let jvm = program.start(command, &[], folder.path());
    let capture = format!("/proc/{}/root/tmp/in.capture", jvm.pid);
    let ran = tracewright(folder.path(), &["status", &jvm.pid]);
    assert!(ran.code == 0 && ran.out.contains(&format!(" into {capture}: ")), "{ran}");
    assert!(Path::new(&capture).join("steps").exists() && !Path::new("/tmp/in.capture").exists());
}

/// The user stops the child that has the user's rights, while that waits for the program to listen.
#[test]
fn a_child_that_its_user_stops_is_not_waited_for() {
    let user = fresh_user();
    let Some(victim) = victim_of(user) else { return };
    // It looks as if it could be attached to, and never opens its socket.
    let jvm = victim.start(&["-XX:+DisableAttachMechanism", "-XX:-UsePerfData"]);
    let child = "^/proc/self/exe target$";
    let script = format!("while :; do pkill -STOP -f '{child}'; done 2>/dev/null");
    for is_hostile in [false, true] {
        let mut command = as_user(user, "sh");
        command.arg("-c").arg(&script);
        let mut stopper = is_hostile.then(|| command.spawn().unwrap());
        let command = tracewright_command(victim.folder.path(), &["attach", &jvm.pid]);
        let ran = run(command);
        stopper.iter_mut().for_each(|stopper| {
            stopper.kill().unwrap();
            stopper.wait().unwrap();
        });
        let message =
            if is_hostile { "the child that has them was stopped" } else { "it did not open its socket" };
        assert!(ran.code == 2 && ran.err.contains(message), "{ran}");
    }
    let left = Command::new("pgrep").args(["-u", &user.to_string(), "-f", child]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&left.stdout), "", "a child is left");
    drop(jvm);
    clean(user);
}

/// The file that a killed process of another user has left where the program would have its socket is named.
#[test]
fn the_file_in_place_of_a_socket_is_named() {
    let user = fresh_user();
    let Some(victim) = victim_of(user) else { return };
    let jvm = victim.start(&["-XX:-UsePerfData"]);
    let name = format!(".java_pid{}", jvm.pid);
    let path = Path::new("/tmp").join(&name);
    fs::write(&path, "").unwrap();
    let ran = tracewright(victim.folder.path(), &["attach", &jvm.pid]);
    fs::remove_file(&path).unwrap();
    let expected = format!(
        "it cannot open its socket: {name} in its temporary folder belongs to user 0, and has to be removed first"
    );
    assert!(ran.code == 2 && ran.err.contains(&expected), "{ran}");
    drop(jvm);
    clean(user);
}

/// In a container's own root `/tmp` is a link. It leads into that root, and not to what we see there.
#[test]
fn a_link_in_another_root_leads_nowhere_outside() {
    if !has_namespaces() {
        return;
    }
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    let inside = folder.path().join("inside");
    fs::create_dir(&inside).unwrap();
    // All of the system but /tmp, below another root.
    let script = "cd \"$0\" && for it in /*; do
            if [ -L \"$it\" ]; then cp -a \"$it\" .; elif [ -d \"$it\" ] && [ \"$it\" != /tmp ]; then
            mkdir \".$it\" && mount --rbind \"$it\" \".$it\"; fi
        done; mkdir elsewhere classes && ln -s /elsewhere tmp && cp \"$1/Busy.class\" classes && shift &&
        exec chroot . \"$@\"";
    let mut command = unshared("sh");
    command.arg("-c").arg(script).arg(&inside).arg(&program.classes).arg(&program.java);
    let program = Program { classes: "/classes".into(), java: program.java };
    let jvm = program.start(command, &[], folder.path());
    let ran = tracewright(folder.path(), &["attach", &jvm.pid, "-o", "c.capture"]);
    assert_eq!(ran.code, 0, "{ran}");
    let ran = tracewright(folder.path(), &["stop", &jvm.pid]);
    assert!(ran.code == 0 && ran.out.starts_with(folder.path().join("c.capture").to_str().unwrap()), "{ran}");
    assert!(!Path::new("/elsewhere").exists());
    assert!(inside.join("elsewhere").read_dir().unwrap().count() > 0);
}

/// A child that works with the rights of a user has nothing for that user to find.
#[test]
fn nobody_can_type_the_command_that_takes_rights() {
    let folder = Folder::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracewright"));
    command.arg("target").current_dir(folder.path());
    let ran = run(command);
    assert!(ran.code == 2 && ran.err.contains("only other commands can run this one"), "{ran}");
}
