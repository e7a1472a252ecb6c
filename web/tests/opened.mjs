// The lossy kernel trace, served to all tests of a file, and its timeline as they open it.
import { after, before } from "node:test";
import { at, browser, file, open, serve } from "./harness.mjs";
import { lossyKernel } from "./kernel.mjs";

export function lossyTimeline() {
  const opened = { text: lossyKernel().text };
  before(async () => {
    opened.trace = file("kernel.jsonl", opened.text);
    opened.server = await serve(opened.trace.path);
    opened.chromium = await browser();
  });
  after(async () => {
    await opened.chromium?.close();
    opened.server?.close();
    opened.trace?.remove();
  });
  /** The page at an address, once the repaired layer, which is the last thing to come, is there. */
  opened.timeline = async (query = "", options = {}, server = opened.server) => {
    const url = query ? at(server.url, "timeline").replace("?token=", `?${query}&token=`) : server.url;
    const page = await open(opened.chromium, url, options);
    await page.getByRole("button", { name: "Repaired" }).waitFor();
    return page;
  };
  return opened;
}

/** A parameter of the address of a page. */
export function param(page, name) {
  return new URLSearchParams(new URL(page.url()).hash.split("?")[1]).get(name);
}
