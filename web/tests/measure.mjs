// Measures the viewer on a large trace and a large capture: first picture, requests, frames while things move, memory.
// `cargo xtask web --measure` makes them and runs this with a release build.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browser, serve, at as toView, until } from "./harness.mjs";
import { missing, programs, record } from "./real/programs.mjs";

const traces = (process.env.TRACES ?? "").split(",").filter(Boolean);
const capture = process.env.CAPTURE;
const DEMO = ["examples/bakery/bakery.capture", "--source-root", "examples/bakery"];
// What is kept of an opened trace goes into a folder of its own, so that the first time is a first time; `CACHE` names
// one that stays.
const cache = process.env.CACHE ?? mkdtempSync(join(tmpdir(), "tracewright-measure-"));
process.env.XDG_CACHE_HOME = cache;
const chromium = await browser();
let failed = 0;

const at = (times, share) => {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};

/** Megabytes that a process holds: its own, and with the files that it shares with others, which are mostly the browser. */
function resident(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const of = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
    return { own: of("RssAnon") + of("RssShmem"), all: of("VmRSS") };
  } catch {
    return { own: 0, all: 0 };
  }
}

function row(what, value, unit, most) {
  const verdict = most === undefined ? "" : value <= most ? `ok, at most ${most}` : `MISSED, at most ${most}`;
  if (verdict.startsWith("MISSED")) failed += 1;
  console.log(`  ${what.padEnd(52)} ${value.toFixed(value < 10 ? 2 : 0).padStart(8)} ${unit.padEnd(4)} ${verdict}`);
}

let seed = 42;
const random = () => {
  seed = (seed * 48271) % 2147483647;
  return seed / 2147483647;
};

/** A server and a page on it. */
async function openView(args) {
  const began = performance.now();
  const server = await serve(...args);
  const context = await chromium.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  await page.goto(args[0]?.endsWith(".capture") ? toView(server.url, "play?blocks=1") : server.url);
  const token = server.url.split("token=")[1];
  const base = server.url.split("/#")[0];
  // As the page does: an answer that takes long is asked for again once it is there. `longest` tells of the requests that this took.
  const ask = async (path) => {
    for (ask.longest = 0; ; ) {
      const began = performance.now();
      const answer = await fetch(`${base}/api/${path}`, { headers: { Authorization: `Bearer ${token}` } });
      const text = await answer.text();
      ask.longest = Math.max(ask.longest, performance.now() - began);
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
      if (answer.status !== 202) return JSON.parse(text);
      await fetch(`${base}/api/finished?after=${JSON.parse(text).finished}`, {
        headers: { Authorization: `Bearer ${token}` },
      });
    }
  };
  const close = async () => {
    await context.close();
    server.close();
  };
  return { server, page, ask, close, passed: () => (performance.now() - began) / 1000 };
}

/** When the page that was opened last began to load, until now. */
const sinceNavigation = (page) => page.evaluate(() => performance.now() / 1000);

/** Rows with colours in them. */
const timelineIsDrawn = (page) =>
  page.waitForFunction(
    () => {
      const canvas = [...document.querySelectorAll("canvas")].sort((a, b) => b.height - a.height)[0];
      if (!canvas) return false;
      const data = canvas.getContext("2d").getImageData(300, 80, 200, 60).data;
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return seen.size > 3;
    },
    undefined,
    { polling: 20, timeout: 240000 },
  );
/** A bubble with the line that runs. */
const playIsDrawn = (page) => page.waitForSelector(".bubble.current li.now", { timeout: 240000 });

