// Play and List in a browser: a small program played forward and back, a loop unfolded, a search, a
// deep link opened again at the same place.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import * as harness from "./harness.mjs";

const CAPTURE = "web/tests/bakery.capture";
const SOURCE = "crates/tracewright/src/serve/play/fixture";

let server;
let chromium;
const diagnostics = [];
before(async () => {
  server = await harness.serve(CAPTURE, "--source-root", SOURCE);
  chromium = await harness.browser();
});
after(async () => {
  await chromium?.close();
  server?.close();
});

/** A page in Play; what it complains of is kept for the last test. */
async function open(url) {
  const page = await harness.open(chromium, harness.at(url, "play?blocks=1"));
  page.setDefaultTimeout(20000);
  diagnostics.push(page.diagnostics);
  return page;
}

/** The page in Play, ready. */
async function play() {
  const page = await open(server.url);
  await page.waitForSelector(".bubble.current li.now");
  return page;
}

const description = (page) => page.locator(".description").innerText();
const where = (page) => page.locator(".where").innerText();
const current = (page) => page.locator(".bubble.current strong").innerText();

/** Presses a key and waits until the position changed. */
async function step(page, key) {
  const was = await where(page);
  await page.keyboard.press(key);
  await page.waitForFunction((text) => document.querySelector(".where")?.textContent !== text, was);
}

/** Where each bubble stands. */
const places = (page) =>
  page
    .locator(".bubble[data-context]")
    .evaluateAll((all) =>
      Object.fromEntries(
        all.map((one) => [
          one.dataset.context,
          [one.style.left, one.style.top, one.style.width, one.style.height].join(" "),
        ]),
      ),
    );

test("marks stand in the list and on the scrubber, and lead there", async () => {
  const marked = await harness.serve("web/tests/marked.capture");
  try {
    const page = await open(marked.url);
    const flags = page.locator(".lane button.mark");
    await flags.first().waitFor();
    assert.equal(await flags.count(), 2);
    await page.getByRole("button", { name: "Go to mark two" }).click();
    await page.waitForFunction(
      () => document.querySelector("canvas[role=slider]")?.getAttribute("aria-valuenow") === "24471",
    );
    await page.getByRole("link", { name: "List", exact: true }).click();
    await page.getByLabel("Go to a mark").selectOption({ label: "one" });
    const row = page.locator(".row", { has: page.locator("span.mark") }).first();
    await row.waitFor();
    assert.match(await row.innerText(), /⚑ one/);
    assert.match(await row.innerText(), /Shop/);
    await page.close();
  } finally {
    marked.close();
  }
});

test("the playback goes forward to the end and back the same way, and no bubble ever moves", async () => {
  const page = await play();
  const forward = [await where(page)];
  const stand = {};
  const calls = [];
  for (;;) {
    const was = await where(page);
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(
      (text) =>
        document.querySelector(".where")?.textContent !== text ||
        document.querySelector(".description")?.textContent?.includes("the end"),
      was,
    );
    if ((await description(page)).includes("the end")) break;
    forward.push(await where(page));
    calls.push(await current(page));
    for (const [context, place] of Object.entries(await places(page))) {
      assert.equal(stand[context] ?? place, place, `bubble ${context} moved`);
      stand[context] = place;
    }
  }
  assert.ok(forward.at(-1).startsWith("block 20,657"), forward.at(-1));
  for (const name of ["main", "new Oven", "sell", "bake", "heat", "lambda in bake", "turn", "close", "cool"])
    assert.ok(calls.includes(name), name);
  const backward = [await where(page)];
  while (!(await where(page)).startsWith("block 0 ")) {
    await step(page, "ArrowLeft");
    backward.push(await where(page));
  }
  assert.deepEqual(backward.reverse(), forward);
  await page.close();
});

test("what happens is described, and the lines are lit by what ran", async () => {
  const page = await play();
  assert.match(await description(page), /The recording begins in main/);
  while ((await current(page)) !== "sell") await step(page, "ArrowRight");
  assert.match(await description(page), /main calls sell/);
  const rows = page.locator(".bubble.current li");
  assert.deepEqual(await rows.evaluateAll((all) => all.map((one) => one.className.split(" ")[0])), [
    "gap",
    "now",
    "now",
    "never",
    "never",
    "gap",
    "never",
    "gap",
  ]);
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.querySelector(".where")?.textContent?.startsWith("block 20,657"));
  await page.waitForSelector(".bubble.threw");
  const threw = page.locator(".bubble.threw strong");
  assert.deepEqual(await threw.allInnerTexts(), ["cool"]);
  await page.close();
});

