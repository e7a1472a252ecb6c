// Real programs, and a generated one of 100 classes and a million calls: a film of at most 300 scenes from which all that
// ran is reached in three clicks, lines that are whole where they are played, and a search that finds every row.
// What ran is known from `tracewright table`, which the page has no part in.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as harness from "./harness.mjs";
import { missing, programs, record } from "./real/programs.mjs";

/** Scenes of a film of which nobody says how long it is to be. */
const SCENES = 300;
/** Methods of each program of which every line is looked for. */
const METHODS = 120;
/** Positions of each program that are looked at. */
const POSITIONS = Number(process.env.TRACEWRIGHT_POSITIONS ?? 40);
/** Rows of each program that search for themselves. */
const ROWS = 200;

let seed = 42;
const random = (below) => {
  seed = (seed * 48271) % 2147483647;
  return seed % below;
};
const some = (list, count) => Array.from({ length: count }, () => list[random(list.length)]);

let chromium;
before(async () => {
  chromium = await harness.browser();
});
after(() => chromium?.close());

/** Classes that are not written without their packages, of the recording that is looked at. */
let labels = new Map();

/** How a bubble of a frame is labelled, up to what it is doing. */
function labelOf({ class: owner, name }) {
  const simple = owner.split(".").pop();
  const lambda = /^lambda\$(.*)\$\d+$/.exec(name);
  const title =
    name === "<init>"
      ? `new ${simple.split("$").pop()}`
      : name === "<clinit>"
        ? `${simple} is set up`
        : lambda
          ? `lambda in ${lambda[1]}`
          : name;
  return `${title} of ${labels.get(owner) ?? simple.replaceAll("$", ".")}`;
}

/** The lines of CSV without the quotes of whole cells. */
function csv(text) {
  const [head, ...lines] = text.trimEnd().split("\n");
  const cells = (line) =>
    line.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g).map((cell) => cell.replace(/,$/, "").replace(/^"|"$/g, ""));
  return { names: cells(head), rows: lines.map(cells) };
}

/** What ran, by `class.method` and descriptor: the blocks. */
function whatRan(capture) {
  const { names, rows } = csv(harness.run("table", "blocks", capture));
  const at = Object.fromEntries(names.map((name, index) => [name, index]));
  const found = new Map();
  for (const row of rows) {
    if (Number(row[at.count]) === 0) continue;
    const key = `${row[at.class]}.${row[at.method]}${row[at.descriptor]}`;
    if (!found.has(key)) found.set(key, { class: row[at.class], method: row[at.method], blocks: new Set() });
    found.get(key).blocks.add(Number(row[at.block]));
  }
  return found;
}

