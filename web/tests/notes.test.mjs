// Notes beside a trace: written at the cursor and on a range, found again, changed by two pages, exported; and where they
// cannot be saved the page says so.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { asking, at, complaints, open, pixel, root, serve, until } from "./harness.mjs";
import { lossyTimeline, param } from "./opened.mjs";

const opened = lossyTimeline();
const { timeline } = opened;
beforeEach(() => rmSync(saved(), { force: true }));

const saved = () => `${opened.trace.path}.notes.json`;
const written = () => JSON.parse(readFileSync(saved(), "utf8")).notes;

const panel = (page) => page.getByRole("region", { name: "Notes" });
const field = (page) => panel(page).getByRole("textbox");
const lines = (page) => panel(page).locator("tbody tr");
const lane = async (page) => {
  // Lanes: lost, does not fit, inferred, notes; the axis above them.
  const box = await page.locator(".chart canvas").boundingBox();
  return { x: (share) => box.x + 216 + (box.width - 216) * share, y: box.y + 26 + 3 * 18 + 10 };
};

/** Writes a note by the keyboard, at what is selected. */
async function write(page, text) {
  const count = await page.getByRole("button", { name: /^Notes/ }).innerText();
  await page.keyboard.press("m");
  await until(async () => (await field(page).count()) === 1, "the field");
  await page.keyboard.type(text);
  await page.keyboard.press("Control+Enter");
  await until(async () => (await page.getByRole("button", { name: /^Notes/ }).innerText()) !== count, "the note");
  await page.keyboard.press("Escape");
}