test("a loop is gone through once, and iteration by iteration when it is unfolded", async () => {
  const page = await play();
  while ((await current(page)) !== "sell") await step(page, "ArrowRight");
  await step(page, "ArrowRight");
  const chip = page.locator(".bubble.current .chip");
  assert.match(await chip.innerText(), /1 of 160/);
  // Over the call and over the line behind it: the rest of the loop is left out.
  let skipped = "";
  for (let at = 0; at < 5 && !skipped; at++) {
    await step(page, "Shift+ArrowRight");
    if ((await description(page)).includes("skipped")) skipped = await description(page);
  }
  assert.match(skipped, /159 more iterations of the loop are skipped/);
  await step(page, "ArrowLeft");
  await page.locator(".bubble.current .chip").click();
  const panel = page.locator('section[aria-label="Iterations of a loop"]');
  await panel.getByText(/160 iterations, of \d+ kinds/).waitFor();
  await panel.getByLabel(/Play every iteration/).check();
  await page.keyboard.press("Escape");
  await page
    .locator(".stage")
    .focus()
    .catch(() => undefined);
  await step(page, "ArrowRight");
  assert.match(await page.locator(".bubble.current .chip").innerText(), /2 of 160/);
  await step(page, "t");
  assert.match(await page.locator(".bubble .chip").first().innerText(), /of/);
  await page.waitForFunction(() => /unfold=/.test(location.hash));
  await page.close();
});

test("a line that is clicked is played to, and a call is expanded by hand before it is made", async () => {
  const page = await play();
  await page
    .locator('.bubble[data-context="0"] li', { hasText: "close(oven)" })
    .getByRole("button", { name: /what this line calls/ })
    .click();
  await page.waitForSelector(".bubble.future");
  assert.equal(await page.locator(".bubble.future strong").innerText(), "close");
  const place = (await places(page))[(await page.locator(".bubble.future").getAttribute("data-context")) ?? ""];
  await page.locator('.bubble[data-context="0"]').getByRole("button", { name: "Play until line 13" }).click();
  await page.waitForFunction(() => /line 13 of main/.test(document.querySelector(".description")?.textContent ?? ""));
  await step(page, "ArrowRight");
  assert.equal(await current(page), "close");
  assert.equal((await places(page))[(await page.locator(".bubble.current").getAttribute("data-context")) ?? ""], place);
  await page.close();
});

test("a link opens at the same place: thread, position, folds, pins and camera", async () => {
  const page = await play();
  for (let at = 0; at < 12; at++) await step(page, "ArrowRight");
  await page.keyboard.press("p");
  await page.keyboard.press("x");
  await page.keyboard.press("-");
  await page.keyboard.press("d");
  await page.waitForFunction(
    () => /camera=/.test(location.hash) && /pin=/.test(location.hash) && /unfold=/.test(location.hash),
  );
  await page.waitForTimeout(400);
  const look = async (page) => ({
    where: await where(page),
    current: await current(page),
    places: await places(page),
    world: (await page.locator(".world").evaluate((one) => one.style.transform)).replace(/[\d.]+/g, (number) =>
      Number(number).toFixed(1),
    ),
    pinned: await page.locator('.bubble [aria-label="Let it go"]').count(),
  });
  const before = await look(page);
  const url = page.url();
  // The secret is kept by the browser, so a second tab of it needs none in the address.
  const again = await page.context().newPage();
  const said = [];
  again.on("console", (message) => void (["error", "warning"].includes(message.type()) && said.push(message.text())));
  diagnostics.push(said);
  await again.goto(url);
  await again.waitForSelector(".bubble.current li.now");
  assert.deepEqual(await look(again), before);
  assert.ok(!url.includes("token"), "the secret does not stay in the address");
  await page.close();
  await again.close();
});

