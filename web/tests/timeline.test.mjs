// The timeline of a lossy kernel trace: to an incoherence, through the resolution dialog, and back.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { file, open, serve, until } from "./harness.mjs";
import { lossyTimeline } from "./opened.mjs";

const opened = lossyTimeline();
const { timeline } = opened;

test("the first picture comes with rows, losses and the histogram", async () => {
  const page = await timeline();
  await page.getByText("620 events on").waitFor();
  assert.match(page.url(), /#\/timeline$/, "the token is gone from the address");
  assert.equal(await page.title(), "kernel.jsonl – Tracewright");
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});

test("a step to an incoherence, a choice, the state that follows it, and undo", async () => {
  const page = await timeline();
  await page.keyboard.press("i");
  await page.getByText("does not fit.").first().waitFor();
  assert.match(page.url(), /at=\d+/);
  // The thread that ran once and left unseen: three ways to leave are possible.
  await page.keyboard.press("v");
  await page.keyboard.press("r");
  const dialog = page.getByRole("dialog", { name: "Inference resolution" });
  await dialog.waitFor();
  const article = dialog.locator("article").filter({ hasText: "prev_comm=once" });
  await article.getByRole("button").click();
  await dialog.waitFor({ state: "hidden" });
  const card = page.getByText("Inferred, not observed");
  await card.waitFor();
  await page.getByText(/\[07:25:08\.\d{3} \d{3} \d{3}\] sched_switch \{ .*prev_tid=105.*prev_state=\d.* \}/).waitFor();
  await page.getByText("probability 0.").first().waitFor();
  // What else is possible has its probability too, here and in the dialog.
  await page
    .getByText(/^\s*\d+ \(\d\.\d{3}\), may also be \d+ \((\d\.\d{3}|under 0\.001)\)/)
    .first()
    .waitFor();
  // The state that it left the thread in.
  const stateText = page.locator(".facts .state b");
  const shows = (words) =>
    until(async () => (await stateText.count()) && (await stateText.textContent()).includes(words), words);
  await shows("inferred");
  await page.keyboard.press("r");
  const select = dialog.locator("article").filter({ hasText: "prev_comm=once" }).getByRole("combobox");
  assert.match(await article.getByRole("option").first().textContent(), /^\d+ \(\d\.\d{3}\)/);
  // Which value is the most probable is for the engine to say: put aside, the thread waits; asleep, it is blocked.
  const before = await select.inputValue();
  const [other, words, wordsBefore] =
    before === "0" ? ["1", "blocked", "waits for a CPU"] : ["0", "waits for a CPU", "blocked"];
  await shows(wordsBefore);
  await select.selectOption(other);
  await dialog.getByText(`prev_state is ${other} now.`).waitFor();
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save choices" }).click();
  const saved = readFileSync(await (await download).path(), "utf8");
  assert.match(saved, new RegExp(`^tracewright choices 1\n[^]*event sched_switch [^]*prev_state = ${other}`));
  await dialog.getByRole("button", { name: "Done" }).click();
  await shows(words);
  await page.keyboard.press("r");
  await dialog.getByRole("button", { name: /^Undo/ }).click();
  await until(async () => (await select.inputValue()) === before, "the value before the choice");
  await dialog.getByRole("button", { name: "Done" }).click();
  await shows(wordsBefore);
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});

test("a dialog that is opened as soon as it was closed stays open", async () => {
  const page = await timeline();
  for (const [key, button] of [
    ["r", "Done"],
    ["?", /^Close/],
  ]) {
    await page.keyboard.press(key);
    const dialog = page.getByRole("dialog");
    // Faster than any hand: the page has done what follows from the click, the browser has not told of it yet.
    await dialog.getByRole("button", { name: button }).evaluate(async (button, key) => {
      button.click();
      for (let iteration = 0; iteration < 100; iteration++) await null;
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    }, key);
    await page.waitForTimeout(200);
    assert.equal(await dialog.count(), 1, key);
    await page.keyboard.press("Escape");
    await until(async () => (await dialog.count()) === 0, "no dialog");
  }
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});

test("losses, doubts and inferred events are stepped through by keyboard and by button", async () => {
  const page = await timeline();
  await page.keyboard.press("l");
  await page.locator(".facts").getByText("32 events lost").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Next: Uncertain" }).click();
  await page.getByText("what was recorded allows each of them").waitFor();
  await page.keyboard.press("Escape");
  const seen = new Set();
  for (let count = 0; count < 3; count++) {
    await page.keyboard.press("e");
    await until(async () => !seen.has(page.url()) && page.url().includes("inferred="), "the next inferred event");
    seen.add(page.url());
  }
  await page.getByText("Inferred, not observed").waitFor();
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});

test("the chosen row stays where it is while a layer is shown or hidden, and what has ended is pale", async () => {
  const page = await timeline("", { viewport: { width: 1280, height: 520 } });
  const rows = page.getByRole("region", { name: "Rows of states" });
  await rows.hover({ position: { x: 60, y: 90 } });
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForFunction(() => /row=/.test(location.hash));
  // A click before the page has drawn where it scrolled to is about what was there before.
  await rows.evaluate((one) => {
    one.scrollTop = 1e6;
    return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  });
  const box = await rows.boundingBox();
  const y = box.y + box.height - 12;
  await page.mouse.click(box.x + 60, y);
  await page.waitForTimeout(100);
  const named = async (at) => {
    await page.mouse.move(box.x + 300, at);
    await page.mouse.move(box.x + 60, at);
    return page.locator(".hover").innerText();
  };
  const chosen = await named(y);
  assert.match(chosen, /\d$/);
  const scrolled = await rows.evaluate((one) => one.scrollTop);
  assert.ok(scrolled > 40, `${scrolled}`);
  for (let press = 0; press < 3; press++) {
    await page.keyboard.press("v");
    // Higher rows reach further down.
    await until(
      async () => (await named(y)) === chosen || (await named(y - 8)) === chosen,
      `${chosen} after ${press + 1} times`,
    );
  }
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});

test("a copied address opens at the same place", async () => {
  const page = await timeline();
  await page.keyboard.press("w");
  await page.keyboard.press("w");
  await page.keyboard.press("i");
  await page.getByText("does not fit.").first().waitFor();
  await page.keyboard.press("v");
  const url = page.url();
  assert.match(url, /from=\d+.*to=\d+.*at=\d+.*unfit=\d+.*layer=repaired/);
  const other = await page.context().newPage();
  await other.goto(url);
  await other.getByText("does not fit.").first().waitFor();
  await other.getByRole("button", { name: "Repaired", pressed: true }).waitFor();
  assert.equal(other.url(), url);
  assert.equal(await other.locator(".facts h2").textContent(), await page.locator(".facts h2").textContent());
  await page.context().close();
});

test("everything is reached at 1280 x 720 and has a name", async () => {
  const page = await timeline();
  const buttons = await page.getByRole("button").all();
  assert.ok(buttons.length >= 12);
  for (const button of buttons) {
    const box = await button.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 1280 && box.y + box.height <= 720, await button.textContent());
    const name = (await button.getAttribute("aria-label")) ?? (await button.textContent());
    assert.ok(name?.trim(), "a button without a name");
  }
  for (const canvas of await page.locator("canvas").all()) assert.ok(await canvas.getAttribute("aria-label"));
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "What the keys do" });
  await sheet.getByText("Next event that does not fit").waitFor();
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "hidden" });
  await page.keyboard.press("g");
  await page.getByRole("region", { name: "Legend" }).getByText("one of several states").waitFor();
  await page.context().close();
});

test("text of a trace is text, in the page too", async () => {
  const name = "<img src=x onerror=document.title='broken'>";
  const evil = file(
    "<b>evil.jsonl",
    `${JSON.stringify({ ts: 1, stream: name, name, fields: { [name]: name } })}\n${JSON.stringify({ ts: 2, stream: name, name: "\u202eevil", fields: {} })}\n`,
  );
  const other = await serve(evil.path);
  try {
    const page = await open(opened.chromium, other.url);
    await page.getByText("2 events on 1 row").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByText(name).first().waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.match(await page.title(), /^<b>evil/);
    assert.deepEqual(page.diagnostics, []);
    await page.context().close();
  } finally {
    other.close();
    evil.remove();
  }
});

test("without the token nothing of the trace is shown", async () => {
  const page = await open(opened.chromium, opened.server.url.split("#")[0]);
  await page.getByRole("alert").getByText("token is missing or wrong").waitFor();
  assert.equal(await page.getByText("sched_switch").count(), 0);
  await page.context().close();
});
