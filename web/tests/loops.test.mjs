// The loops of the history that the founding text draws as its Figure 1, and of a recorded trace.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, open, serve, until } from "./harness.mjs";

let chromium;
before(async () => (chromium = await browser()));
after(() => chromium?.close());

test("the loops of a history: levels, iterations, and how it ends", async () => {
  const server = await serve("--symbols", "ABCBACACBCBACACACBCBACACACAC");
  try {
    const page = await open(chromium, server.url);
    await page.getByRole("heading", { name: "symbols" }).last().waitFor();
    await page.getByText("Ends in a loop.").waitFor();
    // Level 1 is the loop around the loops, level 0 the loop [AC] that iterates 2, 3, 4 times.
    await page.getByText("Level 1:").waitFor();
    await page.getByText("iterates between 2 and 3 times").waitFor();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    const detail = page.locator(".detail");
    await detail.getByText("Level 1, run 0").waitFor();
    await page.keyboard.press("n");
    await detail.getByText("Level 1, run 1").waitFor();
    await detail.getByText("×2.1").first().waitFor();
    const rows = await detail.locator("tbody tr").allTextContents();
    assert.equal(rows.length, 3, rows.join("\n"));
    assert.match(rows[2], /cut/);
    // Down into a run of the level below.
    await detail.getByRole("button", { name: /×3/ }).first().click();
    await detail.getByText("[AC] ×3").waitFor();
    await detail.getByRole("img", { name: /Iterations of each run/ }).waitFor();
    const url = page.url();
    assert.match(url, /#\/loops\?.*run=0\.\d+/);
    const other = await page.context().newPage();
    await other.goto(url);
    await other.locator(".detail").getByText("[AC] ×3").waitFor();
    assert.deepEqual(page.diagnostics, []);
    await page.context().close();
  } finally {
    server.close();
  }
});

test("the loops of each thread of a recorded trace", async () => {
  const server = await serve("examples/traces/complete");
  try {
    const page = await open(chromium, server.url);
    await page.getByRole("link", { name: "Loops" }).click();
    await page.getByRole("button", { name: /^baker/ }).click();
    await page.getByRole("heading", { name: /^baker/ }).waitFor();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("n");
    await page.getByText("×159.1").first().waitFor();
    await page.getByRole("button", { name: "Later iterations" }).click();
    await until(
      async () => (await page.locator(".pages").textContent()).includes("51 to 100 of 160"),
      "the second page of iterations",
    );
    assert.deepEqual(page.diagnostics, []);
    await page.context().close();
  } finally {
    server.close();
  }
});

test("losses are counted, and do not hide the runs however many they are; the lanes stay in sight", async () => {
  const server = await serve("examples/traces/lossy");
  try {
    const page = await open(chromium, server.url);
    await page.getByRole("link", { name: "Loops" }).click();
    await page.getByText("something is missing in 162 places").waitFor();
    const canvas = page.getByLabel(/^Runs of each level/);
    const box = await canvas.boundingBox();
    assert.ok(box.y + box.height < 720, `the lanes end at ${box.y + box.height}`);
    const red = () =>
      canvas.evaluate((one) => {
        const copy = new OffscreenCanvas(one.width, one.height).getContext("2d", { willReadFrequently: true });
        copy.drawImage(one, 0, 0);
        const middle = copy.getImageData(66, Math.round(one.height / 2), one.width - 68, 1).data;
        let count = 0;
        for (let at = 0; at < middle.length; at += 4)
          if (middle[at] > 150 && middle[at + 1] < 90 && middle[at + 2] < 90) count++;
        return count;
      });
    await until(async () => (await red()) > 0, "a line for a loss that stands alone");
    assert.ok((await red()) < 100, `${await red()} pixels of a row`);
    assert.deepEqual(page.diagnostics, []);
    await page.context().close();
  } finally {
    server.close();
  }
});