test("an address that is pasted while Play is there moves to it, in its thread and in others", async () => {
  const several = await harness.serve("web/tests/tasks.capture", "--source-root", "web/tests/tasks");
  const page = await open(several.url);
  await page.waitForSelector(".bubble.current li.now");
  const loaded = [];
  page.on("request", (request) => {
    const thread = /play\/contexts\?thread=(\d+)/.exec(request.url());
    if (thread) loaded.push(thread[1]);
  });
  await page.locator(".stage").evaluate((stage) => stage.setAttribute("data-first", ""));
  const [first, other] = await page.locator(".top select option").evaluateAll((all) => all.map((one) => one.value));
  const paste = (thread, at) =>
    page.evaluate((hash) => (location.hash = hash), `#/play?blocks=1&thread=${thread}&at=${at}`);
  const arrive = (thread, at) =>
    page.waitForFunction(
      ([thread, at]) =>
        document.querySelector(".top select").value === thread &&
        document.querySelector("[role=slider]")?.ariaValueNow === String(at) &&
        document.querySelector(".bubble.current li.now"),
      [thread, at],
    );
  for (const [thread, at] of [
    [first, 5],
    [first, 2],
    [other, 1],
  ]) {
    await paste(thread, at);
    await arrive(thread, at);
  }
  assert.deepEqual(loaded, [other], "what is known of a thread is not asked for again");
  // Whoever goes on before a thread is there arrives where he wanted to go last.
  for (const [thread, at] of [
    [first, 1],
    [other, 3],
    [first, 4],
  ])
    await paste(thread, at);
  await arrive(first, 4);
  await page.waitForTimeout(300);
  await arrive(first, 4);
  assert.equal(await page.locator(".stage[data-first]").count(), 1, "the page was not built anew");
  await page.close();
  several.close();
});

test("playing goes on by itself and stops at a key", async () => {
  const page = await play();
  await page.getByLabel("Steps a second").selectOption("20");
  await page.locator(".description").click();
  await page.keyboard.press(" ");
  await page.waitForFunction(
    () =>
      !document.querySelector(".where")?.textContent?.startsWith("block 0 ") &&
      document.querySelectorAll(".bubble").length > 3,
  );
  await page.keyboard.press(" ");
  await page.waitForTimeout(250);
  const stopped = await where(page);
  await page.waitForTimeout(400);
  assert.equal(await where(page), stopped);
  await page.close();
});

test("the list finds calls and leads to Play", async () => {
  const page = await play();
  await page.getByRole("link", { name: "List", exact: true }).click();
  await page.waitForSelector(".row .name");
  assert.equal(await page.locator('[role="grid"]').getAttribute("aria-rowcount"), "5699");
  await page.keyboard.press("/");
  await page.keyboard.type("oven.heat");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /1 of 20/.test(document.querySelector(".found")?.textContent ?? ""));
  assert.equal(await page.locator(".row.selected .name").innerText(), "heat");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /2 of 20/.test(document.querySelector(".found")?.textContent ?? ""));
  await page.keyboard.press("Escape");
  await page.keyboard.press("N");
  await page.waitForFunction(() => /1 of 20/.test(document.querySelector(".found")?.textContent ?? ""));
  await page.keyboard.press("End");
  await page.waitForFunction(() => /5,699/.test(document.querySelector(".row.selected .number")?.textContent ?? ""));
  await page.waitForFunction(() => document.querySelector(".row.selected .name")?.textContent === "cool");
  await page.keyboard.press("1");
  await page.waitForFunction(() => document.querySelector('[role="grid"]')?.getAttribute("aria-rowcount") === "9");
  await page.waitForFunction(() => document.querySelector(".row.selected .name")?.textContent === "cool");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".bubble.current li.now");
  assert.equal(await current(page), "cool");
  await page.close();
});

test("text of the source is found, and every control has a name", async () => {
  const page = await play();
  const nameless = await page
    .locator("button, select, input, a, [role=slider]")
    .evaluateAll((all) =>
      all
        .filter(
          (one) => !(one.getAttribute("aria-label") || one.textContent?.trim() || one.closest("label") || one.title),
        )
        .map((one) => one.outerHTML),
    );
  assert.deepEqual(nameless, []);
  await page.getByRole("link", { name: "List", exact: true }).click();
  await page.getByLabel("Search calls").fill("text:come back");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /1 of 1/.test(document.querySelector(".found")?.textContent ?? ""));
  assert.equal(await page.locator(".row.selected .name").innerText(), "close");
  await page.close();
});

