// Damaged traces and captures, shown while one of twenty requests fails: whatever the page says then is true. What is true
// is known from the commands, which ask no server. `TRACEWRIGHT_DAMAGED=1000` for as many.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as harness from "./harness.mjs";
import { lossyKernel } from "./kernel.mjs";

const MANY = Number(process.env.TRACEWRIGHT_DAMAGED ?? 24);
/** One of so many requests fails. */
const FAILS = 20;

/** Each trace and capture has a seed of its own, so that `TRACEWRIGHT_DAMAGED=1` with the seed of one makes it again. */
const SEED = Number(process.env.TRACEWRIGHT_SEED ?? 7);

function randomFrom(seed) {
  let state = seed * 7919 + 1;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

/** Which requests fail. */
const fate = randomFrom(SEED);

let chromium;
before(async () => {
  chromium = await harness.browser();
});
after(() => chromium?.close());

/** What a command prints, whatever it thinks of its input; nothing where it refused it. */
function said(...args) {
  try {
    return execFileSync(process.env.TRACEWRIGHT ?? "tracewright", args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    return error.stdout;
  }
}

/** A trace with one to three kinds of damage in it. */
function damaged(text, random) {
  let lines = text.trimEnd().split("\n");
  const at = () => random(lines.length);
  const kinds = [
    () => (lines = lines.slice(0, 1 + at())),
    () => lines.splice(at(), 1 + random(40)),
    () => lines.splice(at(), 0, "<b>no event</b>"),
    () => lines.splice(at(), 0, lines[at()]),
    () => {
      const line = at();
      lines[line] = lines[line].slice(0, random(lines[line].length));
    },
    () => {
      const line = at();
      const letter = random(lines[line].length);
      lines[line] =
        `${lines[line].slice(0, letter)}${String.fromCharCode(33 + random(90))}${lines[line].slice(letter + 1)}`;
    },
  ];
  for (let count = 1 + random(3); count > 0; count--) kinds[random(kinds.length)]();
  return `${lines.join("\n")}\n`;
}

/** A page of which some requests are not answered. */
async function unreliable(url) {
  const page = await harness.open(chromium, "about:blank");
  page.lost = 0;
  await page.route("**/api/**", (route) => {
    if (fate(FAILS) > 0) return route.continue();
    page.lost++;
    return route.abort();
  });
  await page.goto(url);
  return page;
}

/** Until the page says nothing new for a while, or keeps on asking. */
async function settled(page) {
  let [before, same] = ["", 0];
  for (let count = 0; count < 60 && same < 3; count++) {
    await page.waitForTimeout(120);
    const now = await page.locator("body").innerText();
    same = now === before && !/Reading the|Asking…|…$/.test(now) ? same + 1 : 0;
    before = now;
  }
  return before;
}

test("of damaged traces nothing false is said, whatever fails", async (context) => {
  const { text } = lossyKernel();
  let [lost, told] = [0, 0];
  for (let count = 0; count < MANY; count++) {
    const trace = harness.file("trace.jsonl", damaged(text, randomFrom(SEED + count)));
    const which = `the trace of seed ${SEED + count}`;
    const info = said("info", "--json", "--allow-loss", trace.path);
    const server = info ? await harness.serve(trace.path).catch(() => undefined) : undefined;
    if (server) {
      const known = JSON.parse(info);
      const unfit = said("table", "incoherences", trace.path).trimEnd().split("\n").length - 1;
      const page = await unreliable(server.url);
      await settled(page);
      for (const key of ["l", "i"]) {
        await page.keyboard.press(key);
        await settled(page);
        const heard = await page.locator(".unseen[aria-live]").allInnerTexts();
        for (const sentence of heard.filter((one) => /^There is no/.test(one))) {
          told++;
          if (/no loss after/.test(sentence)) assert.equal(known.gaps.length, 0, `${which}: ${sentence}`);
          // From the first loss on.
          if (/no event that does not fit/.test(sentence) && known.gaps.length === 0)
            assert.equal(unfit, 0, `${which}: ${sentence}`);
        }
      }
      const all = await settled(page);
      const events = /([\d,]+) events? on/.exec(all);
      if (events) {
        told++;
        assert.equal(Number(events[1].replaceAll(",", "")), known.events, which);
      }
      const found = /([\d,]+) diagnostics?/.exec(all);
      if (found) {
        told++;
        assert.equal(Number(found[1].replaceAll(",", "")), known.diagnostics.length, which);
      } else if (known.diagnostics.length > 0)
        assert.ok(page.lost > 0 && /Request failed/.test(all), `${which}: no diagnostics are shown in\n${all}`);
      assert.ok(page.lost > 0 || !/Request failed/.test(all), `${which}: nothing failed in\n${all}`);
      lost += page.lost;
      await page.context().close();
    }
    server?.close();
    trace.remove();
  }
  context.diagnostic(`${MANY} traces, ${lost} requests failed, ${told} sentences held against what is known`);
  assert.ok(lost > 0 && told >= MANY, `${told} sentences`);
});

test("of damaged captures nothing false is said, whatever fails", async (context) => {
  const capture = join(harness.root, "web/tests/bakery.capture");
  let [refused, told] = [0, 0];
  const many = Math.max(6, Math.floor(MANY / 4));
  for (let count = 0; count < many; count++) {
    const random = randomFrom(SEED + count);
    const folder = mkdtempSync(join(tmpdir(), "tracewright-web-"));
    const path = join(folder, "bakery.capture");
    cpSync(capture, path, { recursive: true });
    const names = readdirSync(path);
    const file = join(path, names[random(names.length)]);
    const bytes = readFileSync(file);
    if (random(2)) bytes[random(bytes.length)] ^= 1 << random(8);
    writeFileSync(file, random(2) ? bytes : bytes.subarray(0, random(bytes.length)));
    const summary = said("calls", path, "--summary");
    const server = await harness.serve(path).catch(() => undefined);
    if (server) {
      const page = await unreliable(server.url);
      const all = await settled(page);
      const sum = /([\d,]+) threads?, ([\d,]+) calls?, ([\d,]+) blocks?; /.exec(all);
      const known = /^threads +([\d,]+)[\s\S]*^calls +([\d,]+)[\s\S]*^blocks +([\d,]+) recorded/m.exec(summary);
      if (sum) {
        told++;
        assert.deepEqual(sum.slice(1), known?.slice(1), `capture ${count}`);
        const isWhole = /^lost +nothing$/m.test(summary);
        assert.equal(/something is missing/.test(all), !isWhole, `capture ${count}: ${summary}\n${all}`);
      } else {
        refused++;
        assert.match(all, /cannot|could not|Request failed|not a/i, `capture ${count}`);
      }
      await page.context().close();
      server.close();
    } else refused++;
    rmSync(folder, { recursive: true, force: true });
  }
  context.diagnostic(
    `${many} captures: of ${told} the overview was held against \`calls\`, ${refused} were refused in words`,
  );
});