/** How long requests take: for each kind a path that is made anew each time. */
async function requests(ask, kinds, rounds) {
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  const single = [];
  for (let round = 0; round < rounds; round++) {
    for (const [kind, make] of Object.entries(kinds)) {
      const path = make();
      const began = performance.now();
      await ask(path);
      times[kind].push(performance.now() - began);
      single.push(ask.longest);
    }
  }
  const all = Object.values(times).flat();
  for (const [kind, list] of Object.entries(times)) {
    row(`answer ${kind}: median`, at(list, 0.5), "ms");
    row(`answer ${kind}: 99th percentile`, at(list, 0.99), "ms", 50);
  }
  row(`all ${all.length} answers: 99th percentile`, at(all, 0.99), "ms", 50);
  row(`their requests: 99th percentile`, at(single, 0.99), "ms", 50);
}

/** Frames while `move` lasts. */
async function frames(page, what, move) {
  await page.evaluate(() => {
    window.frames_ = [];
    let last = performance.now();
    const step = (now) => {
      window.frames_.push(now - last);
      last = now;
      if (window.frames_) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  await move();
  const times = await page.evaluate(() => {
    const times = window.frames_;
    window.frames_ = undefined;
    return times;
  });
  const list = times.slice(5);
  row(`frame while ${what}: median of ${list.length}`, at(list, 0.5), "ms");
  row(`frame while ${what}: 95th percentile`, at(list, 0.95), "ms", 17);
}

async function memory(page, server) {
  const heap = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  row("memory of the page (JavaScript)", heap / 1e6, "MB", 300);
  const processes = await (await chromium.newBrowserCDPSession()).send("SystemInfo.getProcessInfo");
  const renderers = processes.processInfo
    .filter((process) => process.type === "renderer")
    .map((process) => resident(process.id));
  const most = renderers.reduce((one, other) => (other.own > one.own ? other : one), { own: 0, all: 0 });
  row("memory of the page's process, its own", most.own, "MB", 300);
  row("the same with the browser's program, which all share", most.all, "MB");
  row("memory of the server", resident(server.pid).own, "MB");
}

async function drag(page, from, to, steps) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps });
  await page.mouse.up();
}

async function measureTrace(trace) {
  console.log(`\n${trace.split("/").pop()}`);
  const first = await openView([trace]);
  await timelineIsDrawn(first.page);
  row("opened for the first time: first picture, of a part", first.passed(), "s");
  const whole = await until(
    async () => {
      const about = await first.ask("timeline");
      return about.phase === "done" ? about : undefined;
    },
    "the whole trace to be read",
    900,
  );
  row("opened for the first time: all read", first.passed(), "s");
  await first.close();

  const view = await openView([trace]);
  await timelineIsDrawn(view.page);
  row("first picture, from the opening of the page", await sinceNavigation(view.page), "s", 1);
  row("first picture, with the start of the program", view.passed(), "s");
  const about = await until(
    async () => ((await view.ask("timeline")).phase === "done" ? view.ask("timeline") : undefined),
    "the index",
  );
  if (about.events !== whole.events) throw new Error("another number of events than at the first time");
  row("events", about.events, "");
  const rows = (await view.ask("timeline/rows")).rows
    .slice(0, 30)
    .map((row) => row.row)
    .join(",");
  if (about.is_kernel) {
    // What is lost is looked for meanwhile, which takes a processor; requests are measured beside it, too.
    row("losses", about.losses, "");
  }
  const span = () => about.length * 10 ** (-6 * random());
  const range = () => {
    const length = span();
    const from = Math.floor(random() * (about.length - length));
    return `from=${from}&to=${Math.floor(from + length)}`;
  };
  await requests(
    view.ask,
    {
      "for states": () => `timeline/states?${range()}&width=1800&rows=${rows}`,
      "for the histogram": () => `timeline/histogram?${range()}&width=500`,
      "for marks": () => `timeline/marks?${range()}`,
      "for events": () => `timeline/events?time=${Math.floor(random() * about.length)}&count=80`,
      "for the next doubt": () => `timeline/step?kind=doubt&time=${Math.floor(random() * about.length)}`,
    },
    300,
  );
  await view.page.mouse.move(800, 400);
  await frames(view.page, "scrubbing", async () => {
    for (let iteration = 0; iteration < 20; iteration++) {
      await view.page.keyboard.down("Control");
      await view.page.mouse.wheel(0, iteration % 2 ? 60 : -120);
      await view.page.keyboard.up("Control");
      await drag(view.page, [800, 400], [800 - 60 * (iteration % 2 ? 1 : -1), 400], 6);
    }
  });
  await memory(view.page, view.server);
  await view.close();
}

