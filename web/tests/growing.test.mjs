// An input that is still being written: the page says that it has grown, and reads it again when it is asked to, or by
// itself.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { asking, browser, complaints, file, open, serve, until } from "./harness.mjs";

let chromium, trace, server, ts;
before(async () => {
  ts = 1795245908000000000n;
  trace = file("growing.jsonl", switches("first", 101));
  server = await serve(trace.path);
  chromium = await browser();
});
after(async () => {
  await chromium?.close();
  server?.close();
  trace?.remove();
});

/** Lines in which this thread runs ten times. */
function switches(comm, tid) {
  const one = (prev_comm, prev_tid, next_comm, next_tid) => {
    ts += 1_000_000n;
    const fields = {
      prev_comm,
      prev_tid,
      prev_prio: 20,
      prev_state: prev_tid ? 1 : 0,
      next_comm,
      next_tid,
      next_prio: 20,
    };
    return `{"ts":${ts},"stream":"cpu0","cpu":0,"name":"sched_switch","fields":${JSON.stringify(fields)}}\n`;
  };
  return Array.from({ length: 10 }, () => one("swapper/0", 0, comm, tid) + one(comm, tid, "swapper/0", 0)).join("");
}

test("a trace that has grown is read again when asked for, and then by itself", async () => {
  const page = await open(chromium, server.url);
  const shown = (what) => page.getByText(`${what}. Click a row`);
  await shown("20 events on 3 rows").waitFor();
  assert.equal(await page.getByRole("button", { name: "read again" }).count(), 0);
  const before = await asking(server)("about");

  appendFileSync(trace.path, switches("second", 102));
  const again = page.getByRole("button", { name: /^Grown by [\d.]+k bytes: read again$/ });
  await again.waitFor();
  assert.equal(await shown("20 events on 3 rows").count(), 1);
  await again.click();
  await shown("40 events on 4 rows").waitFor();
  await until(async () => (await again.count()) === 0, "nothing more to read");

  appendFileSync(trace.path, switches("third", 103));
  await page.getByRole("checkbox", { name: "Follow" }).check();
  await shown("60 events on 5 rows").waitFor();
  appendFileSync(trace.path, switches("fourth", 104));
  await shown("80 events on 6 rows").waitFor();
  await page.getByRole("button", { name: "Up to date" }).waitFor();

  // What was opened is the same, and whoever follows it complains of nothing.
  assert.deepEqual(await asking(server)("about"), before);
  // 409: what is inferred was not there yet.
  assert.deepEqual(
    complaints(page).filter((one) => !one.includes("409")),
    [],
  );
  await page.context().close();
});

test("whoever does not ask is not told that the server is gone, and whoever asks is", async () => {
  const own = await serve(trace.path);
  const page = await open(chromium, own.url);
  const shown = page.getByText(/^\d+ events on \d+ rows/);
  await shown.waitFor();
  const before = await shown.innerText();
  appendFileSync(trace.path, switches("fifth", 105));
  const again = page.getByRole("button", { name: /read again$/ });
  await again.waitFor();
  own.close();
  await page.waitForTimeout(3500);
  const failure = page.getByRole("alert").filter({ hasText: "Request failed:" });
  assert.equal(await failure.count(), 0);
  await again.click();
  await failure.first().waitFor();
  assert.equal(await shown.innerText(), before);
  await page.context().close();
});

const program = `public class Steps {
  static int work(int much) {
    int sum = 0;
    for (int i = 0; i < much; i++) sum += i % 7;
    return sum;
  }
  public static void main(String[] none) throws Exception {
    for (int line = System.in.read(), much = 1; line >= 0; line = System.in.read(), much++) System.out.println(work(much));
  }
}
`;
const noJava = spawnSync("javac", ["-version"]).error ? "no javac" : false;

test("a recording is followed while its program runs, and to its end", { skip: noJava }, async () => {
  const source = file("Steps.java", program);
  const folder = dirname(source.path);
  execFileSync("javac", ["-g", "-d", folder, source.path]);
  const capture = join(folder, "steps.capture");
  const command = ["record", "-o", capture, "--", "java", "-cp", folder, "Steps"];
  const recorded = spawn(process.env.TRACEWRIGHT ?? "tracewright", command, { stdio: ["pipe", "pipe", "ignore"] });
  let printed = 0;
  recorded.stdout.on("data", (text) => (printed += text.toString().split("\n").length - 1));
  const work = async (times) => {
    const whole = printed + times;
    recorded.stdin.write("x".repeat(times));
    await until(() => printed === whole, `${whole} lines`, 60);
  };
  await work(3);
  const own = await serve(capture);
  const page = await open(chromium, own.url);
  const calls = (count) => page.getByText(new RegExp(`\\b${count} calls\\b`)).first();
  await calls(4).waitFor();
  await page.getByRole("button", { name: "Being recorded: read again" }).waitFor();
  await work(2);
  await page.getByRole("button", { name: "Being recorded: read again" }).click();
  await calls(6).waitFor();
  await page.getByRole("checkbox", { name: "Follow" }).check();
  await work(5);
  await calls(11).waitFor();
  recorded.stdin.end();
  await until(() => !existsSync(join(capture, "open")), "the end of the recording");
  await page.getByRole("button", { name: "Up to date" }).waitFor();
  const facts = (await asking(own)("play")).recording.facts;
  assert.ok(
    facts.some(([what]) => what === "ended"),
    JSON.stringify(facts),
  );
  await page.context().close();
  own.close();
  source.remove();
});
