// What the page says where it does not know: a server that is gone, a stream that has ended, an input that is
// damaged, a thread of which not every chain of calls is known.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { after, before, test } from "node:test";
import { at, browser, file, open, serve, until } from "./harness.mjs";
import { lossyKernel } from "./kernel.mjs";

let chromium, kernel;
before(async () => {
  kernel = file("kernel.jsonl", lossyKernel().text);
  chromium = await browser();
});
after(async () => {
  await chromium?.close();
  kernel?.remove();
});

const failure = (page) => page.getByRole("alert").filter({ hasText: "Request failed:" });

// What was wrong: "There is no loss after this." was said by a page whose server was gone.
test("a failed request is a failed request, and is tried again", async () => {
  const server = await serve(kernel.path);
  const page = await open(chromium, server.url, { intercepted: true });
  await page.getByRole("button", { name: "Repaired" }).waitFor();
  assert.equal(await failure(page).count(), 0);
  await page.route("**/api/timeline/step*", (route) => route.abort());
  await page.keyboard.press("l");
  await failure(page).first().getByText("The server does not answer.").waitFor();
  assert.doesNotMatch(await page.locator("body").innerText(), /There is no/);
  assert.match(await page.locator(".unseen[aria-live]").innerText(), /^Request failed: /);
  await page.unroute("**/api/timeline/step*");
  await page.getByRole("button", { name: "Try again" }).click();
  await until(async () => (await failure(page).count()) === 0, "no failure");
  await page.getByRole("button", { name: "Repaired" }).waitFor();
  await page.keyboard.press("l");
  await page.locator(".facts").getByText("32 events lost").waitFor();
  // An answer that is no answer, and one that breaks off.
  for (const answer of [
    { status: 500, body: "This is a mistake." },
    { status: 200, contentType: "application/json", body: '{"name": ' },
  ]) {
    await page.route("**/api/timeline/state?*", (route) => route.fulfill(answer));
    // Who tries again begins anew: a key that comes before the view is there does nothing.
    await page.locator(".facts h2").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await failure(page).first().waitFor();
    assert.doesNotMatch(await page.locator(".facts").innerText(), /Nothing is known/);
    await page.unroute("**/api/timeline/state?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await until(async () => (await failure(page).count()) === 0, "no failure");
  }
  server.close();
  await page.waitForTimeout(200);
  await page.keyboard.press("l");
  await failure(page).first().waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await failure(page).first().getByText("The server does not answer.").waitFor();
  await page.context().close();
});

test("a loss whose events are not listed says who ran when, as far as is known", async () => {
  const server = await serve(kernel.path);
  const page = await open(chromium, server.url);
  await page.getByRole("button", { name: "Repaired" }).waitFor();
  await page.keyboard.press("l");
  const facts = page.locator(".facts");
  await facts.getByRole("heading", { name: "Estimated, not observed" }).waitFor();
  assert.match(await facts.innerText(), /\d+ to \d+ switches in nine of ten losses like it/);
  for (const who of ["no thread", "web 101", "log 103"]) {
    const row = facts.getByRole("row", { name: who });
    const strip = await row.getByRole("img").getAttribute("aria-label");
    assert.match(strip, /^Probability over the time: (\d+ %, ){11}\d+ %$/);
    assert.match(await row.innerText(), /on average/);
  }
  // Of each part of the time somebody is named, or nobody.
  const sums = await facts
    .locator(".strip")
    .evaluateAll((strips) =>
      [...strips[0].children].map((_, part) =>
        strips.map((strip) => Number(strip.children[part].style.opacity)).reduce((one, other) => one + other),
      ),
    );
  for (const sum of sums) assert.ok(sum > 0.9 && sum < 1.001, sums.join());
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
  server.close();
});

test("a list and the playback that were not answered claim nothing of the trace", async () => {
  const server = await serve("web/tests/bakery.capture");
  const page = await open(chromium, server.url, { intercepted: true });
  await page.getByRole("link", { name: "List", exact: true }).click();
  await page.getByRole("grid").getByRole("row").first().waitFor();
  await page.route("**/api/list*", (route) => route.abort());
  await page.getByLabel("Only first iterations of loops").check();
  await failure(page).first().waitFor();
  assert.doesNotMatch(await page.locator("body").innerText(), /No call fits|0 calls/);
  await page.unroute("**/api/list*");
  await page.getByRole("button", { name: "Try again" }).first().click();
  await page.getByRole("grid").getByRole("row").first().waitFor();
  await page.route("**/api/play/step*", (route) => route.abort());
  await page.getByRole("link", { name: "Play", exact: true }).click();
  await page.getByRole("link", { name: "Blocks", exact: true }).click();
  await page.locator(".bubble.current").waitFor();
  await page.keyboard.press("ArrowRight");
  await failure(page).first().waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await page.context().close();
  server.close();
});

// What was wrong: the last state before the end of a stream was drawn as certain until the end of the trace.
test("what comes after the end of a stream is drawn as unknown", async () => {
  const text = lossyKernel().text;
  const lines = text.trimEnd().split("\n");
  // CPU 1 is not recorded in the second half.
  const cut = lines.filter((line, index) => index < lines.length / 2 || !line.includes('"cpu1"')).join("\n");
  const trace = file("cut.jsonl", `${cut}\n`);
  const server = await serve(trace.path);
  const page = await open(chromium, server.url);
  await page.getByRole("button", { name: "Legend" }).click();
  await page.getByText("not known: nothing is recorded of it here").waitFor();
  await page.getByRole("button", { name: "Close the legend" }).click();
  // What is inferred has a lane of its own, which moves the rows.
  await page.getByRole("button", { name: "Repaired" }).waitFor();
  await page.keyboard.press("0");
  const rows = await page.getByRole("region", { name: "Rows of states" }).boundingBox();
  // The rows of the CPUs come first; which one is under the pointer is told.
  const seen = new Map();
  for (let y = rows.y + 40; y < rows.y + 200; y += 8) {
    await page.mouse.move(rows.x + 1100, y);
    await page.waitForTimeout(30);
    const name = (await page.locator(".hover").innerText()).split(",")[0];
    if (/^CPU \d$/.test(name) && !seen.has(name)) seen.set(name, y);
  }
  assert.deepEqual([...seen.keys()], ["CPU 0", "CPU 1"]);
  await page.mouse.click(rows.x + 1100, seen.get("CPU 1") + 4);
  await page.locator(".facts").getByText("not known: nothing is recorded of it here").waitFor();
  await page.mouse.click(rows.x + 1100, seen.get("CPU 0") + 4);
  await page
    .locator(".facts .state b")
    .getByText(/busy|idle/)
    .waitFor();
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
  server.close();
  trace.remove();
});

// What was wrong: the page showed none of what the reader found wrong.
test("diagnostics of the reader stand in the header of every view", async () => {
  const damaged = file("damaged.jsonl", `${lossyKernel().text}<b>no event</b>\n{"ts": 1, "name"\n`);
  const server = await serve(damaged.path);
  const page = await open(chromium, server.url);
  const button = page.getByRole("banner").getByRole("button", { name: "2 diagnostics" });
  for (const view of ["Timeline", "Loops"]) {
    await page.getByRole("link", { name: view }).click();
    await button.waitFor();
  }
  await button.click();
  const dialog = page.getByRole("dialog", { name: "Diagnostics" });
  assert.equal(await dialog.getByRole("listitem").count(), 2);
  assert.match(await dialog.getByRole("listitem").first().innerText(), /damage damaged\.jsonl, line \d+: /);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
  server.close();
  damaged.remove();
  const fine = await serve(kernel.path);
  const other = await open(chromium, fine.url);
  await other.getByRole("button", { name: "Repaired" }).waitFor();
  assert.equal(await other.getByRole("button", { name: /diagnostic/ }).count(), 0);
  await other.context().close();
  fine.close();
});

// What was wrong: that not all chains of calls were known was kept and not said, and bubbles were cut.
test("a playback of which not every chain of calls is known says so, and no bubble lies on another", async () => {
  const server = await serve("web/tests/bakery.capture", "--source-root", "crates/tracewright/src/serve/play/fixture");
  const page = await open(chromium, "about:blank");
  await page.route("**/api/play/contexts*", async (route) => {
    const answer = await route.fetch();
    if (answer.status() !== 200) return route.fulfill({ response: answer });
    const all = await answer.json();
    const contexts = all.contexts.slice(0, 2);
    await route.fulfill({ response: answer, json: { ...all, complete: false, contexts } });
  });
  // As the server does for chains that are not among the first ones.
  for (const path of ["state", "step"]) {
    await page.route(`**/api/play/${path}?*`, async (route) => {
      const answer = await route.fetch();
      if (answer.status() !== 200) return route.fulfill({ response: answer });
      const state = await answer.json();
      for (const frame of state.frames) if (frame.context >= 2) frame.context = null;
      await route.fulfill({ response: answer, json: state });
    });
  }
  await page.goto(at(server.url, "play?blocks=1"));
  await page.getByText("Only the first 2 chains of calls are laid out").waitFor();
  await page.locator(".bubble.current").waitFor();
  let most = 0;
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press("ArrowRight");
    if (step % 5) continue;
    await page.waitForTimeout(60);
    const boxes = await page
      .locator(".bubble")
      .evaluateAll((all) => all.map((one) => [one.offsetLeft, one.offsetTop, one.offsetWidth, one.offsetHeight]));
    most = Math.max(most, boxes.length);
    for (const [index, [x, y, w, h]] of boxes.entries()) {
      for (const [x2, y2, w2, h2] of boxes.slice(index + 1))
        assert.ok(
          x + w <= x2 || x2 + w2 <= x || y + h <= y2 || y2 + h2 <= y,
          `${[x, y, w, h]} and ${[x2, y2, w2, h2]}`,
        );
    }
    const cut = await page
      .locator(".bubble code")
      .evaluateAll((all) =>
        all
          .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.textContent.length <= 60)
          .map((one) => one.textContent),
      );
    assert.deepEqual(cut, []);
  }
  assert.ok(most > 2, `${most}`);
  await page.unrouteAll({ behavior: "wait" });
  assert.deepEqual(page.diagnostics, []);
  await page.context().close();
  server.close();
});

// The address is no argument of the browser: it is led to the page by a file, from an origin that is not ours.
test("a browser that is given the file of the address shows the page", async () => {
  const opener = file("xdg-open", '#!/bin/sh\necho "$1" >"$NOTED.part" && mv "$NOTED.part" "$NOTED"\n');
  chmodSync(opener.path, 0o755);
  const folder = dirname(opener.path);
  const noted = `${opener.path}.noted`;
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, XDG_RUNTIME_DIR: folder, NOTED: noted };
  const child = spawn(process.env.TRACEWRIGHT ?? "tracewright", ["view", kernel.path], { env, stdio: "ignore" });
  try {
    await until(() => existsSync(noted), "the browser");
    const path = readFileSync(noted, "utf8").trim();
    const page = await open(chromium, `file://${path}`);
    await page.getByRole("link", { name: "Timeline" }).waitFor();
    assert.match(page.url(), /^http:\/\/127\.0\.0\.1:\d+\/#\/timeline$/);
    assert.deepEqual(page.diagnostics, []);
    await until(() => !existsSync(dirname(path)), "the file to be removed");
    await page.context().close();
  } finally {
    child.kill();
    opener.remove();
  }
});
