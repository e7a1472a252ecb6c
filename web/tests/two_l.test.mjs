// A run of a 2L program, played in a browser: one that halts, the hanging one of the founding text's Figure 1, and the text
// of a history.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, file, open, run, serve, serve2l, until } from "./harness.mjs";

let chromium;
before(async () => (chromium = await browser()));
after(() => chromium?.close());

async function watch(server, look) {
  try {
    const page = await open(chromium, server.url);
    page.setDefaultTimeout(20000);
    await page.locator(".near tbody tr").first().waitFor();
    await look(page);
    assert.deepEqual(page.diagnostics, []);
    await page.context().close();
  } finally {
    server.close();
  }
}

const now = (page) => page.locator(".now").innerText();
const isAt = (page, step) => until(async () => (await now(page)).startsWith(`Step ${step}.`), `step ${step}`);

test("a program that halts: by keys alone from its beginning to its end and back", async () => {
  await watch(await serve2l("ROuShls"), async (page) => {
    await page.getByText("It halts after 15 steps.").waitFor();
    await page.getByText("ROuShls halts after 15 steps").waitFor();
    assert.match(await now(page), /stands below the bottom left cell/);
    await page.keyboard.press("ArrowRight");
    await isAt(page, 1);
    assert.match(await now(page), /entered column 0 of row 0 upward, which adds 1 to cell 0\. Cell 0 is 1\./);
    await page.keyboard.press("End");
    await isAt(page, 15);
    assert.match(await now(page), /It has left the grid: the program halts/);
    await page.keyboard.press("ArrowLeft");
    await isAt(page, 14);
    // The address has the step.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await isAt(other, 14);
    await page.keyboard.press("Home");
    await isAt(page, 0);
    await page.keyboard.press(".");
    await page.keyboard.press(" ");
    await isAt(page, 15);
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  });
});

test("a program that hangs: what is shown is said, with the proof; loops and steps are clicked", async () => {
  await watch(await serve2l("ZgoCQhGBUIBlqA", "--steps", "20000"), async (page) => {
    await page.getByText("It is shown up to 20,000 steps and goes on").waitFor();
    await page.getByText("never halts (REGULAR_SWEEP)").waitFor();
    const picture = page.getByLabel(/^The tape over the steps 0 to 20,001/);
    const box = await picture.boundingBox();
    await page.mouse.click(box.x + box.width - 20, box.y + box.height / 2);
    const middle = await until(async () => {
      const step = Number((await now(page)).match(/^Step ([\d,]+)\./)?.[1].replaceAll(",", ""));
      return step > 9_900 && step < 10_100 ? step : undefined;
    }, "the step in the middle");
    // The band of level 0 lies next to the tape: a click goes to where the run begins.
    const levels = await page.locator(".levels tbody tr").count();
    assert.ok(levels >= 2, `${levels} levels`);
    await page.mouse.click(box.x + 62 + levels * 20 - 10, box.y + box.height / 4);
    await until(
      async () => Number(new URL(page.url().replace("#", "x")).searchParams.get("at")) < middle,
      "a run before",
    );
    // By keys: from run to run of level 1.
    await page.keyboard.press("u");
    const end = await page
      .getByRole("button", { name: /^To its end/ })
      .nth(1)
      .innerText();
    await page.keyboard.press("n");
    await isAt(page, end);
    await page.keyboard.press("p");
    await page.keyboard.press("+");
    await page.getByLabel(/^The tape over the steps/).waitFor();
    assert.equal(await page.getByLabel(/over the steps 0 to 20,001/).count(), 0);
    assert.match(await page.locator(".near tr.chosen").innerText(), /\[-?\d+\]/);
  });
});

test("the text of a history is known by its first event, and has its loops beside", async () => {
  const saved = file("history.txt", run("2l", "run", "ZgoCQhGBUIBlqA", "--history"));
  try {
    await watch(await serve(saved.path), async (page) => {
      await page.getByText("It is shown up to 1,000,000 steps").waitFor();
      await page.keyboard.press("End");
      await isAt(page, "1,000,000");
      await page.getByRole("link", { name: "Loops" }).click();
      await page.getByText("Ends in a loop.").waitFor();
    });
  } finally {
    saved.remove();
  }
});
