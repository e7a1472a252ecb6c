// The page on a capture, in a browser without a window, for the tests of Play and List.
import { spawn } from "node:child_process";
import { chromium } from "playwright-core";

const PROGRAM = process.env.TRACEWRIGHT ?? "../target/debug/tracewright";
const SOURCE = "../crates/tracewright/src/serve/play/fixture";

/** Serves a capture; `url` ends with the secret. */
export async function serve(capture, options = ["--source-root", SOURCE]) {
  const child = spawn(PROGRAM, ["view", capture, "--no-open", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((found, failed) => {
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      if (text.includes("\n")) found(text.trim());
    });
    child.on("exit", (code) => failed(new Error(`the server ended with ${code}`)));
  });
  return { url, stop: () => child.kill() };
}

/** A browser; errors of its pages are collected in `complaints`. */
export async function browse({ size = { width: 1280, height: 720 }, ...more } = {}) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  const context = await browser.newContext({ viewport: size, ...more });
  const complaints = [];
  const open = async (url) => {
    const page = await context.newPage();
    page.setDefaultTimeout(20000);
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(url);
    return page;
  };
  return { open, complaints, close: () => browser.close() };
}
