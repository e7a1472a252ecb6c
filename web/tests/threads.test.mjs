// Threads in time, in a browser: who ran and who waited, which calls took long, and the ways to Play and back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as harness from "./harness.mjs";

let server;
let chromium;
const diagnostics = [];
before(async () => {
  server = await harness.serve("web/tests/timed.capture", "--source-root", "web/tests/timed");
  chromium = await harness.browser();
});
after(async () => {
  await chromium?.close();
  server?.close();
});

/** The view, with the table of the longest calls. */
async function open() {
  const page = await harness.open(chromium, harness.at(server.url, "threads"));
  page.setDefaultTimeout(20000);
  diagnostics.push(page.diagnostics);
  await page.locator("tbody .link").first().waitFor();
  return page;
}

/** The rows of the table: call, thread, what it took. */
const rows = (page) =>
  page.$$eval("tbody tr", (all) =>
    all.map((row) => [0, 1, 3].map((cell) => row.children[cell]?.textContent?.trim() ?? "").join(" | ")),
  );

test("the longest calls are listed with their threads and what they waited", async () => {
  const page = await open();
  const all = await rows(page);
  const of = (call, thread) => all.filter((row) => row.startsWith(`${call} | ${thread} | `));
  assert.equal(of("Queue.main", "main").length, 1, all.join("\n"));
  for (const clerk of ["clerk 1", "clerk 2"]) {
    assert.equal(of("Queue.serve", clerk).length, 1, all.join("\n"));
    const [pay] = of("Queue.pay", clerk);
    assert.match(pay ?? "", /of it waiting/, all.join("\n"));
  }
  await page.close();
});

test("keys go closer, along the time and from call to call, and the address keeps where", async () => {
  const page = await open();
  await page.keyboard.press("+");
  await page.waitForFunction(() => location.hash.includes("from="));
  const before = await page.evaluate(() => location.hash);
  await page.keyboard.press("d");
  await page.waitForFunction((before) => location.hash !== before, before);
  await page.keyboard.press("0");
  await page.waitForFunction(() => !location.hash.includes("from="));
  await page.keyboard.press("l");
  await page.locator(".card").waitFor();
  assert.match(await page.locator(".card h2").innerText(), /Queue/);
  await page.close();
});

test("a call leads to Play at its beginning, and its place leads back to the moment", async () => {
  const page = await open();
  await page.locator("tbody .link", { hasText: "Queue.pay" }).first().click();
  const link = await page.locator(".card a", { hasText: "Play" }).getAttribute("href");
  await page.locator(".card a", { hasText: "Play" }).click();
  await page.waitForFunction(() => location.hash.startsWith("#/play"));
  const query = link.split("?")[1];
  await page.evaluate((query) => (location.hash = `#/threads?${query}`), query);
  await page.waitForFunction(() => location.hash.includes("from=") && !location.hash.includes("at="));
  await page.locator("tbody .link", { hasText: "Queue.pay" }).first().waitFor();
  await page.close();
});

test("threads fold, and are found by their names", async () => {
  const page = await open();
  await page.getByPlaceholder("Find a thread").fill("clerk");
  await page.waitForFunction(() =>
    document.querySelector("canvas")?.getAttribute("aria-label")?.startsWith("2 threads"),
  );
  const all = await rows(page);
  assert.ok(
    all.every((row) => row.includes("| clerk ")),
    all.join("\n"),
  );
  await page.getByRole("button", { name: "Fold", exact: true }).click();
  await page.getByRole("button", { name: "Unfold", exact: true }).waitFor();
  await page.close();
});

test("a click on a call selects it", async () => {
  const page = await open();
  const canvas = page.locator("canvas");
  const box = await canvas.boundingBox();
  // Main is the first thread, and its outermost call lies under its name, over nearly all of the time.
  await canvas.click({ position: { x: 190 + (box.width - 190) / 2, y: 26 + 26 + 8 } });
  await page.locator(".card").waitFor();
  assert.match(await page.locator(".card h2").innerText(), /shop\.Queue\.main/);
  await page.close();
});

test("a request that failed claims nothing of the recording", async () => {
  const page = await harness.open(chromium, harness.at(server.url, "threads"), { intercepted: true });
  await page.locator("tbody .link").first().waitFor();
  await page.route("**/api/threads/calls*", (route) => route.abort());
  await page.keyboard.press("+");
  await page.getByRole("alert").filter({ hasText: "Request failed:" }).waitFor();
  await page.locator("tbody", { hasText: "Which calls lie here is not known yet." }).waitFor();
  await page.unroute("**/api/threads/calls*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator("tbody .link").first().waitFor();
  await page.context().close();
});

test("the page complained of nothing", () => assert.deepEqual(diagnostics.flat(), []));