async function measureCapture(path) {
  console.log(`\n${path.split("/").pop()}`);
  const first = await openView([path, "--source-root", "web/tests"]);
  await playIsDrawn(first.page);
  row("opened for the first time: all read, first picture", first.passed(), "s");
  await first.close();

  const view = await openView([path, "--source-root", "web/tests"]);
  await playIsDrawn(view.page);
  row("first picture, from the opening of the page", await sinceNavigation(view.page), "s", 1);
  row("first picture, with the start of the program", view.passed(), "s");
  const overview = await view.ask("play");
  for (const thread of [...overview.recording.threads].sort((one, other) => other.blocks - one.blocks).slice(0, 2)) {
    console.log(
      `  thread ${thread.name}: ${thread.blocks.toLocaleString("en")} blocks, ${thread.calls.toLocaleString("en")} calls, ${thread.depth} deep`,
    );
    const position = () => Math.floor(random() * thread.blocks);
    const call = () => Math.floor(random() * (thread.calls - 100));
    const go = () => ["next", "back", "over", "backover", "out", "outback"][Math.floor(random() * 6)];
    const words = ["iteration", "rabbits", "three", "Wander.java:17", "text:sum"];
    for (const query of words) {
      const began = performance.now();
      await view.ask(`list/find?thread=${thread.serial}&at=0&query=${encodeURIComponent(query)}`);
      row(`the first search for ${query}`, performance.now() - began, "ms", 50);
    }
    await requests(
      view.ask,
      {
        "for a state": () => `play/state?thread=${thread.serial}&at=${position()}`,
        "for a step": () => `play/step?thread=${thread.serial}&at=${position()}&go=${go()}`,
        "for a step with loops unfolded": () =>
          `play/step?thread=${thread.serial}&at=${position()}&go=${go()}&unfold=all`,
        "for rows of the list": () => `list?thread=${thread.serial}&from=${call()}&count=100`,
        "for rows with a filter": () => `list?thread=${thread.serial}&from=0&count=100&first=true`,
        "for the next match": () =>
          `list/find?thread=${thread.serial}&at=${call()}&query=${encodeURIComponent(words[Math.floor(random() * words.length)])}`,
        "for a line to run": () =>
          `play/until?thread=${thread.serial}&at=${position()}&method=${Math.floor(random() * 8)}&line=${10 + Math.floor(random() * 40)}`,
        "for the profile": () => `play/profile?thread=${thread.serial}&pixels=${1000 + Math.floor(random() * 280)}`,
      },
      120,
    );
  }
  await view.page.goto(
    `${view.server.url.split("#")[0]}#/list?thread=${overview.recording.threads.reduce((one, other) => (one.calls > other.calls ? one : other)).serial}`,
  );
  await view.page.waitForSelector(".row .name");
  row("rows of the list", Number(await view.page.locator("[role=grid]").getAttribute("aria-rowcount")), "", undefined);
  await view.page.mouse.move(500, 400);
  await frames(view.page, "scrolling the list", async () => {
    for (let iteration = 0; iteration < 120; iteration++) await view.page.mouse.wheel(0, 260);
  });
  await frames(view.page, "drawing the list's bar over all rows", async () => {
    const bar = await view.page.locator("[role=scrollbar]").boundingBox();
    await drag(view.page, [bar.x + 6, bar.y + 10], [bar.x + 6, bar.y + bar.height - 10], 120);
  });
  await view.page.keyboard.press("End");
  await view.page.waitForTimeout(300);
  await memory(view.page, view.server);
  await view.close();
}

