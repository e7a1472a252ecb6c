// The overview in a browser: opened by keyboard and mouse, followed to the work, searched, and honest where it was not answered.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as harness from "./harness.mjs";

const CAPTURE = "web/tests/bakery.capture";
const SOURCE = "crates/tracewright/src/serve/play/fixture";

let server;
let chromium;
before(async () => {
  server = await harness.serve(CAPTURE, "--source-root", SOURCE);
  chromium = await harness.browser();
});
after(async () => {
  await chromium?.close();
  server?.close();
});

/** The overview, ready. */
async function overview(options, url = server.url) {
  const page = await harness.open(chromium, url, options);
  page.setDefaultTimeout(20000);
  await page.getByRole("treeitem").first().waitFor();
  return page;
}

const selected = (page) => page.locator('[role=treeitem][aria-selected="true"]');
const title = (page) => selected(page).locator(".title").innerText();

/** Presses a key and waits until another row is selected. */
async function move(page, key) {
  const was = await selected(page).getAttribute("id");
  await page.keyboard.press(key);
  await page.waitForFunction((id) => document.querySelector('[role=treeitem][aria-selected="true"]')?.id !== id, was);
}

test("a capture opens with where it begins, and the keyboard alone opens and leaves it", async () => {
  const page = await overview();
  assert.equal(await page.getByRole("link", { name: "Overview", exact: true }).getAttribute("aria-current"), "page");
  assert.equal(await title(page), "Where it begins");
  await move(page, "ArrowDown");
  assert.equal(await title(page), "main");
  assert.match(await selected(page).innerText(), /the program/);
  assert.equal(await selected(page).getAttribute("aria-expanded"), "false");
  await page.keyboard.press("ArrowRight");
  await page.locator('[role=treeitem][aria-level="3"]').first().waitFor();
  await move(page, "ArrowRight");
  assert.equal(await selected(page).getAttribute("aria-level"), "3");
  assert.equal(await title(page), "new Oven");
  await page.locator(".card code", { hasText: "trays" }).first().waitFor();
  await move(page, "ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => !document.querySelector('[role=treeitem][aria-level="3"][id="What-ran-2"]'));
  await page.keyboard.press("p");
  await page.waitForSelector(".bubble.current li.now");
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});

test("one key leads to where the work is, and the address leads there again", async () => {
  const page = await overview();
  await page.keyboard.press("h");
  await page.waitForFunction(() => /line=k0\.\d/.test(location.hash));
  const there = await title(page);
  assert.notEqual(there, "main");
  const rows = await page.locator("[role=treeitem] .title").allInnerTexts();
  for (const name of ["main", "sell", "bake"]) assert.ok(rows.includes(name), name);
  const again = await page.context().newPage();
  await again.goto(page.url());
  await selected(again).waitFor();
  await harness.until(async () => (await title(again)) === there, "the same line");
  // What ran is lit, and said to who does not see it.
  await again.locator(".card li.ran").first().waitFor();
  await page.context().close();
});

test("a method says who called it, how often and from where", async () => {
  const page = await overview();
  await page.keyboard.press("/");
  await page.keyboard.type("heat");
  await page.getByRole("region", { name: "Methods" }).getByRole("link", { name: "heat", exact: true }).click();
  const callers = page.getByRole("region", { name: "Called from", exact: true });
  await callers.getByText("Oven.java:11").waitFor();
  assert.match(await callers.innerText(), /20\s+bake/);
  await callers.getByRole("link", { name: "bake" }).click();
  await page.getByRole("heading", { name: "bake" }).first().waitFor();
  await page.getByRole("button", { name: "Show in the tree" }).click();
  await harness.until(async () => (await selected(page).count()) && (await title(page)) === "bake", "the first bake");
  await page.context().close();
});

test("what is written finds itself, and the source is searched while names are there", async () => {
  const page = await overview({ intercepted: true });
  await page.keyboard.press("h");
  await page.waitForFunction(() => /line=k0\.\d/.test(location.hash));
  const written = new Set(await page.locator("[role=treeitem] :is(.title, .place)").allInnerTexts());
  const kinds = /^(loop|variant|exception caught|Where it begins|Threads|Packages|Exceptions .*)$/;
  const search = page.getByLabel("Search everything");
  let asked = 0;
  for (const text of [...written].filter((text) => !kinds.test(text)).slice(0, 25)) {
    await search.fill(text);
    await page.locator(".found .status", { hasText: /^[\d,]+ found$/ }).waitFor();
    asked++;
  }
  assert.ok(asked > 4, `${asked}`);
  let free;
  const held = new Promise((done) => (free = done));
  await page.route("**/api/overview/search*source=true*", async (route) => {
    await held;
    await route.continue();
  });
  await search.fill("oven");
  await page.locator(".found .status", { hasText: "searching the source" }).waitFor();
  await page.getByRole("region", { name: "Methods" }).waitFor();
  free();
  await page.getByRole("region", { name: "Source that ran" }).waitFor();
  await search.fill("nothing of the kind");
  await page.locator(".found .status", { hasText: "nothing found" }).waitFor();
  await page.context().close();
});

test("what was not answered is said where it would stand, and asked for again", async () => {
  const page = await overview({ intercepted: true });
  await page.route("**/api/overview/inside*", (route) => route.abort());
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.locator("[role=treeitem] .trouble").getByText("Request failed").waitFor();
  await page.unroute("**/api/overview/inside*");
  await selected(page).getByRole("button", { name: "Try again" }).click();
  await page.locator('[role=treeitem][aria-level="3"]').first().waitFor();
  await page.route("**/api/overview/search*", (route) => route.abort());
  await page.getByLabel("Search everything").fill("heat");
  await page.locator(".found").getByText("Request failed").waitFor();
  assert.doesNotMatch(await page.locator(".found").innerText(), /nothing found/);
  await page.context().close();
});

test("at 320 pixels and with forced colours everything can be reached", async () => {
  const page = await overview({ viewport: { width: 320, height: 640 }, forcedColors: "active" });
  await page.keyboard.press("ArrowDown");
  await page.getByRole("link", { name: "Play", exact: false }).last().waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 320, `${wide}`);
  for (const control of await page.locator(".overview :is(input, button, a)").all()) {
    const box = await control.boundingBox();
    if (box) assert.ok(box.x >= 0 && box.x + box.width <= 320, await control.innerText());
  }
  await page.context().close();
});
