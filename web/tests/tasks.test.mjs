// A request that other threads go on with, in a browser: from the thread that hands a task over to the one that begins it, and back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as harness from "./harness.mjs";

let server;
let chromium;
const diagnostics = [];
before(async () => {
  server = await harness.serve("web/tests/tasks.capture", "--source-root", "web/tests/tasks");
  chromium = await harness.browser();
});
after(async () => {
  await chromium?.close();
  server?.close();
});

async function open() {
  const page = await harness.open(chromium, harness.at(server.url, "threads"));
  page.setDefaultTimeout(20000);
  diagnostics.push(page.diagnostics);
  await page.locator("caption", { hasText: "Tasks of what is shown" }).waitFor();
  return page;
}

/** A row for each task: what began it, who handed it over and who began it. */
const tasks = (page) =>
  page.$$eval("table", (all) => {
    const table = all.find((one) => one.caption?.textContent.startsWith("Tasks"));
    return [...table.tBodies[0].rows].map((row) =>
      [0, 1, 3].map((cell) => row.cells[cell].textContent.trim()).join(" | "),
    );
  });

test("each task is listed with the thread that handed it over and the one that began it", async () => {
  const page = await open();
  const each = ["Orders.lambda$handle$2 | HTTP-Dispatcher | cook", "Orders.lambda$handle$3 | cook | packer"];
  assert.deepEqual(await tasks(page), [...each, ...each, ...each]);
  await page.close();
});

test("a request is followed into the thread that goes on with it, and back", async () => {
  const page = await open();
  await page.locator("tbody .link", { hasText: "Orders.handle" }).first().click();
  const card = page.locator(".card");
  assert.match(await card.innerText(), /Orders\.handle[\s\S]*Hands over Orders\.lambda\$handle\$2 to cook, begun/);
  await card.getByRole("button", { name: "cook" }).click();
  await page.locator(".card h2", { hasText: /lambda|cook|work/ }).waitFor();
  await page.locator("tbody .link", { hasText: "Orders.lambda$handle$2" }).first().click();
  assert.match(await card.innerText(), /Begins Orders\.lambda\$handle\$2, handed over by HTTP-Dispatcher/);
  await card.getByRole("button", { name: "HTTP-Dispatcher" }).click();
  await page.locator(".card h2", { hasText: "Orders" }).waitFor();
  assert.match(await card.innerText(), /HTTP-Dispatcher,/);
  await page.close();
});

test("an end of a task leads to its thread", async () => {
  const page = await open();
  const table = page.locator("table", { has: page.locator("caption", { hasText: "Tasks" }) });
  await page.keyboard.press("+");
  await page.waitForFunction(() => location.hash.includes("from="));
  await table.getByRole("button", { name: "packer" }).first().click();
  await page.locator(".card", { hasText: "packer," }).waitFor();
  await page.close();
});

test("the page complained of nothing", () => assert.deepEqual(diagnostics.flat(), []));
