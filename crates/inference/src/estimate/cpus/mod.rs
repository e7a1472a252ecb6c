//! The machine whose instances run on CPUs (`tw:stays-on-cpu`): at most one runs on each CPU, and a context switch is
//! one event for the one who leaves, for the one who comes, and for the CPU.
//!
//! * `monitor`: the instances and the CPUs, and what each event says of both; `cpu`: one CPU since its last switch
//! * `context_switch`, `named_thread`: events that say who runs; `arrivals`: who may come
//! * `locations`: who is where behind lost events; `ends`: recordings that end CPU by CPU
//! * `quiet_intervals`: how long CPUs are silent

pub(crate) mod arrivals;
pub(crate) mod context_switch;
pub(crate) mod cpu;
pub(crate) mod ends;
pub(crate) mod locations;
pub(crate) mod monitor;
pub(crate) mod named_thread;
pub(crate) mod quiet_intervals;
