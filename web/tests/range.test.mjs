// The timeline to work with: a selected range and what happened in it, events found by name and field, who woke a thread.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { asking, complaints, pixel, until } from "./harness.mjs";
import { lossyTimeline, param } from "./opened.mjs";

const made = lossyTimeline();
const { timeline } = made;
const lines = made.text
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))
  .filter((line) => line.name);

const ask = (path, query) => asking(made.server)(path, query);
const panel = (page) => page.getByRole("region", { name: "The selected range" });

/** Draws over the axis, as shares of the plot. */
async function drag(page, from, to) {
  const box = await page.locator(".chart canvas").boundingBox();
  const x = (share) => box.x + 216 + (box.width - 216) * share;
  await page.mouse.move(x(from), box.y + 12);
  await page.mouse.down();
  await page.mouse.move(x((from + to) / 2), box.y + 14);
  await page.mouse.move(x(to), box.y + 14);
  await page.mouse.up();
}

test("a range that is drawn on the axis says what happened in it, is zoomed to and cleared", async () => {
  const page = await timeline();
  await drag(page, 0.25, 0.75);
  await panel(page).waitFor();
  const [begin, end] = [Number(param(page, "begin")), Number(param(page, "end"))];
  assert.ok(begin > 0 && end > begin, page.url());
  const names = panel(page).getByRole("table").filter({ hasText: "events" });
  await names.getByRole("row", { name: /^sched_switch/ }).waitFor();
  const start = (await ask("timeline")).start;
  // Numbers of JSON are no nanoseconds since 1970: the text is counted.
  const times = [...made.text.matchAll(/"ts":(\d+).*?"name":"(\w+)"/g)].map(([, ts, name]) => [
    Number(BigInt(ts) - BigInt(start)),
    name,
  ]);
  const inside = times.filter(([time]) => time >= begin && time <= end);
  const count = inside.filter(([, name]) => name === "sched_switch").length;
  await names.getByRole("row", { name: `sched_switch ${count}` }).waitFor();
  assert.match(await names.locator("caption").innerText(), new RegExp(`^${inside.length} events$`));
  const states = panel(page).getByRole("table").filter({ hasText: "States of the shown rows" });
  const shares = await states.getByRole("row", { name: /^CPU 0 (?!interrupts)/ }).innerText();
  const parts = [...shares.matchAll(/(\d+\.\d) %/g)].map(([, part]) => Number(part));
  const sum = parts.reduce((sum, part) => sum + part, 0);
  assert.ok(parts.length > 1 && Math.abs(sum - 100) < 0.3, shares);
  assert.match(shares, /idle or busy/, "what the loss hides is not one of the states");
  await panel(page).getByText("1 loss touches the range: 32 events lost").waitFor();
  await panel(page)
    .getByText(/\d+ events? inferred in it/)
    .waitFor();
  // Only the rows that are shown.
  await page.getByRole("searchbox", { name: "Find a row" }).fill("web");
  await until(async () => (await states.locator("tbody tr").count()) === 1, "one row");
  await page.getByRole("searchbox", { name: "Find a row" }).fill("");
  await page.getByRole("button", { name: "Zoom to it" }).click();
  await until(() => param(page, "from") === String(begin) && param(page, "to") === String(end), "the range is shown");
  // What is at the cursor, and back.
  await page.keyboard.press("ArrowDown");
  await page.locator(".facts").waitFor();
  await page.getByRole("button", { name: "In the range" }).click();
  await panel(page).waitFor();
  const copied = page.url();
  const other = await page.context().newPage();
  await other.goto(copied);
  await panel(other).getByText(`${inside.length} events`).waitFor();
  assert.equal(other.url(), copied);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await until(async () => (await panel(page).count()) === 0, "no range");
  assert.equal(param(page, "begin"), null);
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});

