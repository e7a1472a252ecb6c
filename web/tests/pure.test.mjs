// The parts of Play and List that need no browser: layout, camera, lights, words, address, scrolling.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createServer } from "vite";

let vite;
const load = (file) => vite.ssrLoadModule(`/src/${file}`);
before(async () => {
  vite = await createServer({
    appType: "custom",
    logLevel: "silent",
    server: { middlewareMode: true, ws: false, watch: null },
  });
});
after(() => vite.close());

/** Numbers that look random and are the same everywhere. */
function dice(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

function shapes(seed, count) {
  const roll = dice(seed);
  const list = [{ parent: null, row: null, rows: 10 }];
  while (list.length < count) {
    const parent = roll(list.length);
    list.push({ parent, row: roll(list[parent].rows), rows: 1 + roll(30) });
  }
  return list;
}

test("numbers where room is short, and probabilities", async () => {
  const { short, share } = await load("lib/format.ts");
  assert.deepEqual([7, 999, 1200, 34_500, 12_345_678, 2.5e9].map(short), ["7", "999", "1.2k", "35k", "12M", "2.5G"]);
  assert.deepEqual([1, 0.25, 0.0006, 0.0001, 0].map(share), ["1.000", "0.250", "0.001", "under 0.001", "under 0.001"]);
  const { weighed } = await load("timeline/api.ts");
  const field = { alternatives: [3, 5], probabilities: [0.75, 0.25] };
  assert.deepEqual(
    [weighed(field, 5), weighed({ ...field, probabilities: [] }, 5), weighed(field, 9)],
    ["5 (0.250)", "5", "9"],
  );
});

test("no two bubbles overlap, and each is one column right of its caller", async () => {
  const { Layout } = await load("play/layout.ts");
  for (let seed = 1; seed < 20; seed++) {
    const layout = new Layout([300, 400, 350]);
    const list = shapes(seed, 120);
    for (const shape of list) layout.place(shape);
    for (const [index, box] of layout.boxes.entries()) {
      const caller = layout.boxes[list[index].parent ?? -1];
      if (caller) assert.ok(box.x >= caller.x + caller.w + 40 && box.depth === caller.depth + 1);
      for (const other of layout.boxes.slice(0, index)) {
        const apart =
          other.x + other.w <= box.x ||
          box.x + box.w <= other.x ||
          other.y + other.h <= box.y ||
          box.y + box.h <= other.y;
        assert.ok(apart, `seed ${seed}: ${index} overlaps`);
      }
    }
  }
});

test("what was placed never moves, whatever is placed after it", async () => {
  const { Layout } = await load("play/layout.ts");
  const list = shapes(7, 80);
  const whole = new Layout([300]);
  const places = [];
  for (const shape of list) places.push({ ...whole.place(shape) });
  assert.deepEqual(whole.boxes, places);
  const part = new Layout([300]);
  for (const shape of list.slice(0, 30)) part.place(shape);
  assert.deepEqual(part.boxes, places.slice(0, 30));
});

test("a callee stands beside the line that calls it where there is room", async () => {
  const { Layout, anchor, HEAD } = await load("play/layout.ts");
  const layout = new Layout([300]);
  const caller = layout.place({ parent: null, row: null, rows: 12 });
  const callee = layout.place({ parent: 0, row: 9, rows: 4 });
  assert.equal(callee.y + HEAD / 2, anchor(caller, 9));
  const second = layout.place({ parent: 0, row: 9, rows: 4 });
  assert.ok(second.y >= callee.y + callee.h);
});

test("beyond sixty bubbles the ones that matter least show only their title", async () => {
  const { detailed, FULL } = await load("play/layout.ts");
  const shown = Array.from({ length: 200 }, (_, index) => index);
  const full = detailed(shown, (bubble) => bubble, 1);
  assert.equal(full.size, FULL);
  assert.ok(full.has(199) && !full.has(0));
  assert.equal(detailed(shown.slice(0, 60), () => 0, 1).size, 60);
  assert.equal(detailed(shown, () => 0, 0.1).size, 0);
});

test("a long method scrolls no more than it must", async () => {
  const { scrollTo, TALL } = await load("play/layout.ts");
  assert.equal(scrollTo(10, 9, 0), 0);
  assert.equal(scrollTo(100, 3, 0), 0);
  const down = scrollTo(100, 50, 0);
  assert.ok(down <= 50 && down + TALL > 50);
  assert.equal(scrollTo(100, 50, down), down);
  assert.equal(scrollTo(100, 99, 0), 100 - TALL);
});

test("the camera brings the bubble and its caller into sight and then stays", async () => {
  const { follow } = await load("play/camera.ts");
  const size = { w: 1200, h: 500 };
  const caller = { x: 0, y: 0, w: 400, h: 300, depth: 0 };
  const box = { x: 500, y: 900, w: 400, h: 200, depth: 1 };
  const camera = follow({ x: 3000, y: -800, zoom: 1 }, box, caller, 1000, size);
  const inSight = (one) => one.x >= camera.x && one.x + one.w <= camera.x + size.w / camera.zoom;
  assert.ok(inSight(box) && inSight(caller));
  assert.ok(box.y >= camera.y && box.y + box.h <= camera.y + size.h / camera.zoom);
  assert.deepEqual(follow(camera, box, caller, 1000, size), camera);
});

test("a caller that is out of sight is drawn beside what runs", async () => {
  const { follow, overlap, standIn } = await load("play/camera.ts");
  const size = { w: 1280, h: 550 };
  const box = { x: 1272, y: 9000, w: 540, h: 342, depth: 2 };
  const callers = [
    { x: 636, y: 0, w: 540, h: 342, depth: 1 },
    { x: -1272, y: 9000, w: 540, h: 102, depth: 0 },
    { x: 3180, y: 9000, w: 540, h: 342, depth: 5 },
  ];
  for (const caller of callers) {
    const camera = follow({ x: 0, y: 0, zoom: 1 }, box, caller, 9100, size);
    const found = standIn(camera, size, box, caller, 60);
    for (const one of [box, found]) {
      assert.ok(one.x >= camera.x && one.x + one.w <= camera.x + size.w / camera.zoom, JSON.stringify(caller));
      assert.ok(one.y >= camera.y && one.y + one.h <= camera.y + size.h / camera.zoom, JSON.stringify(caller));
    }
    assert.ok(!overlap(found, box));
    assert.deepEqual([found.w, found.h, found.depth], [caller.w, caller.h, caller.depth]);
  }
  // Where it is, if that is in sight.
  const near = { x: 636, y: 9050, w: 540, h: 342, depth: 1 };
  const camera = follow({ x: 636, y: 8900, zoom: 1 }, box, near, 9100, size);
  assert.equal(standIn(camera, size, box, near, 60), undefined);
});

test("letters are as small as long rows need, and can be read", async () => {
  const { letters } = await load("play/layout.ts");
  const box = { x: 0, y: 0, w: 540, h: 342, depth: 0 };
  assert.deepEqual(
    [0, 20, 59].map((columns) => letters(box, columns)),
    [12, 12, 12],
  );
  assert.ok(letters(box, 66) > 10 && letters(box, 66) < 12);
  assert.equal(letters(box, 400), 9.5);
});

test("zooming keeps the point under the pointer", async () => {
  const { zoomed } = await load("play/camera.ts");
  const before = { x: 10, y: 20, zoom: 0.8 };
  const after = zoomed(before, 1.5, 300, 200);
  assert.ok(Math.abs(before.x + 300 / 0.8 - (after.x + 300 / after.zoom)) < 1e-9);
  assert.ok(Math.abs(before.y + 200 / 0.8 - (after.y + 200 / after.zoom)) < 1e-9);
});

test("rows are dim, lit, brighter, or current", async () => {
  const { lights, rowOf, covered } = await load("play/lines.ts");
  const rows = [[], [0], [1, 4], [2], [3], [5]].map((blocks, line) => ({ line, text: "", blocks }));
  const states = lights(rows, {
    counts: [
      [0, 1],
      [1, 7],
      [2, 7],
      [3, 6],
      [4, 6],
    ],
    iteration: [1, 2],
    block: 2,
  });
  assert.deepEqual(
    states.map((state) => state.light),
    ["gap", "ran", "iteration", "now", "ran", "never"],
  );
  assert.deepEqual(
    states.map((state) => state.count),
    [0, 1, 7, 7, 6, 0],
  );
  assert.deepEqual(covered(states), { ran: 4, all: 5 });
  assert.equal(rowOf(rows, 4), 2);
  assert.equal(rowOf(rows, 9), null);
});

const frame = (name, depth, begin, end, more = {}) => ({
  depth,
  context: depth,
  method: depth,
  class: "shop.Oven",
  name,
  how: "call",
  left: "returned",
  begin,
  end,
  caller: 0,
  block: 0,
  caught: false,
  counts: [],
  iteration: null,
  loops: [],
  again: null,
  ...more,
});
const state = (at, frames, more = {}) => ({
  at,
  total: 100,
  calls: 3,
  call: 0,
  depth: frames.length,
  hidden: 0,
  end: false,
  time: null,
  skipped: [],
  frames,
  ...more,
});

test("each step is described in words", async () => {
  const { describe } = await load("play/describe.ts");
  const line = () => 12;
  const main = frame("main", 0, 0, 100);
  const bake = frame("bake", 1, 5, 20);
  assert.deepEqual(describe(undefined, state(0, [main]), line).event, "begin");
  assert.match(
    describe(undefined, state(0, [main]), line, "A.b was running").text,
    /^The recording begins in main\. .* A\.b was running\.$/,
  );
  assert.doesNotMatch(describe(undefined, state(7, [main]), line, "A.b was running").text, /running/);
  assert.deepEqual(describe(state(4, [main]), state(5, [main, bake]), line), {
    event: "call",
    text: "main calls bake.",
  });
  assert.deepEqual(describe(state(4, [main]), state(5, [main, { ...bake, how: "library" }]), line).event, "library");
  assert.deepEqual(describe(state(19, [main, bake]), state(20, [main]), line), {
    event: "return",
    text: "bake returns to line 12 of main.",
  });
  const threw = { ...bake, left: "threw" };
  const caught = describe(state(19, [main, threw]), state(20, [{ ...main, caught: true }]), line);
  assert.deepEqual(caught, { event: "catch", text: "bake ends with an exception, and main catches it on line 12." });
  const skipped = describe(
    state(19, [main]),
    state(50, [main], { skipped: [{ method: 0, loop: 0, iterations: 159 }] }),
    line,
  );
  assert.deepEqual(skipped, {
    event: "skip",
    text: "159 more iterations of the loop are skipped. Now at line 12 of main.",
  });
  assert.equal(describe(state(19, [main]), state(10, [main]), line).text, "Back at line 12 of main.");
});

test("an address gives back what it was made from, and nonsense nothing", async () => {
  const { fromParams, toParams } = await load("play/link.ts");
  const link = {
    thread: 3,
    at: 12345,
    unfold: ["7:0", "9:-"],
    recursion: false,
    pinned: [4, 5],
    closed: [2],
    camera: { x: -10.5, y: 20, zoom: 0.75 },
  };
  assert.deepEqual(fromParams(toParams(link)), link);
  const odd = fromParams({ thread: "x", at: "-3", unfold: "a,1:b,2:2", pin: "..9.x", camera: "1,2", shut: "1e99" });
  assert.deepEqual(odd, {
    thread: undefined,
    at: 0,
    unfold: ["2:2"],
    recursion: true,
    pinned: [9],
    closed: [],
    camera: undefined,
  });
});

test("a hundred million rows scroll from the first to the last", async () => {
  const { asked, bring, drawn, kept, thumb } = await load("list/scroll.ts");
  const window = { top: 0, total: 1e8, seen: 20.5 };
  assert.equal(kept(window, 1e9), 1e8 - 20.5);
  assert.equal(kept(window, -5), 0);
  const { long } = thumb(window, 500);
  assert.ok(long >= 28);
  assert.equal(drawn(window, 500, 500 - long), 1e8 - 20.5);
  const there = bring(window, 5e7);
  assert.ok(there <= 5e7 && there + window.seen >= 5e7 + 1);
  assert.equal(bring({ ...window, top: there }, 5e7), there);
  assert.equal(thumb({ ...window, top: 1e8 - 20.5 }, 500).at, 500 - long);
  const block = asked({ ...window, top: 5e7 });
  assert.ok(block.from <= 5e7 && block.from + block.count >= 5e7 + 21 && block.count <= 400);
});

test("source is cut into pieces of the same text", async () => {
  const { pieces } = await load("play/highlight.ts");
  const lines = [
    "@Override public int bake(String tray) { // hot",
    '  return tray.equals("fig") ? 1 : 0x2F;',
    "",
    "} <img onerror=1>",
  ];
  const cut = pieces(lines);
  assert.deepEqual(
    cut.map((line) => line.map((piece) => piece.text).join("")),
    lines,
  );
  assert.ok(cut[0].some((piece) => piece.kind === "hl-word" && piece.text === "public"));
  assert.ok(cut[1].some((piece) => piece.kind === "hl-text" && piece.text === '"fig"'));
});

test("a recursion has one bubble, and what it calls hangs below that", async () => {
  const { Bubbles } = await load("play/bubbles.ts");
  const { layOut } = await load("play/layout.ts");
  const one = (parent, method) => ({ parent, method, caller: 0, how: "call", first: 0, row: 0 });
  // main calls fib, which calls itself twice from two places, and log; log calls fib anew, which calls log again.
  const contexts = [
    one(null, 0),
    one(0, 1),
    one(1, 1),
    one(2, 1),
    one(1, 1),
    one(3, 2),
    one(5, 1),
    one(6, 2),
    one(2, 2),
    { ...one(2, 2), caller: 7 },
  ];
  const folded = [0, 1, 1, 1, 1, 5, 1, 5, 5, 9];
  assert.deepEqual(new Bubbles(contexts, true).of, folded);
  assert.deepEqual(new Bubbles(contexts, false).of, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const { below } = new Bubbles(contexts, true);
  assert.deepEqual([...below.keys()], [0, 1, 5]);
  assert.deepEqual([...below.get(1)], [[0, [5, 9]]], "each bubble once");
  const sizes = new Map([0, 1, 2].map((id) => [id, { id, class: "", name: "", rows: 3, columns: 20 }]));
  const { boxes } = layOut(contexts, sizes, folded);
  assert.equal(boxes.length, contexts.length);
  assert.ok([2, 3, 4].every((index) => boxes[index] === boxes[1]));
  assert.deepEqual(
    [0, 1, 5, 6, 7, 9].map((index) => boxes[index].depth),
    [0, 1, 2, 1, 2, 2],
  );
});

test("what was placed last goes again, and leaves its room", async () => {
  const { Layout } = await load("play/layout.ts");
  const shape = (parent, rows) => ({ parent, row: 0, rows });
  const [layout, other] = [new Layout([300, 300]), new Layout([300, 300])];
  for (const one of [layout, other]) {
    one.place(shape(null, 4));
    one.place(shape(0, 4));
  }
  layout.place(shape(0, 2));
  layout.share(1);
  layout.shorten(2);
  assert.deepEqual(layout.boxes, other.boxes);
  assert.deepEqual(layout.place(shape(0, 9)), other.place(shape(0, 9)));
});

test("marks of the time axis stand at round moments, wherever the trace begins", async () => {
  const { ticks } = await load("lib/range.ts");
  assert.deepEqual(ticks({ from: 0, to: 100 }, 5).positions, [0, 20, 40, 60, 80, 100]);
  const start = 1_234_567_890_123n;
  const { step, positions } = ticks({ from: 0, to: 100 }, 5, (step) => Number(start % BigInt(step)));
  assert.ok(
    positions.length === 5 && positions.every((position) => (Number(start % 1000n) + position) % step === 0),
    positions.join(),
  );
});

test("an axis has dates where it goes over midnight, and none where the clock tells no date", async () => {
  const { moments } = await load("lib/axis.ts");
  const [second, hour, day] = [1e9, 3600e9, 86_400e9];
  // 2026-11-21 07:25:08.
  const start = "1795245908000000000";
  const texts = (range, count, from = start) => moments(from, range, count).map((mark) => mark.text);
  assert.deepEqual(texts({ from: 0, to: 3 * second }, 3), ["07:25:08", "07:25:09", "07:25:10", "07:25:11"]);
  assert.deepEqual(texts({ from: 14 * hour, to: 20 * hour }, 3), [
    "2026-11-21 22:00:00",
    "2026-11-22 00:00:00",
    "02:00:00",
  ]);
  assert.deepEqual(texts({ from: 0, to: 3 * day }, 3), ["2026-11-22", "2026-11-23", "2026-11-24"]);
  // A clock that counts from when the machine started, three days ago.
  assert.deepEqual(texts({ from: 0, to: 4 * hour }, 2, String(3 * day)), ["72:00:00", "74:00:00", "76:00:00"]);
  const { clock, dated, days } = await load("lib/format.ts");
  assert.equal(dated(start, 1), "2026-11-21 07:25:08.000 000 001 UTC");
  assert.equal(days(start, { from: 0, to: day }), "2026-11-21 to 2026-11-22 UTC");
  assert.deepEqual([days("1000", { from: 0, to: day }), clock("1000", 5)], ["", "00:00:00.000 001 005"]);
});

test("one question is held for all that wait, and none where nobody waits", async () => {
  const { Waiting } = await load("lib/waiting.ts");
  const asked = [];
  const waiting = new Waiting(
    (after, signal) =>
      new Promise((answer, fail) => {
        asked.push({ after, answer, signal });
        signal.addEventListener("abort", () => fail(signal.reason));
      }),
  );
  const both = Promise.all([waiting.after(3), waiting.after(3)]);
  assert.deepEqual(
    asked.map((one) => one.after),
    [3],
  );
  asked[0].answer(5);
  await both;
  // Something was finished since: it may be the one that is wanted.
  await waiting.after(4);
  assert.equal(asked.length, 1);
  const control = new AbortController();
  const [given, kept] = [waiting.after(5, control.signal), waiting.after(5)];
  assert.equal(asked[1].after, 5);
  control.abort();
  await assert.rejects(given, { name: "AbortError" });
  assert.equal(asked[1].signal.aborted, false);
  asked[1].answer(6);
  await kept;
  // The last one gives up.
  const last = new AbortController();
  const gone = waiting.after(6, last.signal);
  last.abort();
  await assert.rejects(gone, { name: "AbortError" });
  assert.equal(asked[2].signal.aborted, true);
  await assert.rejects(waiting.after(6, last.signal), { name: "AbortError" });
  assert.equal(asked.length, 3);
});

test("a length is written as scenes or as time", async () => {
  const { scenesOf, timeOf } = await load("story/length.ts");
  const said = ["50", "50 scenes", "1 scene", "5 minutes", "5 min", "90 s", "0.5 h", " All ", "1 second"];
  assert.deepEqual(said.map(scenesOf), [50, 50, 1, 50, 50, 15, 300, 5000, 1]);
  assert.deepEqual(["", "0", "-3", "long", "5 apples", "1e3"].map(scenesOf), Array(6).fill(undefined));
  assert.deepEqual([1, 10, 50, 300].map(timeOf), ["6 s", "60 s", "5 min", "30 min"]);
});

test("shares of a row: what is called alike is one, what is not known comes last, and nothing is rounded to all", async () => {
  const { percent, shareText, sharesOf } = await load("timeline/shares.ts");
  assert.deepEqual([0, 0.0002, 0.5, 0.99995, 1].map(percent), [
    "0.0 %",
    "under 0.1 %",
    "50.0 %",
    "over 99.9 %",
    "100.0 %",
  ]);
  const of = (...names) => ({ kind: "thread", names, is_inferred: false, is_over: false });
  const many = ["run_user", "run_call", "ready_user", "blocked_user"];
  const states = [
    of("run_user"),
    of("ready_user"),
    of("preempted"),
    of("idle", "busy"),
    of(...many),
    of(...many, "dead"),
  ];
  const row = { row: 1, name: "web", is_count: false, unknown: 100 };
  const held = [400, 100, 150, 50, 80, 120].map((weight, state) => ({ state, weight }));
  const shares = sharesOf({ ...row, states: held }, states, 1000);
  assert.equal(shareText(shares[0], false), "runs 40.0 % (400 ns)");
  assert.ok(Math.abs(shares.reduce((sum, { part }) => sum + part, 0) - 1) < 1e-9);
  assert.deepEqual(
    shares.map(({ text, weight }) => [text, weight]),
    [
      ["runs", 400],
      ["waits for a CPU", 250],
      ["uncertain, one of many states", 200],
      ["idle or busy", 50],
      ["not known", 100],
    ],
  );
  const track = { ...row, is_count: true, unknown: 0, states: [{ state: 0, weight: 3 }] };
  assert.deepEqual(
    sharesOf(track, [of("read")], 1000).map((share) => shareText(share, true)),
    ["read 100.0 % (3 events)"],
  );
});

test("a saved picture has the text of a trace as text", async () => {
  const { escaped, report } = await load("timeline/report.ts");
  assert.equal(escaped(`<b a="1">&'\u202e`), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;\ufffd");
  const evil = "<img src=x onerror=alert(1)>";
  const loss = { number: 0, stream: evil, cpu: null, count: null, unit: "events", intervals: [[null, 5]] };
  const misfit = { number: 0, time: 1, row: null, cpu: null, event: evil, sentence: evil };
  const rows = [{ row: 0, name: evil, is_count: false, unknown: 10, states: [{ state: 0, weight: 90 }] }];
  const counts = [{ name: evil, count: 2 }];
  const text = report({
    name: evil,
    place: `#/timeline?find=${evil}`,
    summary: {
      from: 0,
      to: 100,
      is_whole: true,
      events: 2,
      all_names: 101,
      names: counts,
      rows,
      all_losses: 60,
      losses: [],
      lost_events: 0,
      uncounted_losses: 60,
      incoherences: 1,
      inferred: { all: 2, names: counts },
    },
    marks: { all_losses: 60, losses: [loss], all_incoherences: 1, incoherences: [misfit] },
    notes: [{ id: 1, revision: 1, from: 5, to: 9, row: 0, row_name: evil, text: `${evil}\nand on` }],
    states: [{ kind: "machine", names: [evil], is_inferred: false, is_over: false }],
    picture: "data:image/png;base64,",
    width: 10,
    more: 3,
    look: () => 'url("x")',
    at: (time) => `${time} ns`,
  });
  assert.equal(text.split("<img").length, 2, "the picture and no other");
  assert.ok(text.split("&lt;img src=x").length > 11);
  for (const words of [
    "5 ns to 9 ns",
    "<br>and on",
    "not known 10.0 % (10 ns)",
    "3 more rows.",
    "100 more names.",
    "59 more losses.",
    "the beginning to 5 ns",
  ])
    assert.ok(text.includes(words), words);
});