for (const name of ["generated", ...Object.keys(programs)]) {
  describe(name, { skip: missing(name) }, () => {
    let recorded, server, ask;
    before(async () => {
      recorded = record(name);
      server = await harness.serve(recorded.capture, "--source-root", recorded.folder);
      ask = harness.asking(server);
      await harness.until(async () => (await ask("story")).story, "the capture to be read", 120);
    });
    after(() => {
      server?.close();
      recorded?.remove();
    });

    test("all that ran is in a film of at most 300 scenes, or listed beside it with its variants", async (context) => {
      const ran = whatRan(recorded.capture);
      const { story } = await ask("story");
      assert.ok(story.scenes.length <= SCENES, `${story.scenes.length}`);
      // What ran below each thread: scenes, and what has none. Both have ways of one and two clicks.
      const told = new Map();
      for (const { entry } of story.entries.filter((one) => one.kind === null)) {
        const { story } = await ask("story", { entry });
        const untold = await ask("story/untold", { entry });
        assert.equal(untold.methods.length, untold.total);
        for (const one of [...story.scenes, ...untold.methods]) {
          if (!told.has(one.method)) told.set(one.method, []);
          told.get(one.method).push({ entry, call: one.call });
        }
        // A jump over variants says how many they are.
        const skipped = untold.methods.reduce((sum, one) => sum + one.variants, 0);
        assert.equal(story.variants - story.variants_shown, skipped, entry);
        for (const scene of some(story.scenes, Math.min(story.scenes.length, 12))) {
          const { loops } = await ask("story/scene", { entry, call: scene.call });
          for (const loop of loops.filter((one) => one.variants.length > 0))
            assert.equal(
              loop.variants.reduce((sum, one) => sum + one.times, 0),
              loop.iterations,
              scene.title,
            );
        }
      }
      assert.equal(told.size, ran.size, "methods that ran");
      // Lines: those of a scene, and those of other calls, which are a click away.
      const byName = new Map();
      for (const one of ran.values()) {
        const key = `${one.class}.${one.method}`;
        byName.set(key, [...(byName.get(key) ?? []), one]);
      }
      for (const method of some([...told.keys()], METHODS)) {
        const about = await ask("play/method", { id: method });
        const blocks = new Set();
        for (const { entry, call } of told.get(method)) {
          const scene = await ask("story/scene", { entry, call, with: call });
          for (const [block] of scene.ran) blocks.add(block);
          for (const block of scene.ran_elsewhere) blocks.add(block);
        }
        const candidates = byName.get(`${about.class}.${about.name}`) ?? [];
        const sorted = (set) => [...set].sort((one, other) => one - other).join();
        assert.ok(
          candidates.some((one) => sorted(one.blocks) === sorted(blocks)),
          `${about.class}.${about.name}: ${sorted(blocks)}`,
        );
      }
      context.diagnostic(
        `${ran.size} methods, ${story.scenes.length} scenes of ${story.title}, ${story.untold} methods beside them`,
      );
    });

    test("methods without a scene, and their lines, are three clicks away", async () => {
      const page = await harness.open(chromium, harness.at(server.url, "play"), {
        viewport: { width: 1280, height: 800 },
      });
      page.setDefaultTimeout(20000);
      await page.locator("article.current li.ran").first().waitFor();
      const { story } = await ask("story");
      if (story.untold === 0) return page.context().close();
      const { methods } = await ask("story/untold");
      for (const one of some(methods, 5)) {
        await page
          .getByRole("button", { name: /methods? without a scene/ })
          .first()
          .click();
        const listed = page.getByRole("region", { name: "Methods without a scene" });
        await listed.getByLabel("Find among methods").fill(`${one.package}.${one.class}.${one.title}`);
        // The name of one method may begin another's.
        const name = `${one.title} ${one.class}`.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
        const itself = page.locator("span", { hasText: new RegExp(`^\\s*${name}\\s*$`) });
        await listed.getByRole("button").filter({ has: itself }).first().click();
        await page.locator(`article.current[aria-label^="${one.title} of ${one.class}"]`).waitFor();
        await page.locator("article.current li.ran").first().waitFor();
      }
      assert.deepEqual(page.diagnostics, []);
      await page.context().close();
    });

    test("the source of a method has lit what ran in any of its calls", async () => {
      const { whole } = await ask("overview");
      assert.ok(whole);
      const ran = whatRan(recorded.capture);
      for (const one of some([...ran.values()], METHODS)) {
        const { results } = await ask("overview/search", { query: `${one.class}.${one.method}` });
        const hits = results.find((result) => result.kind === "method")?.hits ?? [];
        assert.ok(hits.length > 0, `${one.class}.${one.method}`);
        for (const hit of hits.slice(0, 3)) {
          const place = await ask("overview/place", { entry: `m${hit.method}` });
          const about = await ask("play/method", { id: hit.method });
          const known = [...ran.values()].filter((two) => two.class === about.class && two.method === about.name);
          const lit = place.rows.map((row) => row.ran === true);
          const rows = about.rows.slice(0, lit.length);
          const fits = known.some((two) =>
            rows.every((row, at) => lit[at] === row.blocks.some((block) => two.blocks.has(block))),
          );
          assert.ok(fits, `${about.class}.${about.name}`);
        }
      }
    });

    test("rows that are drawn at random find themselves, in the overview and in the list", async () => {
      const found = async (query) => {
        const { results } = await ask("overview/search", { query });
        return results.flatMap((result) => result.hits);
      };
      // Rows of the folded tree, each on a way down that is drawn anew.
      const { whole } = await ask("overview");
      for (let count = 0; count < ROWS / 2; ) {
        for (let line = some(whole.kinds, 1)[0]; line && count < ROWS / 2; count++) {
          if (line.method !== null && (line.kind === "call" || line.kind === "within")) {
            const hits = await found(`${line.title} ${line.class}`);
            assert.ok(
              hits.some((hit) => hit.method === line.method),
              `${line.title} ${line.class}`,
            );
          } else if (line.kind === "thread") {
            const hits = await found(line.title);
            assert.ok(
              hits.some((hit) => hit.line === line.id || hit.title === line.title),
              line.title,
            );
          }
          if (line.place) {
            const hits = await found(line.place);
            assert.ok(
              hits.some((hit) => hit.method === line.method || line.method === null),
              line.place,
            );
          }
          const inside = line.opens
            ? await ask("overview/inside", { entry: line.id, from: 0, count: 200 })
            : { lines: [] };
          line = some(inside.lines, 1)[0];
        }
      }
      // Rows of the list: the search that begins above one comes to it.
      const { threads, class_labels } = (await ask("play")).recording;
      labels = new Map(class_labels);
      const long = threads.filter((thread) => thread.calls > 1);
      for (const thread of some(long, ROWS / 10)) {
        const from = 1 + random(Math.max(1, thread.calls - 1));
        const { rows } = await ask("list", { thread: thread.serial, from, count: 5 });
        for (const row of rows) {
          const query = labelOf(row).replace(" of ", " ");
          const next = await ask("list/find", { thread: thread.serial, at: row.row - 1, query });
          assert.equal(next.row, row.row, query);
        }
      }
    });

    test("at random positions the lines in sight are whole, and the caller is in view", async (context) => {
      const page = await harness.open(chromium, harness.at(server.url, "play?blocks=1"), {
        viewport: { width: 1280, height: 800 },
      });
      page.setDefaultTimeout(20000);
      await page.locator(".bubble.current li.now").first().waitFor();
      const { threads, class_labels } = (await ask("play")).recording;
      labels = new Map(class_labels);
      const all = threads.reduce((sum, thread) => sum + thread.blocks, 0);
      let [whole, cut, called, seen] = [0, 0, 0, 0];
      const examples = [];
      for (let count = 0; count < POSITIONS; count++) {
        let at = random(all);
        const thread = threads.find((one) => {
          if (at < one.blocks) return true;
          at -= one.blocks;
          return false;
        });
        await page.evaluate((hash) => (location.hash = hash), `#/play?blocks=1&thread=${thread.serial}&at=${at}`);
        await page.waitForFunction(
          ([last, at]) => {
            const shown = document.querySelector("[role=slider]");
            const isThere = shown?.ariaValueMax === String(last) && shown.ariaValueNow === String(at);
            return isThere && document.querySelector(".bubble.current li.now");
          },
          [thread.blocks - 1, at],
        );
        await page.waitForTimeout(60);
        const { frames } = await ask("play/state", { thread: thread.serial, at });
        const caller = frames.length > 1 ? labelOf(frames.at(-2)) : "";
        const found = await page.evaluate((caller) => {
          const current = document.querySelector(".bubble.current");
          const stage = current.closest(".stage").getBoundingClientRect();
          const share = (box) => {
            const wide = Math.min(box.right, stage.right) - Math.max(box.left, stage.left);
            const high = Math.min(box.bottom, stage.bottom) - Math.max(box.top, stage.top);
            return wide <= 0 || high <= 0 ? 0 : wide / box.width;
          };
          const around = [...document.querySelectorAll(".bubble.open, .bubble.current")].find(
            (one) => one !== current && one.ariaLabel.startsWith(caller) && share(one.getBoundingClientRect()) > 0,
          );
          // A call of a method by itself has one bubble with it.
          const isOwn = current.ariaLabel.startsWith(caller);
          const lines = [current, around].flatMap((bubble) => {
            if (!bubble) return [];
            const body = bubble.querySelector(".body")?.getBoundingClientRect();
            return [...bubble.querySelectorAll("code")].filter((code) => {
              const box = code.getBoundingClientRect();
              return (
                box.top >= body.top - 1 &&
                box.bottom <= body.bottom + 1 &&
                box.top >= stage.top &&
                box.bottom <= stage.bottom
              );
            });
          });
          const isCut = (code) => code.scrollWidth > code.clientWidth + 1 || share(code.getBoundingClientRect()) < 0.99;
          return {
            whole: lines.filter((code) => !isCut(code)).length,
            cut: lines.filter(isCut).map((code) => code.textContent),
            caller: caller !== "" && (around !== undefined || isOwn),
          };
        }, caller);
        whole += found.whole;
        cut += found.cut.length;
        if (examples.length < 4 && found.cut.length > 0) examples.push(`${thread.serial}@${at}: ${found.cut[0]}`);
        if (caller) {
          called++;
          if (found.caller) seen++;
        }
      }
      const share = whole / (whole + cut);
      context.diagnostic(
        `${(100 * share || 0).toFixed(1)} % of ${whole + cut} lines whole, the caller in view at ${seen} of ${called} positions`,
      );
      assert.ok(share >= 0.95, examples.join("\n"));
      assert.ok(seen >= 0.95 * called, `${seen} of ${called}`);
      await page.context().close();
    });
  });
}