test("a note on a moment and one on a range are written by the keyboard, saved beside the trace and found again", async () => {
  const page = await timeline("at=100000&row=0");
  assert.ok(!existsSync(saved()), "nobody has written anything");
  await write(page, "here it <b>begins</b> & waits");
  assert.equal(await lines(page).count(), 1);
  assert.match(await lines(page).innerText(), /web 101\s+here it <b>begins<\/b> & waits/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("<");
  await page.keyboard.press(">");
  await page.keyboard.press("m");
  await field(page).fill("all of it");
  await panel(page).getByRole("button", { name: "Note on the range" }).click();
  await until(async () => (await lines(page).count()) === 2, "the second note");
  const [first, second] = written();
  assert.deepEqual([first.row, first.text, first.to], ["web 101", "here it <b>begins</b> & waits", undefined]);
  assert.ok(second.to > second.from && second.row === undefined);
  await panel(page).getByText(`Saved in ${saved()}`).waitFor();
  // Somebody else opens the trace, and goes to the first note, to the second, and back.
  const other = await serve(opened.trace.path);
  const again = await timeline("", {}, other);
  await again.getByRole("button", { name: "Notes 2" }).click();
  await again.keyboard.press("w");
  await again.keyboard.press("]");
  await again.keyboard.press("]");
  await until(() => param(again, "at") === "100000", "the moment");
  assert.equal(param(again, "row"), "0");
  assert.match(await again.locator("tr.chosen").innerText(), /begins/);
  await again.keyboard.press("[");
  await until(() => param(again, "begin") === "0" && param(again, "end") !== null, "the range");
  // A click on the sign on the axis shows its note, too.
  await again.keyboard.press("0");
  await again.getByRole("button", { name: /^At the cursor/ }).click();
  await lines(again).first().waitFor({ state: "detached" });
  const place = await lane(again);
  const begin = place.x(0) + 2;
  await again.mouse.move(begin, place.y);
  await again.locator(".hover").getByText("all of it").waitFor();
  assert.notEqual(
    await pixel(again, place.x(0.5), place.y - 4),
    await pixel(again, place.x(0.5), place.y + 3),
    "a line",
  );
  await again.mouse.click(begin, place.y);
  await until(
    async () =>
      /all of it/.test(
        await again
          .locator("tr.chosen")
          .innerText()
          .catch(() => ""),
      ),
    "its note",
  );
  assert.deepEqual([...complaints(page), ...complaints(again)], []);
  await again.context().close();
  await page.context().close();
  other.close();
});

test("two pages change notes at once and lose nothing of each other", async () => {
  const one = await timeline("at=1000");
  const other = await timeline("at=2000");
  await Promise.all([write(one, "of one"), write(other, "of the other")]);
  assert.deepEqual(
    written()
      .map((note) => note.text)
      .sort(),
    ["of one", "of the other"],
  );
  // Whoever comes back to a page sees what was written elsewhere.
  await one.evaluate(() => dispatchEvent(new Event("focus")));
  await until(async () => (await lines(one).count()) === 2, "both");
  await other.evaluate(() => dispatchEvent(new Event("focus")));
  await until(async () => (await lines(other).count()) === 2, "both");
  // Both change one note: the second is told so, and what was typed is still there.
  for (const page of [one, other]) await panel(page).getByRole("button", { name: "Edit note 1" }).click();
  await field(one).fill("first");
  await panel(one).getByRole("button", { name: "Save note" }).click();
  await until(() => written().some((note) => note.text === "first"), "the change");
  await field(other).fill("second");
  await panel(other).getByRole("button", { name: "Save note" }).click();
  await panel(other).getByRole("alert").getByText("The note was changed meanwhile").waitFor();
  assert.equal(await field(other).inputValue(), "second");
  assert.ok(!written().some((note) => note.text === "second"));
  // What is deleted comes back.
  await panel(one).getByRole("button", { name: "Delete note 1" }).click();
  await until(async () => (await lines(one).count()) === 1, "one less");
  assert.equal(written().length, 1);
  await panel(one).getByRole("button", { name: "Undo" }).click();
  await until(async () => (await lines(one).count()) === 2, "it is back");
  assert.equal(written().length, 2);
  assert.deepEqual(one.diagnostics, []);
  await one.context().close();
  await other.context().close();
});

test("text of others obeys nobody, in the page and in what is exported", async () => {
  const hostile = "<img src=x onerror=alert(1)> \u202eevil\u2069\nnext line";
  const note = { id: 1, revision: 1, from: 0, text: hostile };
  const { start } = await asking(opened.server)("timeline");
  // JSON numbers of JavaScript are no nanoseconds since 1970.
  writeFileSync(
    saved(),
    `{"next":2,"notes":[${JSON.stringify(note).replace('"from":0', `"from":${BigInt(start) + 1000n}`)}]}`,
  );
  const page = await timeline();
  await page.getByRole("button", { name: "Notes 1" }).click();
  const text = await lines(page).locator(".text").innerText();
  assert.equal(text, "<img src=x onerror=alert(1)> \\u{202e}evil\\u{2069}\nnext line");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  const html = readFileSync(await (await download).path(), "utf8");
  assert.match(html, /<caption>Notes<\/caption>/);
  assert.ok(html.includes("&lt;img src=x onerror=alert(1)&gt; \\u{202e}evil\\u{2069}<br>next line"));
  assert.doesNotMatch(html, /[\u202e\u2069]|<img src=x/);
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});

test("where notes cannot be saved the page says so, and they last as long as the program", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tracewright-web-"));
  const path = join(folder, "trace.jsonl");
  writeFileSync(path, opened.text);
  mkdirSync(`${path}.notes.json`);
  const other = await serve(path);
  const page = await timeline("at=1000", {}, other);
  await page.getByRole("button", { name: "Notes", exact: true }).click();
  await panel(page)
    .getByText(/cannot be read: it is not a regular file\. What is written here lasts until/)
    .waitFor();
  await write(page, "for now");
  await page.reload();
  await page.getByRole("button", { name: "Notes 1" }).waitFor();
  // A request that fails is no note, and what was typed stays.
  await page.route("**/api/notes/add*", (route) => route.abort());
  await page.getByRole("button", { name: "Notes 1" }).click();
  await field(page).fill("lost?");
  await panel(page).getByRole("button", { name: "Note at the cursor" }).click();
  await panel(page).getByRole("alert").getByText("Request failed: The server does not answer.").waitFor();
  assert.equal(await field(page).inputValue(), "lost?");
  assert.equal(await lines(page).count(), 1);
  await page.context().close();
  other.close();
  rmSync(folder, { recursive: true, force: true });
});

