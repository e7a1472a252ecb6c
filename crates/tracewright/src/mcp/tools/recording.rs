//! The tools that record, for who allows it. They start and change programs of the user.

use super::Tool;
use super::parameter::{Kind, Parameter, text};

const PROCESS: Parameter =
    Parameter { name: "pid", about: "The number of the process; jvms lists them", kind: Kind::Process };
const NAME: Parameter = Parameter {
    name: "name",
    about: "What the recording is called; it is then the input NAME.capture",
    kind: Kind::Recording,
};
const SECONDS: Parameter = Parameter {
    name: "seconds",
    about: "Stop recording after so many seconds; an answer takes at most 50",
    kind: Kind::Seconds,
};
const INCLUDE: Parameter = text(
    "include",
    "Only classes of such a name: shop, 'shop.*', shop.Till; all but the JDK's unless it is said",
);

const INSIDE: Parameter = text(
    "inside",
    "Record only inside calls of this method: shop.App.doGet, 'shop.*Test.*'; the rest of the program runs at its own speed",
);

pub(super) static RECORDING: [Tool; 6] = [
    Tool {
        name: "record",
        about: "Run a Java program from its start to its end, or for so many seconds, and record all that it does. It is started with the rights of \
                this server.",
        command: "record",
        fixed: &[],
        parameters: &[
            NAME,
            Parameter {
                name: "command",
                about: "The program and its arguments: [\"java\", \"-jar\", \"shop.jar\"]; or a script that starts java",
                kind: Kind::Program,
            },
            INCLUDE,
            INSIDE,
            SECONDS,
        ],
        reads_sources: false,
        ground: "What the program printed, and what was recorded",
        narrower: "",
    },
    Tool {
        name: "jvms",
        about: "The Java programs that run here, with their numbers, and whether they are recorded.",
        command: "jvms",
        fixed: &[],
        parameters: &[],
        reads_sources: false,
        ground: "As the programs themselves say it",
        narrower: "",
    },
    Tool {
        name: "attach",
        about: "Go into a Java program that runs and begin to record it. It goes on to be recorded until stop, or for so many seconds.",
        command: "attach",
        fixed: &[],
        parameters: &[NAME, PROCESS, INCLUDE, INSIDE, SECONDS],
        reads_sources: false,
        ground: "As the program answered",
        narrower: "",
    },
    Tool {
        name: "start",
        about: "Record a program again in which the recorder is already, after attach and stop.",
        command: "start",
        fixed: &[],
        parameters: &[NAME, PROCESS, INCLUDE, INSIDE, SECONDS],
        reads_sources: false,
        ground: "As the program answered",
        narrower: "",
    },
    Tool {
        name: "stop",
        about: "Stop recording a program; the recording is whole then. The program goes on.",
        command: "stop",
        fixed: &[],
        parameters: &[PROCESS],
        reads_sources: false,
        ground: "As the program answered",
        narrower: "",
    },
    Tool {
        name: "mark",
        about: "Give this moment of a program that is recorded a name; calls begins and ends there with from and to.",
        command: "mark",
        fixed: &[],
        parameters: &[
            PROCESS,
            Parameter { name: "text", about: "The name of the moment", kind: Kind::Operand },
        ],
        reads_sources: false,
        ground: "As the program answered",
        narrower: "",
    },
];
