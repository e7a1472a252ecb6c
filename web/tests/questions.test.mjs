// What somebody asks who sees PlantUML, Tomcat, ANTLR and Rhino for the first time, with answers that are known from
// elsewhere (`real/questions.json`), and the clicks that lead to them from the page as it opens.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import * as harness from "./harness.mjs";
import { missing, programs, record } from "./real/programs.mjs";

/** A path may have so many clicks. What is typed into a field is one, and a key is one. */
const CLICKS = 6;
const { questions } = JSON.parse(readFileSync(join(import.meta.dirname, "real/questions.json"), "utf8"));

let chromium;
before(async () => {
  chromium = await harness.browser();
});
after(() => chromium?.close());

/** What the page has in a line: rows of tables, lists and trees, and paragraphs. */
const LINES = "tr, li, [role=treeitem], [role=row], header, p, h2, .row, .scene";

/** In the page: the first visible line, of some kinds, of `REGION: one | other` that has all the words, each as a whole. */
function lineWith([text, kinds]) {
  const [, region, all] = /^(?:([^:|]+): )?(.*)$/.exec(text);
  const words = all
    .split(" | ")
    .map((word) => new RegExp(`(?<![\\w$])${word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w$])`));
  const within = region ? document.querySelector(`[aria-label="${region}"]`) : document.body;
  const lines = [...(within?.querySelectorAll(kinds) ?? [])];
  return (
    lines.find((line) => words.every((word) => word.test(line.innerText)) && line.getClientRects().length > 0) ?? null
  );
}

const waitForLine = async (page, text, kinds = LINES) => {
  const found = await page.waitForFunction(lineWith, [text, kinds]).catch(() => {
    throw new Error(`the page has no "${text}"`);
  });
  return found.asElement();
};

/** Until nothing comes any more: what is found while the search goes on moves what is to be clicked. */
async function settled(page) {
  let before = "";
  for (let looks = 0; looks < 40; looks++) {
    const now = await page.evaluate(() => document.body.innerText);
    if (now === before) return;
    before = now;
    await page.waitForTimeout(300);
  }
}

/** What a click is: a verb, and what it is done with. */
const steps = {
  find: (page, text) => page.getByLabel("Search everything").fill(text),
  press: (page, key) => page.keyboard.press(key),
  // The first link or button of the first line that has all the words.
  follow: async (page, text) => {
    await waitForLine(page, text, "tr, li");
    await settled(page);
    const line = await waitForLine(page, text, "tr, li");
    await (await line.$("a, button")).click();
  },
  click: (page, name) => page.locator("a, button").filter({ hasText: name }).first().click(),
  select: async (page, text) => (await (await waitForLine(page, text, "[role=treeitem]")).$(".title")).click(),
  open: async (page, text) => (await (await waitForLine(page, text, "[role=treeitem]")).$(".tick")).click(),
};

/** Goes the path, to where the answer is. */
async function walk(page, question) {
  for (const [at, step] of question.path.entries()) {
    const [, verb, what] = /^(\S+) (.*)$/.exec(step);
    // Whoever sees the answer clicks no further: a path that is too long would say nothing of the page.
    if (at === question.path.length - 1)
      assert.equal(await page.evaluate(lineWith, [question.see, LINES]), null, `it is seen before "${step}"`);
    await steps[verb](page, what);
  }
  await waitForLine(page, question.see);
}

test("30 questions have answers, and paths of at most 6 clicks", (context) => {
  assert.equal(questions.length, 30);
  assert.equal(new Set(questions.map((one) => one.ask)).size, 30);
  for (const { ask, program, answer, known, path, see, open } of questions) {
    assert.ok(programs[program] && answer && known, ask);
    if (open) continue;
    assert.ok(path.length >= 1 && path.length <= CLICKS, ask);
    assert.ok(path.every((step) => steps[step.split(" ")[0]]) && see, ask);
  }
  const answered = questions.filter((one) => !one.open);
  const clicks = answered.map((one) => one.path.length);
  context.diagnostic(
    `${answered.length} of 30 answered, with ${clicks.reduce((one, other) => one + other, 0) / clicks.length} clicks on average`,
  );
  for (const { ask, open } of questions) if (open) context.diagnostic(`not answered: ${ask} ${open}`);
});

for (const name of Object.keys(programs)) {
  describe(name, { skip: missing(name) }, () => {
    let recorded, server;
    before(async () => {
      recorded = record(name);
      server = await harness.serve(recorded.capture, "--source-root", recorded.folder);
    });
    after(() => {
      server?.close();
      recorded?.remove();
    });
    for (const question of questions.filter((one) => one.program === name && !one.open)) {
      test(question.ask, async () => {
        const page = await harness.open(chromium, server.url, { viewport: { width: 1280, height: 800 } });
        page.setDefaultTimeout(15000);
        await page.getByRole("treeitem").first().waitFor();
        await walk(page, question);
        assert.deepEqual(page.diagnostics, []);
        await page.context().close();
      });
    }
  });
}