test("at 320 pixels everything of the notes is reached", async () => {
  const page = await timeline("at=1000&begin=10000&end=200000", { viewport: { width: 320, height: 640 } });
  await write(page, "a note");
  for (const name of ["Notes 1", "Note at the cursor", "Note on the range", "Edit note 1", "Delete note 1"]) {
    const button = page.getByRole("button", { name, exact: true });
    await button.scrollIntoViewIfNeeded();
    const box = await button.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 320, `${name} ${JSON.stringify(box)}`);
  }
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});

const SOURCE = "crates/tracewright/src/serve/play/fixture";

/** A copy of a capture of the tests, beside which notes can be saved, and its view. */
async function captured(name, view, ...args) {
  const folder = mkdtempSync(join(tmpdir(), "tracewright-web-"));
  const path = join(folder, name);
  cpSync(join(root, "web/tests", name), path, { recursive: true });
  const server = await serve(path, ...args);
  const page = await open(opened.chromium, at(server.url, view));
  return {
    page,
    read: () => JSON.parse(readFileSync(`${path}.notes.json`, "utf8")).notes,
    close: async () => {
      await page.context().close();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes a note on what a view of a capture shows. */
async function note(page, text) {
  if ((await panel(page).count()) === 0) await page.keyboard.press("B");
  else await field(page).focus();
  await panel(page).getByText("A note on ").waitFor();
  const count = await lines(page).count();
  await page.keyboard.type(text);
  await page.keyboard.press("Control+Enter");
  await until(async () => (await lines(page).count()) === count + 1, "the note");
  await page.keyboard.press("Escape");
}

test("calls of a capture are noted in List and Play, and led to from each other", async () => {
  const { page, read, close } = await captured("bakery.capture", "list", "--source-root", SOURCE);
  await page.locator(".row .name").nth(6).waitFor();
  for (let count = 0; count < 5; count++) await page.keyboard.press("ArrowDown");
  const name = await page.locator('.row[aria-selected="true"] .name').innerText();
  await note(page, "in the list <b>");
  await page.getByRole("link", { name: "Play", exact: true }).click();
  await page.locator("article.current li.ran").first().waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.locator('article.current[aria-label*=", scene 3 of "]').waitFor();
  const scene = await page.locator("article.current header strong").innerText();
  await panel(page).getByText(`A note on ${scene}, block`).waitFor();
  await note(page, "in a scene");
  const written = read();
  assert.deepEqual(
    written.map((one) => [one.row, one.text]),
    [
      ["1 main", "in the list <b>"],
      ["1 main", "in a scene"],
    ],
  );
  assert.ok(written[0].from > 0 && written[1].from > 0 && written[0].to === undefined);
  // To what was noted in the list, block by block.
  await lines(page)
    .filter({ hasText: "in the list" })
    .getByRole("button", { name: /^block/ })
    .click();
  await page.locator(".bubble.current li.now").waitFor();
  await until(() => param(page, "at") === String(written[0].from), "the block");
  assert.equal(await page.locator(".bubble.current strong").innerText(), name);
  await note(page, "block by block");
  assert.equal(read()[2].from, written[0].from);
  // And in the list to what was noted in Play.
  await page.getByRole("link", { name: "List", exact: true }).click();
  await page.locator(".row .name").first().waitFor();
  await lines(page)
    .filter({ hasText: "in a scene" })
    .getByRole("button", { name: /^block/ })
    .click();
  await until(
    async () =>
      (await page
        .locator('.row[aria-selected="true"] .name')
        .innerText()
        .catch(() => "")) === scene,
    "the call",
  );
  await page.getByRole("button", { name: "Notes 3" }).click();
  await panel(page).waitFor({ state: "detached" });
  assert.deepEqual(page.diagnostics, []);
  await close();
});

test("a call that took long is noted in Threads", async () => {
  const { page, read, close } = await captured("timed.capture", "threads");
  await page.locator("tbody tr button").first().waitFor();
  await page.keyboard.press("l");
  await page.locator(".card h2").waitFor();
  await note(page, "long");
  const [written] = read();
  assert.match(written.row, /^\d+ ./);
  await page.keyboard.press("Escape");
  await lines(page)
    .getByRole("button", { name: /^block/ })
    .click();
  await until(() => param(page, "from") !== null, "the moment is shown");
  assert.deepEqual(page.diagnostics, []);
  await close();
});
