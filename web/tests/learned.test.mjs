// The timeline of a program's own log by a learned model: bands of states for each instance, an inferred event in the row
// that it concerns, and what does not fit.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { at, browser, complaints, open, pixel, run, serve, until } from "./harness.mjs";

const EVENTS = ["request_accepted", "query_started", "query_finished", "response_sent"];

/** Requests, three at a time; the one with the number `lost` is not seen to begin its query. */
function log(lost) {
  const lines = [];
  for (let number = 0; number < EVENTS.length * 150; number++) {
    const [round, place] = [Math.floor(number / 12), number % 12];
    const [request, event] = [3 * round + (place % 3), Math.floor(place / 3)];
    const line = {
      ts: 1000 * (number + 1),
      name: EVENTS[event],
      fields: { request: `r${request}`, bytes: (number * 31) % 900 },
    };
    if (request !== lost || event !== 1) lines.push(JSON.stringify(line));
  }
  return `${lines.join("\n")}\n`;
}

let folder;
let server;
let chromium;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "tracewright-web-"));
  const [whole, left, model] = ["whole.jsonl", "left.jsonl", "model.xml"].map((name) => join(folder, name));
  writeFileSync(whole, log());
  writeFileSync(left, log(4));
  run("learn", whole, "-o", model);
  server = await serve(left, "--model", model);
  chromium = await browser();
});
after(async () => {
  await chromium?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("instances of a learned machine have rows, and what is inferred stands in theirs", async () => {
  const page = await open(chromium, at(server.url, "timeline"));
  page.setDefaultTimeout(20000);
  await page.getByRole("button", { name: "Repaired" }).waitFor();
  // To what does not fit, and to what is inferred because of it.
  await page.keyboard.press("i");
  const facts = page.locator(".facts");
  await facts.getByText("request r4 was in state after request_accepted, which does not take query_finished").waitFor();
  await page.keyboard.press("Home");
  await page.keyboard.press("E");
  await page.keyboard.press("e");
  await facts.getByRole("heading", { name: "Inferred, not observed" }).waitFor();
  assert.match(await facts.innerText(), /query_started/);
  await until(async () => /inferred=0/.test(page.url()), "the address");
  assert.match(await facts.innerText(), /request r4/);
  assert.deepEqual(complaints(page), []);
  await page.context().close();
});

test("the states of a learned machine are drawn in its row", async () => {
  const page = await open(chromium, at(server.url, "timeline?from=0&to=12000"));
  page.setDefaultTimeout(20000);
  await page.getByRole("button", { name: "Repaired" }).waitFor();
  const box = await page.getByRole("region", { name: "Rows of states" }).boundingBox();
  const [label, height, lanes] = [216, 23, 68];
  /** The colour that is drawn in a row, so many nanoseconds after the first event; above what is written there. */
  const drawn = async (row, time) => {
    const x = box.x + label + ((box.width - label - 15) * time) / 12000;
    return pixel(page, x, box.y + lanes + row * height + 5);
  };
  // One event each microsecond: three requests are accepted, then their queries begin, and so on.
  const found = [];
  for (const time of [1500, 4500, 7500, 10500]) found.push(await drawn(0, time));
  assert.equal(new Set(found).size, 4, `${found}`);
  // The next request does the same a microsecond later.
  assert.equal(await drawn(1, 5500), found[1], `${found}`);
  assert.equal(await drawn(1, 8500), found[2], `${found}`);
  assert.deepEqual(complaints(page), []);
  await page.context().close();
});
