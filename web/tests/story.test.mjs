// Play by scenes in a browser: gone through, made as long as was asked, opened where it leaves something out, and linked to.
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

/** The film, ready. */
async function film(options, query = "") {
  const page = await harness.open(chromium, harness.at(server.url, `play${query}`), options);
  page.setDefaultTimeout(20000);
  await page.locator("article.current li.ran").first().waitFor();
  return page;
}

const where = (page) => page.locator(".where").innerText();
const shown = (page) => page.locator("article.current header strong").innerText();

/** Presses a key and waits until another scene is shown. */
async function step(page, key) {
  const was = await page.locator("article.current").getAttribute("aria-label");
  await page.keyboard.press(key);
  await page.waitForFunction((label) => document.querySelector("article.current")?.ariaLabel !== label, was);
}

test("the film opens on the program and goes through scenes, each with its caller and no line cut", async () => {
  const page = await film({ viewport: { width: 1280, height: 800 } });
  assert.equal(await shown(page), "main");
  const count = await page.locator("nav .scene").count();
  assert.ok(count > 5, `${count}`);
  const seen = [];
  for (let at = 1; ; at++) {
    assert.equal(await where(page), `scene ${at} of ${count}`);
    seen.push(await shown(page));
    const cards = await page.locator(at === 1 ? "article.current" : "article.caller, article.current").all();
    assert.equal(cards.length, at === 1 ? 1 : 2, seen.at(-1));
    for (const card of [...cards, page.locator("aside")]) {
      const box = await card.boundingBox();
      assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= 1280 && box.y + box.height <= 800, seen.at(-1));
    }
    const cut = await page
      .locator("article code")
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth));
    assert.equal(cut.length, 0);
    if (at > 1) assert.ok(await page.locator("article.caller li.calling").isVisible(), seen.at(-1));
    if (at === count) break;
    await step(page, "ArrowRight");
  }
  for (const name of ["main", "new Oven", "sell", "bake", "heat", "close", "cool"])
    assert.ok(seen.includes(name), name);
  await step(page, "ArrowUp");
  assert.ok(seen.includes(await shown(page)));
  await step(page, "Home");
  assert.equal(await shown(page), "main");
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});

test("a length is met, and what it leaves out is counted and becomes a scene where it is chosen", async () => {
  const page = await film();
  const length = page.getByLabel("Length of the film");
  for (const [text, scenes] of [
    ["3 scenes", 3],
    ["30 seconds", 5],
    ["2", 2],
  ]) {
    await length.fill(text);
    await length.press("Enter");
    await harness.until(async () => (await page.locator("nav .scene").count()) === scenes, text);
  }
  await length.fill("long");
  await length.press("Enter");
  await page.getByText("Write a number of scenes, or a time").waitFor();
  await page.getByRole("button", { name: /methods? without a scene/ }).click();
  const listed = page.getByRole("region", { name: "Methods without a scene" });
  await listed.getByLabel("Find among methods").fill("heat");
  await listed.getByRole("button", { name: /heat/ }).click();
  await harness.until(async () => (await shown(page)) === "heat", "the scene of heat");
  assert.ok((await page.locator("nav .scene").count()) > 2);
  // What passes is said between scenes, with a way to the methods that are in none.
  await step(page, "Home");
  const passes = await page.locator(".passes").innerText();
  assert.match(passes, /calls? pass(es)?: .*(equal|no scene)/);
  // The address leads to the same scene of the same film.
  await step(page, "End");
  const there = await shown(page);
  await page.waitForFunction(() => /call=\d+/.test(location.hash) && /with=\d+/.test(location.hash));
  const again = await page.context().newPage();
  await again.goto(page.url());
  await again.locator("article.current li.ran").first().waitFor();
  await harness.until(async () => (await shown(again)) === there, "the same scene");
  await page.context().close();
});

