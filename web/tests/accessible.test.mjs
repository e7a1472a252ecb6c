// What axe-core finds wrong for people who use a screen reader, need contrast, or have colours of their own: nothing. And
// in narrow windows, as at 200 % zoom, every control can be reached.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import * as harness from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const INPUTS = [
  {
    arguments: ["web/tests/bakery.capture", "--source-root", "crates/tracewright/src/serve/play/fixture"],
    views: ["overview", "play", "list", "loops"],
  },
  { arguments: ["web/tests/timed.capture"], views: ["threads"] },
  { program: "ZgoCQhGBUIBlqA", views: ["two_l"] },
  { arguments: ["examples/traces/lossy"], views: ["timeline", "loops"] },
];
/** What is there when a view is. */
const READY = {
  overview: "[role=treeitem]",
  play: "article.current li.ran",
  list: ".row .name",
  loops: "main h2, main h3",
  threads: "tbody .link",
  timeline: "main canvas",
  two_l: ".near tbody tr",
};

/** The key for notes, where there are some to write. */
const NOTES = { timeline: "m", overview: "B", play: "B", list: "B", threads: "B" };

let chromium;
const servers = [];
before(async () => {
  chromium = await harness.browser();
  for (const input of INPUTS) {
    input.server = await (input.program ? harness.serve2l(input.program) : harness.serve(...input.arguments));
    servers.push(input.server);
  }
});
after(async () => {
  await chromium?.close();
  for (const server of servers) server.close();
});

async function each(options, look) {
  for (const { server, views } of INPUTS) {
    for (const view of views) {
      const page = await harness.open(chromium, harness.at(server.url, view), options);
      page.setDefaultTimeout(20000);
      await page.locator(READY[view]).first().waitFor();
      await page.waitForLoadState("networkidle");
      await look(page, view);
      await page.context().close();
    }
  }
}

/** What is wrong, a line each. */
async function violations(page) {
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.target}`));
}

for (const [name, scheme] of Object.entries({
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  "forced colours": { forcedColors: "active" },
})) {
  test(`axe-core finds nothing wrong: ${name}`, async () => {
    await each(scheme, async (page, view) => {
      await page.evaluate(AXE);
      assert.deepEqual(await violations(page), [], view);
      if (NOTES[view]) {
        await page.keyboard.press(NOTES[view]);
        await page.getByRole("region", { name: "Notes" }).waitFor();
        assert.deepEqual(await violations(page), [], `${view}, notes`);
        await page.keyboard.press("Escape");
      }
      await page.keyboard.press("?");
      await page.locator("dialog[open], [role=dialog]").first().waitFor();
      assert.deepEqual(await violations(page), [], `${view}, the keys`);
    });
  });
}

/** Controls that do not come wholly into the window, or lie under something else there. */
function unreachable() {
  const found = [];
  for (const one of document.querySelectorAll("button, a[href], input, select, summary, [role=slider]")) {
    if (getComputedStyle(one).visibility === "hidden" || one.getClientRects().length === 0) continue;
    one.scrollIntoView({ block: "nearest", inline: "nearest" });
    const box = one.getBoundingClientRect();
    const isInside = box.left >= -1 && box.right <= innerWidth + 1 && box.top >= -1 && box.bottom <= innerHeight + 1;
    const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    const isOnTop = top && (one.contains(top) || top.contains(one));
    if (!isInside || !isOnTop) found.push(one.getAttribute("aria-label") ?? one.textContent.trim());
  }
  return found;
}

for (const viewport of [
  { width: 320, height: 640 },
  { width: 640, height: 360 },
]) {
  test(`at ${viewport.width} by ${viewport.height} every control can be reached`, async () => {
    await each({ viewport }, async (page, view) => {
      assert.deepEqual(await page.evaluate(unreachable), [], view);
      if (!NOTES[view]) return;
      await page.keyboard.press(NOTES[view]);
      await page.getByRole("region", { name: "Notes" }).waitFor();
      assert.deepEqual(await page.evaluate(unreachable), [], `${view}, notes`);
    });
  });
}