test("the keyboard selects a range at the cursor", async () => {
  const page = await timeline();
  await page.keyboard.press("i");
  await page.getByText("does not fit.").first().waitFor();
  const first = Number(param(page, "at"));
  await page.keyboard.press("<");
  await page.getByText(/^begins at /).waitFor();
  await page.keyboard.press("i");
  await until(() => Number(param(page, "at")) > first, "the next one");
  const last = Number(param(page, "at"));
  await page.keyboard.press(">");
  await panel(page).waitFor();
  assert.deepEqual([Number(param(page, "begin")), Number(param(page, "end"))], [first, last]);
  // An end before the beginning begins anew.
  await page.keyboard.press("I");
  await until(() => Number(param(page, "at")) === first, "back");
  await page.keyboard.press(">");
  await page.getByText(/^ends at /).waitFor();
  assert.equal(param(page, "begin"), null);
  await page.keyboard.press("x");
  assert.equal(param(page, "end"), null);
  // Without a cursor it is what is shown.
  await page.keyboard.press("Escape");
  await page.keyboard.press("w");
  await page.keyboard.press("<");
  await page.keyboard.press(">");
  await until(() => param(page, "begin") === param(page, "from"), "what is shown");
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});

test("a range whose request fails says so and nothing of the trace", async () => {
  const page = await timeline();
  await page.route("**/api/timeline/range*", (route) => route.abort());
  await drag(page, 0.3, 0.6);
  await panel(page).getByRole("alert").getByText("Request failed: The server does not answer.").waitFor();
  assert.doesNotMatch(await panel(page).innerText(), /loss|inferred|events/);
  await page.unroute("**/api/timeline/range*");
  await page.getByRole("button", { name: "Try again" }).click();
  await panel(page).getByText("States of the shown rows").waitFor();
  await page.context().close();
});

test("events are found by name and field, one after another", async () => {
  const page = await timeline();
  const field = page.getByRole("searchbox", { name: "Find events" });
  const status = page.getByRole("search", { name: "Events" }).getByRole("status");
  await page.keyboard.press("f");
  await page.keyboard.type("sched_switch next_comm=db");
  const hits = lines.filter((line) => line.name === "sched_switch" && line.fields.next_comm === "db").length;
  assert.ok(hits > 5);
  await status.getByText(`${hits} found, ${hits} in sight`).waitFor();
  await page.keyboard.press("Enter");
  await status.getByText(`1 of ${hits} found`).waitFor();
  const here = page.locator("tr.here");
  await until(async () => /next_comm = "db"/.test((await here.innerText().catch(() => "")) ?? ""), "the event");
  await page.keyboard.press("Escape");
  assert.equal(await field.inputValue(), "sched_switch next_comm=db", "it is still searched for");
  await page.keyboard.press("n");
  await status.getByText(`2 of ${hits} found`).waitFor();
  await page.keyboard.press("N");
  await status.getByText(`1 of ${hits} found`).waitFor();
  await page.keyboard.press("N");
  await status.getByText("There is none before this.").waitFor();
  assert.equal(param(page, "find"), "sched_switch next_comm=db");
  // A copied address searches for the same.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole("search", { name: "Events" }).getByText(`${hits} found`).waitFor();
  // Wrong queries: one sentence each, and no count.
  for (const [query, sentence] of [
    ["sched_swich", 'No event of this trace is called "sched_swich"'],
    ["ret<few", '"<" compares numbers, and "few" is not a number.'],
    ["comm=", 'The value is missing after "comm="'],
  ]) {
    await field.fill(query);
    await field.press("Enter");
    await status.getByText(sentence).waitFor();
    assert.doesNotMatch(await status.innerText(), /found/);
    assert.equal(await field.getAttribute("aria-invalid"), "true");
  }
  await field.fill("nobody_has_this=1");
  await field.press("Enter");
  await status.getByText("0 found").waitFor();
  await status.getByText('has a field "nobody_has_this"').waitFor();
  // A failed request is no answer.
  await page.route("**/api/timeline/search*", (route) => route.abort());
  await field.fill("~log");
  await field.press("Enter");
  await status.getByText("Request failed: ").first().waitFor();
  assert.doesNotMatch(await status.innerText(), /found|none/);
  await page.context().close();
});

