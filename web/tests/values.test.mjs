// Values of calls in a browser: beside the calls of the list, and found by the search.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as harness from "./harness.mjs";

let server;
let chromium;
before(async () => {
  server = await harness.serve("web/tests/values.capture");
  chromium = await harness.browser();
});
after(async () => {
  await chromium?.close();
  server?.close();
});

test("values stand beside calls, and a search leads to the call", async () => {
  const page = await harness.open(chromium, harness.at(server.url, "list"), { viewport: { width: 1600, height: 900 } });
  page.setDefaultTimeout(20000);
  const shown = page.locator(".row .values");
  await shown.first().waitFor();
  const all = await shown.allInnerTexts();
  assert.ok(all.includes('(what: "tea", count: 2, coin: Till$Coin.PENNY) = false'), all.join("\n"));
  await page.goto(harness.at(server.url, "overview"));
  await page.getByRole("treeitem").first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("cake");
  const found = page.getByRole("region", { name: "Values of calls" });
  await found.waitFor();
  assert.equal(await found.getByRole("link").count(), 1);
  await found.getByRole("link").first().click();
  await page.locator(".row.selected .values").waitFor();
  assert.match(await page.locator(".row.selected .values").innerText(), /cake/);
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});
