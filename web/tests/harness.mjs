// What the browser tests share: the real program serving a trace, and a page that complains of nothing.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const program = process.env.TRACEWRIGHT ?? "tracewright";
export const root = resolve(import.meta.dirname, "../..");
export const output = process.env.OUTPUT ?? mkdtempSync(join(tmpdir(), "tracewright-web-"));

// A test that fails does not come to its `close`; its server must neither keep the run alive nor outlive it.
const servers = new Set();
process.on("exit", (code) => {
  for (const child of servers) child.kill("SIGKILL");
  // Pictures of a failure stay.
  if (process.env.OUTPUT === undefined && code === 0) rmSync(output, { recursive: true, force: true });
});

/** A server for `tracewright view ARGUMENTS`. */
export async function serve(...args) {
  return start(["view", "--no-open", ...args]);
}

/** A server for `tracewright 2l view ARGUMENTS`. */
export async function serve2l(...args) {
  return start(["2l", "view", "--no-open", ...args]);
}

/** What `tracewright ARGUMENTS` prints. */
export function run(...args) {
  return execFileSync(program, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 30 });
}

async function start(args) {
  const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise((found, failed) => {
    lines.once("line", found);
    child.once("exit", (code) => failed(new Error(`tracewright ${args[0]} ended with ${code}`)));
  });
  servers.add(child);
  child.unref();
  child.stdout.unref();
  return { url, pid: child.pid, close: () => servers.delete(child) && child.kill("SIGKILL") };
}

/** Asks the API of a server as the page does: an answer that takes long is asked for again once it is there. */
export function asking(server) {
  const [base, token] = server.url.split("/#token=");
  const headers = { Authorization: `Bearer ${token}` };
  return async (path, query = {}) => {
    for (;;) {
      const answer = await fetch(`${base}/api/${path}?${new URLSearchParams(query)}`, { headers });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      const found = await answer.json();
      if (answer.status !== 202) return found;
      await fetch(`${base}/api/finished?after=${found.finished}`, { headers });
    }
  };
}

/** The address of a view of what a server serves. */
export function at(url, view) {
  return url.replace("#token=", `#/${view}?token=`);
}

/** A file with this text in a folder of its own. */
export function file(name, text) {
  const folder = mkdtempSync(join(tmpdir(), "tracewright-web-"));
  const path = join(folder, name);
  writeFileSync(path, text);
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export async function browser() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  // Debian's Chromium cannot make its own sandbox inside most containers.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}

/**
 * A page whose diagnostics are kept in `page.diagnostics`.
 *
 * Where a test answers requests of a page that is open already, the page is opened as `intercepted`: the browser begins to
 * ask before each request only after `route` has returned, and a key that is pressed at once could be the first.
 */
export async function open(browser, url, { intercepted = false, ...options } = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 720 },
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  if (intercepted) await page.route("**/nothing-has-this-path", (route) => route.continue());
  page.diagnostics = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.diagnostics.push(message.text());
  });
  page.on("pageerror", (error) => page.diagnostics.push(String(error)));
  // The browser says only that something was refused; this says what.
  page.on(
    "response",
    (response) => response.status() >= 400 && page.diagnostics.push(`${response.status()} ${response.url()}`),
  );
  await page.goto(url);
  return page;
}

/** What a page complains of, but for the browser's remark on a test that reads many pixels. */
export function complaints(page) {
  return page.diagnostics.filter((one) => !one.includes("willReadFrequently"));
}

/** Waits until `ask` gives something true. */
export async function until(ask, what, seconds = 15) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
    await new Promise((later) => setTimeout(later, 40));
  }
}

/** The colour of a pixel of the largest canvas, at a place of the page. */
export async function pixel(page, x, y) {
  return page.evaluate(
    ([x, y]) => {
      const canvas = [...document.querySelectorAll("canvas")].find((canvas) => {
        const box = canvas.getBoundingClientRect();
        return x >= box.left && x < box.right && y >= box.top && y < box.bottom;
      });
      const box = canvas.getBoundingClientRect();
      const scale = canvas.width / box.width;
      const data = canvas.getContext("2d").getImageData((x - box.left) * scale, (y - box.top) * scale, 1, 1).data;
      return [data[0], data[1], data[2]].join();
    },
    [x, y],
  );
}