test("events that are found are marked in the part of the picture that is shown, and counted", async () => {
  const { start } = await ask("timeline");
  const times = made.text
    .split("\n")
    .filter((line) => /"name":"sched_switch".*"next_comm":"db"/.test(line))
    .map((line) => Number(BigInt(/"ts":(\d+)/.exec(line)[1]) - BigInt(start)));
  const [from, to] = [times[2] - 1000, times[6] + 1000];
  const inside = times.filter((time) => time >= from && time <= to);
  assert.ok(inside.length >= 5 && inside.length < times.length);
  const page = await timeline(`from=${from}&to=${to}&find=${encodeURIComponent("sched_switch next_comm=db")}`);
  const status = page.getByRole("search", { name: "Events" }).getByRole("status");
  await status.getByText(`${times.length} found, ${inside.length} in sight`).waitFor();
  await page
    .getByRole("table", { name: /^In sight, from / })
    .getByRole("row", { name: `Events found by the search ${inside.length}` })
    .waitFor();
  // Lanes: lost, does not fit, inferred, found.
  const box = await page.locator(".chart canvas").boundingBox();
  const [left, width] = [box.x + 216, box.width - 216];
  const y = box.y + 26 + 3 * 18 + 15;
  const x = (time) => left + ((time - from) / (to - from)) * width;
  const ground = await pixel(page, left + 1, y);
  const gaps = inside.slice(1).map((time, at) => [time - inside[at], (time + inside[at]) / 2]);
  const empty = gaps.sort(([one], [other]) => other - one)[0][1];
  for (const time of inside) {
    const around = await Promise.all([-1, 0, 1].map((by) => pixel(page, x(time) + by, y)));
    assert.ok(
      around.some((colour) => colour !== ground),
      `no tick at ${time}`,
    );
  }
  assert.equal(await pixel(page, x(empty), y), ground);
  // In the strip above those of all of the trace are marked, also where the picture is not.
  const strip = await page.locator(".overview canvas").boundingBox();
  const length = Number((await ask("timeline")).length);
  const inStrip = (time) => strip.x + 216 + ((strip.width - 216) * time) / length;
  const isGreen = (colour) => {
    const [red, green, blue] = colour.split(",").map(Number);
    return green > red + 20 && green > blue + 10;
  };
  assert.ok(!isGreen(await pixel(page, inStrip(empty), strip.y + 5)), "a tick where nothing is found");
  for (const time of times) {
    const around = await Promise.all([-1, 0, 1].map((by) => pixel(page, inStrip(time) + by, strip.y + 5)));
    assert.ok(around.some(isGreen), `no tick in the strip at ${time}: ${around.join(" ")}`);
  }
  // Another part, and no query.
  await page.keyboard.press("0");
  await status.getByText(`${times.length} in sight`).waitFor();
  await page.getByRole("searchbox", { name: "Find events" }).fill("");
  await until(async () => (await pixel(page, left + 1, y)) !== ground, "the lane is gone");
  assert.equal(await page.getByRole("row", { name: /^Events found by the search/ }).count(), 0);
  assert.deepEqual(complaints(page), []);
  await page.context().close();
});

