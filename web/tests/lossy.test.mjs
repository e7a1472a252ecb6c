// What is inferred of lost records, in Play and in the list: marked by signs and words, with how sure it is and where
// recording goes on; and left out where that is asked for.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as harness from "./harness.mjs";

const SOURCE = "crates/tracewright/src/serve/play/fixture";
const CAPTURE = ["web/tests/lossy.capture", "--source-root", SOURCE];

let server;
let chromium;
let ranges;
before(async () => {
  server = await harness.serve(...CAPTURE);
  const ask = harness.asking(server);
  await harness.until(async () => (await ask("play")).phase === "done", "the capture");
  ranges = (await ask("play/profile", { thread: 1, pixels: 100 })).inferred;
  chromium = await harness.browser();
});
after(async () => {
  await chromium?.close();
  server?.close();
});

async function play(at, of = server) {
  const page = await harness.open(chromium, harness.at(of.url, `play?thread=1&at=${at}`));
  page.setDefaultTimeout(20000);
  await page.waitForSelector(".bubble.current li.now");
  return page;
}

const description = (page) => page.locator(".description").innerText();

/** Presses a key and waits until the position changed. */
async function press(page, key) {
  const was = await page.locator(".where").innerText();
  await page.keyboard.press(key);
  await page.waitForFunction((text) => document.querySelector(".where")?.textContent !== text, was);
}

test("a block that is inferred is marked by words and signs, and so is where recording goes on", async () => {
  const range = ranges.find((one) => one.end > one.begin && one.begin > 0);
  const page = await play(range.begin);
  const text = await description(page);
  assert.match(text, /Inferred, not recorded: /);
  assert.ok(text.includes(`${range.text}.`), text);
  const bubble = page.locator(".bubble.current");
  assert.match(await bubble.getAttribute("aria-label"), /runs now, inferred$/);
  const chip = bubble.locator("header .chip", { hasText: "≈ inferred" });
  assert.match(await chip.getAttribute("title"), /Recorded again from block [\d,]+ on$/);
  assert.equal(await bubble.evaluate((one) => getComputedStyle(one).outlineStyle), "dashed");
  // The row that runs: its only runs in this call are inferred, or it was recorded before, too.
  const row = bubble.locator("li.now");
  if (await row.evaluate((one) => one.classList.contains("inferred"))) {
    assert.match(await row.locator(".count").innerText(), /≈/);
    assert.match(await row.locator(".count").textContent(), /inferred/);
  }
  for (let steps = 0; !/^\W*Recorded again from here on\./.test(await description(page)); steps++) {
    assert.ok(steps < 40, `recording goes on: ${await description(page)}`);
    await press(page, "ArrowRight");
  }
  assert.equal(await page.locator(".bubble.current header .chip", { hasText: "≈ inferred" }).count(), 0);
  // Back in what is inferred.
  await press(page, "ArrowLeft");
  assert.equal(await page.locator(".bubble.current.inferred").count(), 1);
  assert.deepEqual(harness.complaints(page), []);
  await page.context().close();
});

test("rows that ran only in what is inferred are marked", async () => {
  const ask = harness.asking(server);
  let marked = 0;
  for (const { begin, end } of ranges.filter((one) => one.end > one.begin)) {
    const { frames } = await ask("play/state", { thread: 1, at: end - 1 });
    const last = frames.at(-1);
    const only = last.inferred.some(([block, count]) =>
      last.counts.some((ran) => ran[0] === block && ran[1] === count),
    );
    if (!only) continue;
    const page = await play(begin);
    await harness.until(async () => (await page.locator(".bubble.current li.inferred").count()) > 0, "a marked row");
    const row = page.locator(".bubble.current li.inferred").first();
    assert.match(await row.locator(".count").textContent(), /≈\s*inferred/);
    assert.match(await row.locator(".count").getAttribute("title"), /inferred and not recorded$/);
    await page.context().close();
    if (++marked === 2) break;
  }
  assert.ok(marked > 0, "some row ran only once");
});

test("the losses that were filled are counted, drawn and stepped to", async () => {
  const page = await play(0);
  assert.match(await page.locator("button.lost").innerText(), /lost, all inferred$/);
  await press(page, "g");
  const first = ranges.find((one) => one.begin > 0);
  assert.ok((await page.locator(".where").innerText()).startsWith(`block ${first.begin.toLocaleString("en")} of`));
  assert.match(await description(page), /Inferred, not recorded|Recorded again from here on/);
  await page.context().close();
});

test("the list marks what is inferred, and what was lost in a call", async () => {
  const ask = harness.asking(server);
  const rows = [];
  for (let from = 0; ; from += 400) {
    const found = (await ask("list", { thread: 1, from, count: 400 })).rows;
    rows.push(...found);
    if (found.length < 400) break;
  }
  const begun = rows.find((row) => row.inferred);
  const page = await harness.open(chromium, harness.at(server.url, `list?thread=1&at=${begun.at}`));
  page.setDefaultTimeout(20000);
  const row = page.locator(`#row-${begun.row}`);
  const tag = row.locator(".guess");
  assert.match(await tag.innerText(), /^≈ inferred, (the only way|\d+ % sure)$/);
  assert.ok((await tag.getAttribute("title")).startsWith(begun.inferred.text));
  // Signs and words, not colour alone.
  assert.match(
    await page
      .getByRole("row", { name: /≈ inferred/ })
      .first()
      .innerText(),
    /inferred/,
  );
  const resumed = rows.find((row) => row.resumes);
  await page.goto(harness.at(server.url, `list?thread=1&at=${resumed.at}`));
  await page.locator(`#row-${resumed.row} .again`).waitFor();
  await page.goto(harness.at(server.url, "list?thread=1&at=0"));
  const lost = ranges.reduce((sum, one) => sum + one.records, 0);
  assert.equal(await page.locator("#row-0 .partly").innerText(), `≈ ${lost} records in it`);
  assert.deepEqual(harness.complaints(page), []);
  await page.context().close();
});

test("what is inferred can be left out", async () => {
  const plain = await harness.serve(...CAPTURE, "--no-inferred");
  const page = await play(0, plain);
  assert.doesNotMatch(await page.locator("button.lost").innerText(), /inferred/);
  await press(page, "g");
  assert.match(await description(page), /lost just before this/);
  assert.equal(await page.locator(".inferred").count(), 0);
  await page.goto(harness.at(plain.url, "list?thread=1&at=0"));
  await page.locator("#row-0 .name").waitFor();
  assert.equal(await page.locator(".guess, .partly, .again").count(), 0);
  await page.context().close();
  plain.close();
});