test("in a narrow window nothing of the bar is cut, and a name outlasts its class", async () => {
  const page = await play();
  await page.setViewportSize({ width: 760, height: 620 });
  await step(page, "ArrowRight");
  for (const part of await page.locator(".bar > *:not(.gap, .rest)").all()) {
    const box = await part.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 760 && box.y + box.height <= 620, await part.textContent());
  }
  const widths = await page.locator(".bubble.current header").evaluate((header) => {
    const chip = header.querySelector(".room");
    chip.style.flex = `0 0 ${header.clientWidth - 180}px`;
    return [...header.querySelectorAll("strong, .class")].map((part) => [part.clientWidth, part.scrollWidth]);
  });
  assert.ok(widths[0][0] === widths[0][1] && widths[1][0] < widths[1][1], JSON.stringify(widths));
  await page.context().close();
});

test("a search that takes long is waited for, also when it was asked for before anything was there", async () => {
  const page = await play();
  const url = new URL(page.url());
  let waits = 0;
  // The threads come late, and the search is told twice to come again.
  await page.route("**/api/play", async (route) => {
    await new Promise((later) => setTimeout(later, 400));
    await route.continue();
  });
  await page.route("**/api/list/find*", (route) =>
    waits++ < 2 ? route.fulfill({ status: 202, json: { finished: waits - 1 } }) : route.continue(),
  );
  await page.route("**/api/finished*", (route) => route.fulfill({ json: { finished: waits } }));
  await page.goto(`${url.origin}/#/list`);
  await page.reload();
  await page.getByLabel("Search calls").fill("close");
  await page.keyboard.press("Enter");
  await page.getByText("searching…").waitFor();
  await page.waitForFunction(() => /^\d+ of \d+/.test(document.querySelector(".found")?.textContent ?? ""));
  assert.equal(await page.locator(".row.selected .name").innerText(), "close");
  assert.equal(waits, 3);
  await page.close();
});

test("a word means classes and methods, and a package only where dots name it", async () => {
  const page = await play();
  await page.getByRole("link", { name: "List", exact: true }).click();
  await page.waitForSelector(".row .name");
  const found = async (text) => {
    await page.getByLabel("Search calls").fill(text);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /of|nothing/.test(document.querySelector(".found")?.textContent ?? ""));
    return (await page.locator(".found").innerText()).replace(/^[\d,]+ of /, "");
  };
  assert.equal(await found("shop"), "nothing found");
  assert.equal(await found("shop.oven.heat"), "20");
  assert.equal(await found("oven.heat"), "20");
  await page.close();
});

test("without source the bubbles show byte code", async () => {
  const plain = await harness.serve(CAPTURE);
  const page = await open(plain.url);
  await page.waitForSelector(".bubble.current li.now");
  assert.match(await page.locator(".bubble.current").innerText(), /new shop.Oven|invokespecial|invokestatic/);
  await page.close();
  plain.close();
});

test("it plays until a line, and is there at once where that is asked for", async () => {
  const context = await chromium.newContext({ viewport: { width: 1280, height: 720 }, reducedMotion: "no-preference" });
  const page = await context.newPage();
  await page.goto(harness.at(server.url, "play?blocks=1"));
  await page.waitForSelector(".bubble.current li.now");
  await page.getByLabel("Steps a second").selectOption({ label: "60 steps/s" });
  // The last line with code of the outermost call: a long way, on which much is seen.
  const line = page.locator('.bubble[data-context="0"] .line:not(:disabled)').last();
  const number = await line.innerText();
  await page.evaluate(() => {
    window.seen = new Set();
    new MutationObserver(() => window.seen.add(document.querySelector(".where").textContent)).observe(
      document.querySelector(".where"),
      { characterData: true, subtree: true, childList: true },
    );
  });
  await line.click();
  await page.getByRole("button", { name: `Playing until line ${number}: go there at once` }).waitFor();
  await page.waitForFunction(() => window.seen.size > 8);
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await page.getByRole("button", { name: /go there at once/ }).click();
  const arrived = async () =>
    (await page.locator('.bubble[data-context="0"] li.now .line').allInnerTexts()).includes(number);
  await harness.until(arrived, "the line");
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  const there = await where(page);
  // Played to the end it stops at the same block.
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.querySelector(".where").textContent.startsWith("block 0 "));
  await line.click();
  await page.waitForFunction(
    (text) =>
      document.querySelector(".where").textContent === text && document.querySelector('[aria-label="Play"].primary'),
    there,
    { timeout: 60000 },
  );
  await context.close();
});

