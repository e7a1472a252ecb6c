//! What belongs to the JDK, and what of it must never be recorded.

/// Packages that belong to the JDK, whoever loads them.
pub(super) const PACKAGES: [&str; 6] =
    ["java.", "jdk.", "sun.", "com.sun.", "oracle.jrockit.", "org.graalvm."];

/// Never recorded: names or beginnings of names, and why.
pub(super) const NEVER: [(&[&str], &str); 6] = [
    (&["java.lang.Tracewright"], "the recorder itself"),
    (
        &["java.lang.Object", "java.lang.Thread", "java.lang.BaseVirtualThread", "java.lang.VirtualThread"],
        "what a thread is while it begins, ends or changes its carrier",
    ),
    (&["jdk.internal.misc.Unsafe", "sun.misc.Unsafe"], "the recorder writes with it"),
    (
        &["jdk.internal.vm.", "java.lang.ref.", "jdk.internal.ref.", "jdk.internal.misc.CDS"],
        "runs in the middle of the virtual machine's own work",
    ),
    (
        &["java.lang.invoke.", "jdk.internal.reflect.", "java.lang.Shutdown", "java.lang.StackStreamFactory"],
        "knows the frames above it, or is compiled in a way of its own",
    ),
    (
        &[
            "java.lang.Throwable",
            "java.lang.StackOverflowError",
            "java.lang.OutOfMemoryError",
            "java.lang.Error",
            "java.lang.VirtualMachineError",
        ],
        "runs when there is no room left on the stack or heap",
    ),
];

/// Whether a name begins with a package of the JDK.
pub(super) fn belongs(name: &str) -> bool {
    PACKAGES.iter().any(|package| name.starts_with(package))
}

/// Why the class must not be recorded. A name in the list means itself, the classes inside it and,
/// if it ends with a dot or is ours, everything that begins with it.
pub(super) fn never(name: &str) -> Option<&'static str> {
    let named = |known: &&&str| {
        name.strip_prefix(**known).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with('$') || known.ends_with('.') || known.ends_with("Tracewright")
        })
    };
    NEVER.iter().find(|(names, _)| names.iter().any(|known| named(&known))).map(|(_, reason)| *reason)
}