test("the variants of a loop are all there, and lit one after the other", async () => {
  const bakery = await harness.serve("examples/bakery/bakery.capture", "--source-root", "examples/bakery");
  const page = await harness.open(chromium, harness.at(bakery.url, "play"));
  page.setDefaultTimeout(20000);
  await page.locator("article.current li.ran").first().waitFor();
  while ((await shown(page)) !== "bakePiece") await step(page, "ArrowRight");
  const loop = page.locator("aside section").first();
  await loop.locator("h2", { hasText: "variants" }).waitFor();
  // The side of a scene may come a moment after its title.
  let times = [];
  await harness.until(async () => {
    times = await loop.locator("li .row b").allInnerTexts();
    const sum = times.map((text) => Number(text.replace(/[×,]/g, ""))).reduce((one, other) => one + other, 0);
    const wanted = `${sum.toLocaleString("en")} iterations, ${times.length} variants`;
    return times.length > 2 && (await loop.locator("h2").innerText()).includes(wanted);
  }, "the variants with the sum of their iterations");
  assert.ok(times.length > 2, times.join());
  for (let at = 0; at < times.length; at++) {
    await page.keyboard.press("v");
    await page.waitForFunction(
      (at) =>
        [...document.querySelectorAll("aside section:first-child .row")].every(
          (row, index) => (row.ariaPressed === "true") === (index === at),
        ),
      at,
    );
    await page.locator("article.current li.lit").first().waitFor();
  }
  await page.context().close();
  bakery.close();
});

test("a pasted link works in the same tab, and a scene is opened block by block and back", async () => {
  const page = await film();
  while ((await shown(page)) !== "bake") await step(page, "ArrowRight");
  await page.waitForFunction(() => /call=\d+/.test(location.hash));
  const link = await page.evaluate(() => location.hash);
  await step(page, "Home");
  await page.evaluate((hash) => (location.hash = hash), link);
  await harness.until(
    async () => (await page.locator("article.current header strong").count()) && (await shown(page)) === "bake",
    "the pasted scene",
  );
  await page.keyboard.press("e");
  await page.waitForSelector(".bubble.current li.now");
  assert.equal(await page.locator(".bubble.current strong").innerText(), "bake");
  const at = await page.locator(".where").innerText();
  // So does one to a position, once somebody is at another.
  const blocks = await page.evaluate(() => location.hash);
  await page.keyboard.press("End");
  await page.waitForFunction((text) => document.querySelector(".where").textContent !== text, at);
  await page.waitForFunction((hash) => location.hash !== hash, blocks);
  await page.evaluate((hash) => (location.hash = hash), blocks);
  await page.waitForFunction((text) => document.querySelector(".where")?.textContent === text, at);
  await page.getByRole("link", { name: "Scenes", exact: true }).click();
  await page.locator("article.current li.ran").first().waitFor();
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});

test("it plays by itself to the end, and by hand it stops", async () => {
  const page = await film({}, "?scenes=3");
  await page.getByLabel("Speed").selectOption({ label: "4×" });
  await page.locator("article.current").click();
  await page.keyboard.press(" ");
  await page.getByText("scene 3 of 3").waitFor();
  await page.getByRole("button", { name: "▶ Play" }).waitFor();
  await page.context().close();
});

test("a line that ran in other calls only leads to one of them", async () => {
  const page = await film();
  while ((await shown(page)) !== "sell") await step(page, "ArrowRight");
  // One of the calls that did something else than the one that is told.
  await page.locator("aside li.alike button").first().click();
  await harness.until(async () => (await shown(page)) === "bake", "another call of bake");
  const other = page.locator("article.current li.other").first();
  const number = (await other.locator(".number").innerText()).trim();
  await other.getByRole("button", { name: `Line ${number} ran in other calls` }).click();
  await page.locator("article.current li.ran .number", { hasText: new RegExp(`^${number}$`) }).waitFor();
  await page.context().close();
});

test("what was not answered is said, and nothing else in its place", async () => {
  const page = await film({ intercepted: true });
  await page.route("**/api/story/scene*", (route) => route.abort());
  await page.keyboard.press("ArrowRight");
  await page.getByText("Request failed").first().waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await page.context().close();
});

test("at 320 pixels and with forced colours everything can be reached", async () => {
  const page = await film({ viewport: { width: 320, height: 640 }, forcedColors: "active" });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 320, `${wide}`);
  for (const control of await page.locator(".story :is(input, button, a, select)").all()) {
    const box = await control.boundingBox();
    if (box) assert.ok(box.x >= 0 && box.x + box.width <= 321, `${await control.innerText()} ${JSON.stringify(box)}`);
  }
  await page.context().close();
});
