// Compare in a browser: two recordings side by side, what differs marked and reached, both sides in step.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import * as harness from "./harness.mjs";

const A = "web/tests/bakery.capture";
const B = "web/tests/changed.capture";
const SOURCES = [
  "--source-root",
  "crates/tracewright/src/serve/play/fixture",
  "--against-source-root",
  "web/tests/changed",
];

let server;
let chromium;
const diagnostics = [];
before(async () => {
  server = await harness.serve(A, "--against", B, ...SOURCES);
  chromium = await harness.browser();
});
after(async () => {
  await chromium?.close();
  server?.close();
});

/** The page as it opens, with its first rows. */
async function open(url = server.url) {
  const page = await harness.open(chromium, url);
  page.setDefaultTimeout(20000);
  diagnostics.push(page.diagnostics);
  await page.locator(".row.selected [data-side=a]").waitFor();
  return page;
}

/** The selected row: its number, its mark, and the call of each side. */
const selected = (page) =>
  page.evaluate(() => {
    const row = document.querySelector(".row.selected");
    const call = (side) => {
      const cell = row?.querySelector(`[data-side=${side}]`);
      const name = cell?.querySelector(".name")?.textContent;
      return name === undefined ? null : `${cell.querySelector(".weak:not(.size)")?.textContent}.${name}`;
    };
    const verdict = ["equal", "differs", "only", "unknown"].find((name) => row?.classList.contains(name));
    return { row: Number(row?.getAttribute("aria-rowindex")), verdict, a: call("a"), b: call("b") };
  });

/** Presses a key and waits until another row is selected and there. */
async function press(page, key) {
  const was = (await selected(page)).row;
  await page.keyboard.press(key);
  await page.waitForFunction((was) => {
    const row = document.querySelector(".row.selected");
    return row && Number(row.getAttribute("aria-rowindex")) !== was && row.querySelector("[data-side]");
  }, was);
  return selected(page);
}

/** The calls of a recording in order, class initialisers left out, as the command tells them. */
function calls(capture) {
  const program = process.env.TRACEWRIGHT ?? "tracewright";
  const out = execFileSync(program, ["calls", capture, "--flat", "--json", "--all"], {
    cwd: harness.root,
    maxBuffer: 1 << 28,
  });
  const steps = String(out)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return steps
    .filter((step) => step.what === "call" && !step.method.endsWith(".<clinit>"))
    .map((step) => written(step.method));
}

/** A method as the page writes it: its class without the package, and its name. */
function written(method) {
  const at = method.lastIndexOf(".");
  const [simple, name] = [method.slice(0, at).split(".").pop(), method.slice(at + 1)];
  const lambda = /^lambda\$(.*)\$\d+$/.exec(name);
  return `${simple}.${name === "<init>" ? `new ${simple}` : lambda ? `lambda in ${lambda[1]}` : name}`;
}

test("the first difference is one key away from the opening", async () => {
  const page = await open();
  assert.equal(await page.getByRole("link", { name: "Compare", exact: true }).getAttribute("aria-current"), "page");
  assert.deepEqual(await selected(page), { row: 1, verdict: "equal", a: "Bakery.main", b: "Bakery.main" });
  const first = await press(page, "d");
  assert.deepEqual([first.verdict, first.a, first.b], ["differs", "Bakery.sell", "Bakery.sell"]);
  // Its lines: the call that was put in, and how often each ran.
  const differing = page.locator(".lines tr.differs");
  await differing.first().waitFor();
  const lines = (await differing.allInnerTexts()).join("\n");
  assert.match(lines, /weigh\(loaf\)/);
  assert.match(lines, /if \(loaf == 100\)/);
  assert.doesNotMatch(lines, /sold \+=/, "what only moved is no difference");
  const second = await press(page, "d");
  assert.deepEqual([second.verdict, second.a, second.b], ["only", null, "Bakery.weigh"]);
  assert.match(await page.locator(".found").innerText(), /^2 of \d+ differences$/);
  assert.equal((await press(page, "D")).row, first.row);
  // Keys that come faster than answers count too.
  await page.keyboard.press("d");
  await page.keyboard.press("d");
  await page.keyboard.press("D");
  await page.keyboard.press("D");
  await page.getByText(/^1 of \d+ differences$/).waitFor();
  assert.equal((await selected(page)).row, first.row);
  // An address leads to the same row.
  await page.waitForFunction((row) => location.hash.includes(`row=${row}`), first.row - 1);
  await page.reload();
  await page.waitForFunction(
    (row) => document.querySelector(".row.selected")?.getAttribute("aria-rowindex") === String(row),
    first.row,
  );
  await page.close();
});

