//! Agents that are written in Java, as far as their names say.

/// The rule, for people.
pub(super) const RULE: &str =
    "its archive says that it is a Java agent (Premain-Class, Agent-Class), unless it is what is run";

/// Packages that only agents have.
pub(super) const PACKAGES: [&str; 16] = [
    "org.jacoco.agent.rt.",
    "io.opentelemetry.javaagent.",
    "co.elastic.apm.agent.",
    "datadog.trace.",
    "datadog.instrument.",
    "com.newrelic.agent.",
    "com.newrelic.bootstrap.",
    "com.dynatrace.",
    "com.appdynamics.",
    "org.apache.skywalking.apm.",
    "com.navercorp.pinpoint.",
    "org.glowroot.agent.",
    "com.intellij.rt.",
    "org.jetbrains.coverage.",
    "io.prometheus.jmx.shaded.",
    "org.hotswap.agent.",
];

/// Whether a name begins with one of them.
pub(super) fn belongs(name: &str) -> bool {
    PACKAGES.iter().any(|package| name.starts_with(package))
}
