//! The tools that read: each answers a question about an input.

use super::Tool;
use super::parameter::{Kind, Parameter, count, switch, text};

const ALL: Parameter =
    switch("all", "Without the bounds that the command has by itself; the answer stays bounded");
const TRACK: Parameter =
    text("track", "Only tracks (threads) with such a name; * and ? stand for any text and any character");
const THREAD: Parameter =
    text("thread", "Only threads with such a name or number; * and ? stand for any text and any character");

const METHOD: Parameter = Parameter {
    name: "method",
    about: "Which method: pay, Till.pay, shop.Till.*, or of several with one name pay(int, String)",
    kind: Kind::Operand,
};

const SECTION: Parameter = text(
    "section",
    "Only such tests, requests, tasks or marks, as `sections` lists them: CartTest.adds, App.doGet#2, the text of a mark",
);

const FROM: &str = "Begin at the first mark of this name, else in each thread where such a line (Oven.java:14) or method (Till.pay) ran first";
const TO: &str = "End at the next such mark, line or call";

pub(super) static READING: [Tool; 13] = [
    Tool {
        name: "info",
        about: "What an input is: format, origin, clocks, streams, how many events of which name, losses with their places, diagnostics. Begin here.",
        command: "info",
        fixed: &[],
        parameters: &[ALL],
        reads_sources: false,
        ground: "Counted from what was recorded; gaps are what the recorder reports",
        narrower: "",
    },
    Tool {
        name: "overview",
        about: "Of a recording of control flow (a Tracewright capture, uftrace, trace events, Perfetto): figures of each thread, calls, blocks, how \
                far they fold, losses; the methods with the most blocks of their own; the first exceptions in their order, where each began and where \
                it was caught.",
        command: "calls",
        fixed: &["--summary"],
        parameters: &[
            THREAD,
            Parameter {
                name: "top",
                about: "Maximum number of methods and of exceptions to list, 10 unless it is said",
                kind: Kind::CountOr(10),
            },
        ],
        reads_sources: false,
        ground: "Counted from what was recorded",
        narrower: "Narrow with thread.",
    },
    Tool {
        name: "calls",
        about: "Of a recording of control flow: the tree of calls with the lines that ran, loops and recursion folded, exceptions. \
                `14: shop.Baker.bake (Baker.java:30-33)` reads: line 14 called it, and these lines ran. With method it begins at that method's calls; \
                with search it shows only what leads to a class, method or line.",
        command: "calls",
        fixed: &["--all"],
        parameters: &[
            text(
                "method",
                "Begin with all calls of such a method: pay, Till.pay, shop.Till.*, or of several with one name pay(int, String)",
            ),
            text(
                "search",
                "Only what leads to such a class, method or line (Oven.java:14), and what that did",
            ),
            THREAD,
            count("depth", "Maximum depth of calls"),
            text("from", FROM),
            text("to", TO),
            SECTION,
            switch("unfold", "Iterations and recursion one after the other"),
            switch(
                "synthetic",
                "Calls of methods that only a compiler wrote (bridges, accessors, stubs), too",
            ),
            switch(
                "libraries",
                "What libraries called of libraries, too, where own code is distinguished from them",
            ),
        ],
        reads_sources: false,
        ground: "Observed: these calls and lines ran",
        narrower: "Or narrow with method, search, thread, depth.",
    },
    Tool {
        name: "sections",
        about: "Of a recording of control flow: the tests, requests and tasks that ran, and the marks, each with how it ended, how long it took and \
                how much ran in it. A test that failed threw.",
        command: "sections",
        fixed: &[],
        parameters: &[
            text("name", "Only sections of such a name: CartTest.adds, shop.CartTest.*, the text of a mark"),
            switch("failed", "Only sections that an exception left"),
            switch("each", "Each by itself, not those of a name that ended alike together"),
            THREAD,
        ],
        reads_sources: false,
        ground: "Observed; that a call is a test, a request or a task is concluded from names, annotations and its caller",
        narrower: "Or narrow with name, failed, thread.",
    },
    Tool {
        name: "values",
        about: "Of a capture of a Java program that was recorded with --values: with which arguments the named methods were called, what they \
                returned or threw, and how long each call took.",
        command: "values",
        fixed: &[],
        parameters: &[
            text("method", "Only methods of such a name: add, Cart.add, shop.Cart.*, Cart.add(int)"),
            text("search", "Only calls in whose values this text is"),
            switch("failed", "Only calls that an exception left"),
            switch("each", "Each call by itself, in order, not those of a method together"),
            THREAD,
            count("limit", "Maximum number of calls, or of different values of an argument"),
        ],
        reads_sources: false,
        ground: "Observed; an object is described by its class and identity only, and what is named like a secret not at all",
        narrower: "Or narrow with method, search, failed, thread, limit.",
    },
    Tool {
        name: "between",
        about: "Of a recording of control flow: what ran between two marks, lines or calls, as the tree of `calls`. Each thread is cut by itself \
                where it comes to a line or a call; one that does not come to `from` has no part, one that does not come to `to` goes on to its end.",
        command: "calls",
        fixed: &["--all"],
        parameters: &[text("from", FROM), text("to", TO), THREAD, count("depth", "Maximum depth of calls")],
        reads_sources: false,
        ground: "Observed: these calls and lines ran",
        narrower: "Or narrow with thread, depth.",
    },
    Tool {
        name: "who_called",
        about: "Of a recording of control flow: who called a method, from which lines and how often, what it called, how often it threw, and \
                how often each of its lines ran, from which line to which.",
        command: "method",
        fixed: &[],
        parameters: &[METHOD, THREAD, count("limit", "Maximum number of methods, 10 unless it is said")],
        reads_sources: false,
        ground: "Counted from what was recorded",
        narrower: "Or narrow with a longer name, thread, limit.",
    },
    Tool {
        name: "source",
        about: "The same with the source text of the method, where the folders that were named at the start have it: before each line stands how \
                often it ran, `-` where it did not.",
        command: "method",
        fixed: &["--limit=3"],
        parameters: &[METHOD, THREAD],
        reads_sources: true,
        ground: "Counted from what was recorded; the text is that of the folders now, which may not be what ran",
        narrower: "Or narrow with a longer name, thread.",
    },
    Tool {
        name: "loops",
        about: "The loops of each thread, and the loops of those loops: what repeats, how often, where the rhythm breaks. For traces and recordings.",
        command: "loops",
        fixed: &[],
        parameters: &[
            TRACK,
            count("levels", "Maximum number of levels; 1 is only the innermost"),
            count("tracks", "Maximum number of tracks, 10 unless it is said"),
            count("runs", "Maximum number of runs of each level, 20 unless it is said"),
            ALL,
        ],
        reads_sources: false,
        ground: "Folded from what was recorded",
        narrower: "Or narrow with track, tracks, runs, levels.",
    },
    Tool {
        name: "hangs",
        about: "What each thread ends in: loops, since when, how regular; of a Java recording also deadlocks and threads that wait for ever.",
        command: "hangs",
        fixed: &[],
        parameters: &[TRACK, count("tracks", "Maximum number of tracks, 20 unless it is said"), ALL],
        reads_sources: false,
        ground: "Concluded from what was recorded up to its end; that a program goes on for ever cannot be observed",
        narrower: "Or narrow with track, tracks.",
    },
    Tool {
        name: "lost",
        about: "Of a trace of events that a model knows (Linux kernel traces): with kind `infer` the events that were lost, as far as what is left implies \
                them, each with interval, probability and reason; with kind `check` which events do not fit. Gaps of any trace are listed by info.",
        command: "infer",
        fixed: &[],
        parameters: &[
            Parameter {
                name: "kind",
                about: "infer, unless check is said",
                kind: Kind::Command(&["infer", "check"]),
            },
            Parameter { name: "model", about: "A built-in model", kind: Kind::Model },
            count("limit", "Maximum number of events to list"),
            ALL,
        ],
        reads_sources: false,
        ground: "Inferred events are concluded, not observed; probabilities and reasons stand beside them",
        narrower: "Or narrow with limit.",
    },
    Tool {
        name: "diff",
        about: "What an input did that another one, `against`, did not: where each thread parts, which methods did something else and in which lines, \
                calls, iterations and exceptions more or less, what ran on one side only; of two traces events by name and track. \
                A is `against`, B is `input`. Begin with it when one run fails and another does not.",
        command: "diff",
        // Without it an answer about what is left would count as a failure; what is missing is reported in any case.
        fixed: &["--allow-loss"],
        parameters: &[
            Parameter {
                name: "against",
                about: "The input that is side A, by number or path",
                kind: Kind::Input,
            },
            THREAD,
            text(
                "method",
                "Only such methods: pay, Till.pay, shop.Till.*, or of several with one name pay(int, String)",
            ),
            SECTION,
            text("section-b", "Of side B not these but such"),
            count("depth", "Maximum number of callers where threads part, 3 unless it is said"),
            ALL,
        ],
        reads_sources: false,
        ground: "Observed on both sides; which thread or method of one is which of the other is concluded from names and content",
        narrower: "Or narrow with thread, method.",
    },
    Tool {
        name: "events",
        about: "The events of a trace in the order of time, one a line; of a recording of control flow the blocks that ran. \
                A moment is nanoseconds since 1970, 2026-11-21T07:25:08.5 (UTC), 07:25:08.5 or +1.5s (after the first event).",
        command: "events",
        fixed: &[],
        parameters: &[
            text("from", "Only events at this moment or later"),
            text("to", "Only events at this moment or earlier"),
            text("name", "Only events with such a name; * and ? stand for any text and any character"),
            TRACK,
        ],
        reads_sources: false,
        ground: "Observed",
        narrower: "Or narrow with from, to, name, track.",
    },
];