test("every difference is met, forward and back", async () => {
  const page = await open();
  const total = Number(/^(\d+) differences/.exec(await page.locator(".found").innerText())?.[1]);
  assert.ok(total >= 10, String(total));
  const forward = [];
  for (let number = 0; number < total; number++) forward.push(await press(page, "d"));
  assert.ok(forward.every((row) => row.verdict !== "equal"));
  assert.equal(forward.filter((row) => row.b === "Bakery.weigh" && row.a === null).length, 5);
  assert.ok(forward.some((row) => row.a === "Oven.cool" && row.verdict === "differs"));
  await page.keyboard.press("d");
  await page.getByText("no further difference").waitFor();
  const back = [forward.at(-1)];
  for (let number = 1; number < total; number++) back.push(await press(page, "D"));
  assert.deepEqual(back.reverse(), forward);
  await page.close();
});

test("both sides stay in step over a thousand rows, and are what the recordings say", async () => {
  const page = await open();
  const met = [await selected(page)];
  for (let step = 1; step <= 1000; step++) met.push(await press(page, "ArrowDown"));
  assert.deepEqual(
    met.map((row) => row.row),
    met.map((_, index) => index + 1),
  );
  for (const row of met) {
    if (row.verdict === "only") assert.ok((row.a === null) !== (row.b === null), JSON.stringify(row));
    else assert.equal(row.a, row.b, JSON.stringify(row));
  }
  for (const [side, capture] of [
    ["a", A],
    ["b", B],
  ]) {
    const shown = met.map((row) => row[side]).filter((call) => call !== null);
    assert.deepEqual(shown, calls(capture).slice(0, shown.length));
  }
  assert.ok(
    met.some((row) => row.a === null),
    "a difference lies among them",
  );
  await page.close();
});

test("the strip, the rows and the links lead to the moment", async () => {
  const page = await open();
  const slider = page.getByRole("slider");
  const total = Number(await slider.getAttribute("aria-valuemax")) + 1;
  assert.equal(await page.getByRole("grid").getAttribute("aria-rowcount"), String(total));
  const box = await slider.boundingBox();
  await slider.click({ position: { x: box.width / 2, y: 10 } });
  await page.waitForFunction(() => Number(document.querySelector("[role=slider]")?.getAttribute("aria-valuenow")) > 0);
  const there = Number(await slider.getAttribute("aria-valuenow"));
  assert.ok(Math.abs(there - total / 2) < total / 50, String(there));
  await page.keyboard.press("End");
  await page.waitForFunction(
    (last) => document.querySelector(".row.selected")?.getAttribute("aria-rowindex") === String(last),
    total,
  );
  // A row is there before what stands in it.
  const last = await harness.until(async () => {
    const found = await selected(page);
    return found.a ? found : undefined;
  }, "the last row");
  await page.getByRole("link", { name: "List of A" }).click();
  await page.waitForFunction(() => location.hash.startsWith("#/list?"));
  const row = page.locator(".row.selected .name");
  await row.waitFor();
  assert.equal(await row.innerText(), last.a.split(".").pop());
  await page.close();
});

test("equal recordings have no difference", async () => {
  const same = await harness.serve(A, "--against", A);
  try {
    const page = await open(same.url);
    assert.equal(await page.locator(".found").innerText(), "no difference");
    assert.ok(await page.getByRole("button", { name: "Next difference" }).isDisabled());
    await page.close();
  } finally {
    same.close();
  }
});

test("a failed request is said in words", async () => {
  const page = await open();
  await page.route("**/api/compare/find*", (route) => route.abort());
  await page.keyboard.press("d");
  await page.locator(".compare .trouble").getByText("Request failed: The server does not answer.").waitFor();
  await page.unroute("**/api/compare/find*");
  await page.keyboard.press("d");
  await page.locator(".found").getByText("1 of").waitFor();
  diagnostics.pop();
  await page.close();
});

test("everything that can be pressed has a name, and every key is on the sheet", async () => {
  const page = await open();
  const unnamed = await page.evaluate(() =>
    [...document.querySelectorAll("button, a, select, input, [role=grid], [role=slider], [role=scrollbar], [tabindex]")]
      .filter((one) => {
        const name = one.getAttribute("aria-label") || one.getAttribute("aria-labelledby") || one.textContent?.trim();
        return !name;
      })
      .map((one) => one.outerHTML.slice(0, 120)),
  );
  assert.deepEqual(unnamed, []);
  const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map((one) => one.id));
  assert.equal(new Set(ids).size, ids.length);
  await page.keyboard.press("?");
  const sheet = page.locator("dialog[open]");
  await sheet.getByText("Next difference").waitFor();
  // The view has this key, so it changes no colours here.
  assert.equal(await sheet.getByText("Light, dark, or as the system is").count(), 0);
  await page.close();
});

test("no page complained", () => {
  assert.deepEqual(diagnostics.flat(), []);
});