test("a recursion is played in one bubble, and in a bubble for each call when that is asked for", async () => {
  const bakery = await harness.serve("examples/bakery/bakery.capture", "--source-root", "examples/bakery");
  const page = await open(`${bakery.url}`);
  await page.waitForSelector(".bubble.current li.now");
  await page.locator(".top select").first().selectOption({ index: 1 });
  await page.waitForFunction(() => document.querySelector(".where")?.textContent?.startsWith("block 0 "));
  await page.getByRole("link", { name: "List", exact: true }).click();
  await page.getByLabel("Search calls").fill("Dough.fold");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /^1 of/.test(document.querySelector(".found")?.textContent ?? ""));
  await page.getByRole("button", { name: /Play from here/ }).click();
  await page.waitForFunction(() => document.querySelector(".bubble.current strong")?.textContent === "fold");
  const deep = page.locator(".bubble.current .chip").filter({ hasText: "2 deep" });
  for (let count = 0; count < 6 && !(await deep.count()); count++) await step(page, "ArrowRight");
  await deep.waitFor();
  const folds = page.locator(".bubble").filter({ has: page.locator("strong", { hasText: /^fold$/ }) });
  assert.equal(await folds.count(), 1);
  await page.keyboard.press("r");
  await harness.until(async () => (await folds.count()) > 1, "a bubble for each call");
  await harness.until(async () => page.url().includes("recursion=open"), "the address");
  assert.equal(await page.locator(".chip").filter({ hasText: "deep" }).count(), 0);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await harness.until(
    async () =>
      (await other
        .locator(".bubble")
        .filter({ has: other.locator("strong", { hasText: /^fold$/ }) })
        .count()) > 1,
    "the same at the copied address",
  );
  await other.close();
  await page.close();
  bakery.close();
});

test("what was lost is marked, described and counted, and the rest is played", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tracewright-web-"));
  try {
    const copy = join(folder, "lossy.capture");
    cpSync(join(harness.root, CAPTURE), copy, { recursive: true });
    // As a disk leaves it that failed in the middle.
    const steps = readFileSync(join(copy, "steps"));
    steps.fill(0, 600, 640);
    writeFileSync(join(copy, "steps"), steps);
    const lossy = await harness.serve(copy, "--source-root", SOURCE);
    const page = await open(lossy.url);
    await page.waitForSelector(".bubble.current li.now");
    await page.locator("button.lost").waitFor();
    const total = Number((await where(page)).match(/of ([\d,]+)/)[1].replaceAll(",", ""));
    assert.ok(total > 1000 && total < 20658, `${total} blocks are left`);
    await page.keyboard.press("g");
    await page.waitForFunction(() => /lost/.test(document.querySelector(".description")?.textContent ?? ""));
    await page.close();
    lossy.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("source comes from an archive too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tracewright-web-"));
  try {
    const archive = join(folder, "sources.jar");
    const files = ["Bakery.java", "Oven.java"].map((name) => [
      `shop/${name}`,
      readFileSync(join(harness.root, SOURCE, "shop", name)),
    ]);
    writeFileSync(archive, zip(files));
    const fromJar = await harness.serve(CAPTURE, "--source-root", archive);
    const page = await open(fromJar.url);
    await page.waitForSelector(".bubble.current li.now");
    assert.match(await page.locator(".bubble.current").innerText(), /public static void main/);
    await page.close();
    fromJar.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The checksum of an archive; Node's own came with 20.15 and 22.2. */
function crc32(bytes) {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum;
}

/** An archive of packed files, as `jar` makes them. */
function zip(files) {
  const parts = [];
  const list = [];
  let at = 0;
  for (const [name, bytes] of files) {
    const packed = deflateRawSync(bytes);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(8, 4);
    head.writeUInt32LE(crc32(bytes) >>> 0, 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(bytes.length, 18);
    head.writeUInt16LE(name.length, 22);
    const entry = Buffer.alloc(46);
    entry.write("PK\u0001\u0002", "latin1");
    entry.writeUInt16LE(20, 4);
    head.copy(entry, 6);
    entry.writeUInt32LE(at, 42);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), head, Buffer.from(name), packed]);
    parts.push(local);
    list.push(entry, Buffer.from(name));
    at += local.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}

test("nothing was complained of", () => assert.deepEqual(diagnostics.flat(), []));
