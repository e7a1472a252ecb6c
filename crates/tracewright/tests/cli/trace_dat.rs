//! Files of trace-cmd.

use std::path::Path;

use expect_test::expect;

use crate::util::folder;

#[test]
fn a_trace_dat_is_read_with_its_losses() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/trace_dat/compressed");
    let folder = folder().with("trace.dat", std::fs::read(corpus).unwrap());
    let ran = folder.run("info trace.dat");
    assert_eq!(ran.code, 1, "{}", ran.err);
    expect![[r#"
        trace.dat
          format   trace.dat 7
          host     vm
          tracer   trace-cmd 3.1.6
          says     uname = Linux vm 6.18.44 x86_64
          time     1970-01-01 03:38:25.137515083 to 03:38:25.141970502 UTC (4.455 ms)
          events   164 in 2 streams
          lost     34,701 events lost in 3 gaps

        Streams
          name       cpu  packets  events    lost  gaps  time
          twf cpu 0    0        1      84  12,168  1     1970-01-01 03:38:25.137515083 to 03:38:25.141204937
          twf cpu 1    1        1      80  22,533  2     1970-01-01 03:38:25.141356939 to 03:38:25.141970502

        Events of 20 kinds
          29  17.7 %  syscall_entry_gettid
          29  17.7 %  syscall_exit_gettid
          21  12.8 %  sched_switch
          10   6.1 %  sched_wakeup
          10   6.1 %  sched_waking
           9   5.5 %  syscall_entry_clock_nanosleep
           9   5.5 %  syscall_entry_getppid
           9   5.5 %  syscall_exit_clock_nanosleep
           9   5.5 %  syscall_exit_getppid
           9   5.5 %  timer_hrtimer_start
           3   1.8 %  syscall_entry_newfstatat
           3   1.8 %  syscall_exit_newfstatat
           2   1.2 %  irq_softirq_exit
           2   1.2 %  syscall_entry_close
           2   1.2 %  syscall_entry_write
           2   1.2 %  syscall_exit_close
           2   1.2 %  syscall_exit_openat
           2   1.2 %  syscall_exit_write
           1   0.6 %  irq_softirq_entry
           1   0.6 %  syscall_entry_openat

        Losses: 34,701 events lost in 3 gaps
          twf cpu 0  12,168 events  before 1970-01-01 03:38:25.137515083
          twf cpu 1  22,530 events  before 1970-01-01 03:38:25.141356939
          twf cpu 1       3 events  after 1970-01-01 03:38:25.141970502
    "#]]
    .assert_eq(&ran.out);
    let ran = folder.run("check trace.dat");
    assert!(ran.out.contains("events lost in 3 gaps"), "{}{}", ran.out, ran.err);
    let packed = "gzip -c trace.dat > packed.gz; tracewright info packed.gz";
    let plain = folder.run("info trace.dat").out;
    for (line, name) in [("tracewright info - < trace.dat", "stdin"), (packed, "packed.gz")] {
        let ran = folder.shell(line);
        assert_eq!(
            (ran.code, ran.out.as_str(), ran.err.as_str()),
            (1, &*plain.replace("trace.dat\n", &format!("{name}\n")), "")
        );
    }
}
