// A small kernel trace with holes, made anew for each run: two CPUs, four threads that work, sleep and wake
// each other. Some switches are taken away without a word, and an interval of one CPU as a declared loss.

/** Lines of the trace, and what was taken away. */
export function lossyKernel({ rounds = 120, start = 1795245908000000000n } = {}) {
  const lines = [];
  let time = start;
  const names = { 0: "swapper", 101: "web", 102: "db", 103: "log", 104: "cron", 105: "once" };
  const running = [0, 0];
  const add = (cpu, name, fields) => {
    time += 1000n + BigInt((lines.length * 7919) % 900);
    lines.push({ ts: time, stream: `cpu${cpu}`, cpu, name, fields });
  };
  const comm = (tid, cpu) => (tid === 0 ? `swapper/${cpu}` : names[tid]);
  const to = (cpu, tid, state) => {
    const prev = running[cpu];
    add(cpu, "sched_switch", {
      prev_comm: comm(prev, cpu),
      prev_tid: prev,
      prev_prio: 20,
      prev_state: prev === 0 ? 0 : state,
      next_comm: comm(tid, cpu),
      next_tid: tid,
      next_prio: 20,
    });
    running[cpu] = tid;
  };
  const call = (cpu, name) => {
    add(cpu, `syscall_entry_${name}`, { fd: 3 });
    add(cpu, `syscall_exit_${name}`, { ret: 0 });
  };
  const tids = [101, 102, 103, 104];
  // Who runs, waits for a CPU or was woken: nobody wakes them again.
  const awake = new Set();
  for (let round = 0; round < rounds; round++) {
    const cpu = round % 2;
    // One thread runs once and is never seen again: how it left, nothing tells.
    const tid = round === Math.floor(rounds / 2) ? 105 : tids[round % 4];
    // Sleep, wait for a disk, be put aside: the three ways to leave.
    const state = [1, 1, 2, 1, 0][round % 5];
    to(cpu, tid, state);
    call(cpu, "read");
    if (round % 3 === 0) call(cpu, "write");
    const next = tids[(round + 1) % 4];
    if (!awake.has(next)) add(cpu, "sched_wakeup", { comm: names[next], tid: next, prio: 20, target_cpu: 1 - cpu });
    awake.add(next);
    to(cpu, 0, state);
    if (state !== 0) awake.delete(tid);
  }
  const at = (share) => Math.floor(lines.length * share);
  const taken = new Set();
  // Nobody reports these: twice a thread came unseen, twice one left.
  for (const [share, field] of [
    [0.2, "prev_tid"],
    [0.3, "next_tid"],
    [0.4, "prev_tid"],
  ]) {
    taken.add(
      lines.findIndex((line, index) => index > at(share) && line.name === "sched_switch" && line.fields[field] === 0),
    );
  }
  taken.add(lines.findIndex((line) => line.name === "sched_switch" && line.fields.prev_tid === 105));
  // The tracer reported this one: what CPU 0 lost in a tenth of the trace.
  const window = lines
    .map((_, index) => index)
    .filter((index) => index > at(0.6) && index < at(0.7) && lines[index].cpu === 0);
  for (const index of window) taken.add(index);
  const before = lines.slice(0, window[0]).findLast((line) => line.cpu === 0);
  const behind = lines.slice(window[window.length - 1] + 1).find((line) => line.cpu === 0);
  const out = [];
  lines.forEach((line, index) => {
    if (index === window[0]) out.push({ stream: "cpu0", lost: window.length, from: before.ts, to: behind.ts });
    if (!taken.has(index)) out.push(line);
  });
  const text = (line) =>
    JSON.stringify(line, (_, value) => (typeof value === "bigint" ? `${value}n` : value)).replace(/"(\d+)n"/g, "$1");
  return { text: `${out.map(text).join("\n")}\n`, taken: taken.size, lost: window.length };
}