test("a thread that waited says who woke it and who ran meanwhile, with an arrow from the one to the other", async () => {
  const first = await timeline();
  await first.context().close();
  const { rows } = await ask("timeline/rows");
  const wanted = await (async () => {
    for (const row of rows.filter((row) => row.kind === "thread")) {
      for (let time = 0; time !== null; ) {
        const wait = await ask("timeline/wait", { row: row.row, time });
        if (wait.doing === "waits" && wait.woken?.by === "thread" && wait.runners.length > 0 && wait.from > 0)
          return wait;
        const held = await ask("timeline/state", { row: row.row, time });
        if (held.from === null) time += 1000;
        else time = held.to;
        if (time > 1e6) break;
      }
    }
  })();
  assert.ok(wanted, "a wait that somebody ended");
  const middle = Math.round((wanted.from + wanted.to) / 2);
  const around = `from=${Math.max(0, wanted.from - 40_000)}&to=${wanted.to + 40_000}`;
  const page = await timeline(`row=${wanted.row}&at=${middle}&${around}`);
  const facts = page.locator(".facts");
  await facts.getByText(`by sched_wakeup, while ${wanted.woken.row_name} ran there`).waitFor();
  await facts.getByText(`Meanwhile on CPU ${wanted.cpu}`).waitFor();
  await facts.getByRole("row", { name: wanted.runners[0].name }).waitFor();
  // The arrow: between the two rows something is drawn that is not there without it.
  const order = rows.map((row) => row.row);
  const range = { from: Number(param(page, "from")), to: Number(param(page, "to")) };
  const box = await page.locator(".chart canvas").boundingBox();
  const x = box.x + 216 + ((wanted.woken.time - range.from) / (range.to - range.from)) * (box.width - 216);
  const [high, low] = [wanted.row, wanted.woken.row].map((row) => order.indexOf(row)).sort((a, b) => a - b);
  assert.ok(low > high);
  const head = 26 + 3 * 18 + 4;
  // The border between two rows, where no state is drawn.
  const y = box.y + head + 23 * (high + 1) - 1;
  const accent = () => pixel(page, x, y);
  const drawn = await until(async () => {
    const colour = await accent();
    return colour.split(",").map(Number)[2] > 190 && colour;
  }, "an arrow");
  const url = page.url();
  await page.keyboard.press("Escape");
  await until(async () => (await accent()) !== drawn, "no arrow");
  // That pixels are read is nothing to complain of.
  assert.deepEqual(complaints(page), []);
  const other = await page.context().newPage();
  await other.goto(url);
  await other.getByRole("button", { name: "Go there" }).click();
  await until(() => Number(param(other, "at")) === wanted.woken.time, "the wake-up");
  assert.equal(Number(param(other, "row")), wanted.woken.row);
  await other.locator("tr.here").getByText("sched_wakeup").waitFor();
  await page.context().close();
});

test("what is in sight is saved as one file that needs nothing else", async () => {
  const page = await timeline("from=100000&to=300000");
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  const path = await (await waiting).path();
  const text = readFileSync(path, "utf8");
  assert.doesNotMatch(text, /<script|https?:|token/);
  const other = await page.context().newPage();
  const asked = [];
  other.on("request", (request) => asked.push(request.url()));
  await other.setContent(text);
  await other.getByRole("heading", { name: "kernel.jsonl: 200 µs" }).waitFor();
  await other
    .getByRole("table", { name: "States of the shown rows" })
    .getByRole("row", { name: /^CPU 1 / })
    .first()
    .waitFor();
  const { names } = await ask("timeline/range", { from: 100_000, to: 300_000 });
  await other.getByRole("row", { name: `${names[0].name} ${names[0].count}` }).waitFor();
  assert.ok(await other.getByRole("img").evaluate((image) => image.naturalWidth > 600));
  assert.deepEqual(
    asked.filter((url) => !url.startsWith("data:")),
    [],
  );
  // Nothing is saved of a request that failed.
  await page.route("**/api/timeline/range*", (route) => route.abort());
  await page.getByRole("button", { name: "Export" }).click();
  await until(async () => /^Request failed/.test(await page.locator(".unseen[aria-live]").innerText()), "the failure");
  await page.context().close();
});

test("everything of it is reached at 320 pixels and has a name", async () => {
  const page = await timeline("begin=10000&end=200000", { viewport: { width: 320, height: 640 } });
  await panel(page).waitFor();
  for (const name of [
    "Begin",
    "End",
    "Next event found",
    "Previous event found",
    "In the range",
    "Zoom to it",
    "Clear",
  ]) {
    const button = page.getByRole("button", { name, exact: true });
    await button.scrollIntoViewIfNeeded();
    const box = await button.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 320, `${name} ${JSON.stringify(box)}`);
  }
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
});