async function measureDemo() {
  console.log("\nthe demo");
  const view = await openView(DEMO);
  await playIsDrawn(view.page);
  row("first picture, from the opening of the page", await sinceNavigation(view.page), "s", 1);
  const slider = await view.page.locator("[role=slider]").boundingBox();
  const middle = slider.y + slider.height / 2;
  await frames(view.page, "scrubbing", async () => {
    for (let iteration = 0; iteration < 4; iteration++) {
      await drag(view.page, [slider.x + 20, middle], [slider.x + slider.width - 20, middle], 100);
      await drag(view.page, [slider.x + slider.width - 20, middle], [slider.x + 20, middle], 100);
    }
  });
  await view.page.keyboard.press("Home");
  for (let faster = 0; faster < 4; faster++) await view.page.keyboard.press(".");
  await frames(view.page, "playing, 20 steps a second", async () => {
    await view.page.keyboard.press(" ");
    await view.page.waitForTimeout(5000);
    await view.page.keyboard.press(" ");
  });
  await view.page.keyboard.press("0");
  await frames(view.page, "moving the stage with all bubbles in sight", async () => {
    await view.page.mouse.move(640, 300);
    for (let iteration = 0; iteration < 60; iteration++)
      await view.page.mouse.wheel(iteration % 20 < 10 ? 30 : -30, iteration % 30 < 15 ? 20 : -20);
    await view.page.keyboard.down("Control");
    for (let iteration = 0; iteration < 60; iteration++) await view.page.mouse.wheel(0, iteration % 20 < 10 ? 30 : -30);
    await view.page.keyboard.up("Control");
  });
  await view.page.getByRole("link", { name: "List", exact: true }).click();
  await view.page.waitForSelector(".row .name");
  await view.page.mouse.move(500, 400);
  await frames(view.page, "scrolling the list", async () => {
    for (let iteration = 0; iteration < 120; iteration++)
      await view.page.mouse.wheel(0, iteration % 40 < 20 ? 90 : -90);
  });
  await memory(view.page, view.server);
  await view.close();
}

/** Real programs and the generated one: frames while Play goes to random positions and steps from there. */
async function measurePrograms() {
  for (const name of ["generated", ...Object.keys(programs)]) {
    console.log(`\n${name}`);
    const why = missing(name);
    if (why) {
      console.log(`  left out: ${why}`);
      continue;
    }
    const recorded = record(name);
    const view = await openView([recorded.capture, "--source-root", recorded.folder]);
    await playIsDrawn(view.page);
    const { threads } = (await view.ask("play")).recording;
    const long = threads.filter((thread) => thread.blocks > 100);
    await frames(view.page, "stepping at 200 random positions", async () => {
      for (let count = 0; count < 200; count++) {
        const thread = long[Math.floor(random() * long.length)];
        const at = Math.floor(random() * thread.blocks);
        await view.page.evaluate((hash) => {
          location.hash = hash;
        }, `#/play?thread=${thread.serial}&at=${at}`);
        await view.page.waitForTimeout(100);
        for (let step = 0; step < 4; step++) await view.page.keyboard.press("ArrowRight");
      }
    });
    await memory(view.page, view.server);
    await view.close();
    recorded.remove();
  }
}

// `node tests/measure.mjs demo traces capture programs`: all, unless some are named.
const wanted = (part) => process.argv.length < 3 || process.argv.includes(part);
if (wanted("demo")) await measureDemo();
if (wanted("programs")) await measurePrograms();
if (wanted("traces")) for (const trace of traces) await measureTrace(trace);
if (wanted("capture") && capture) await measureCapture(capture);
else if (!capture) console.log("\nno capture was given: CAPTURE=path");
await chromium.close();
if (!process.env.CACHE) rmSync(cache, { recursive: true, force: true });
// Figures are told; whoever runs this judges them, because a machine that does other work misses them all.
console.log(failed ? `\n${failed} figures were missed` : "\nall figures were met");
