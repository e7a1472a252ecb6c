// Takes a picture of each view, for people: `cargo xtask web --shots` says where they are. Those of the README go
// into `web/pictures/`.
import { join } from "node:path";
import { at, browser, file, open, output, root, serve } from "./harness.mjs";
import { lossyKernel } from "./kernel.mjs";

const chromium = await browser();
const ofReadme = ["overview", "play", "list", "timeline", "loops"];

async function shot(name, args, steps, options = {}) {
  const server = await serve(...args);
  try {
    const view = name.startsWith("play") ? at(server.url, "play?blocks=1") : server.url;
    const page = await open(chromium, view, options);
    await page.waitForTimeout(1200);
    // Of a trace what is missing is there.
    await page.waitForFunction(() => !/looking for what is missing|repairing/.test(document.body.innerText));
    await steps(page);
    await page.waitForTimeout(700);
    const path = ofReadme.includes(name) ? join(root, "web/pictures", `${name}.png`) : join(output, `${name}.png`);
    await page.screenshot({ path });
    console.log(path);
    for (const diagnostic of page.diagnostics) console.log(`  the page complains: ${diagnostic}`);
    await page.context().close();
  } finally {
    server.close();
  }
}

const kernel = file("kernel.jsonl", lossyKernel().text);
const press = async (page, keys) => {
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.waitForTimeout(250);
  }
};
await shot("timeline", [kernel.path], (page) => press(page, ["v", "v", "i"]));
await shot("timeline-dark", [kernel.path], (page) => press(page, ["v", "e", "e", "g"]), { colorScheme: "dark" });
await shot("inferred", [kernel.path], (page) => press(page, ["w", "w", "e", "e", "v", "v"]));
await shot("resolution", [kernel.path], (page) => press(page, ["r"]));
await shot("tracks", ["examples/traces/lossy"], (page) => press(page, ["l"]));
await shot("loops", ["examples/traces/complete"], async (page) => {
  await page.getByRole("link", { name: "Loops" }).click();
  await page.waitForTimeout(500);
  await page.getByRole("button", { name: /^baker/ }).click();
  await press(page, ["ArrowUp", "ArrowUp", "n"]);
});
await shot("figure-1", ["--symbols", "ABCBACACBCBACACACBCBACACACAC"], (page) =>
  press(page, ["ArrowUp", "ArrowUp", "n"]),
);
const bakery = ["web/tests/bakery.capture", "--source-root", "crates/tracewright/src/serve/play/fixture"];
const steps = (count) => (page) =>
  press(
    page,
    Array.from({ length: count }, () => "ArrowRight"),
  );
await shot("play", bakery, steps(15));
await shot("play-dark", bakery, steps(23), { colorScheme: "dark" });
await shot("play-iterations", bakery, async (page) => {
  await steps(8)(page);
  await press(page, ["l"]);
});
await shot("play-all", bakery, (page) => press(page, ["End", "ArrowLeft", "0"]));
const shop = ["examples/bakery/bakery.capture", "--source-root", "examples/bakery"];
await shot("overview", shop, async (page) => {
  await press(page, ["h"]);
  await page.waitForTimeout(1500);
  await press(page, Array(6).fill("ArrowUp"));
});
await shot("overview-dark", shop, (page) => press(page, ["h", "m"]), { colorScheme: "dark" });
await shot("list", bakery, async (page) => {
  await page.getByRole("link", { name: "List", exact: true }).click();
  await page.getByLabel("Search calls").fill("heat");
  await press(page, ["Enter"]);
});
await shot("keys", [kernel.path], (page) => press(page, ["?"]));
kernel.remove();
await chromium.close();
