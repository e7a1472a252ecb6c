// What Play knows and does: where the thread stands, what is shown, and how it goes on. The server works
// out every step; the page keeps only what it shows.

import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { failed, get, Newest } from "../lib/api";
import type { Frame, Gets, Method, MethodSize, Profile, Recording, State, Thread } from "../lib/api.generated";
import { loopKey } from "./api";
import type { Camera } from "./camera";
import { Chains } from "./chains.svelte";
import { scrollTo } from "./layout";
import { rowOf, type Ran } from "./lines";
import type { Link } from "./link";
import { describe, type Description } from "./describe";

export type Go = Gets["play/step"]["query"]["go"];

/** Steps a second. */
export const SPEEDS = [0.5, 1, 2, 4, 8, 20, 60];

/** The call that a bubble shows. */
export interface Shown extends Ran {
  begin: number;
  end: number;
  left: Frame["left"];
  /** Whether it is going on. */
  open: boolean;
  frame: Frame | undefined;
}

export class Player {
  threads: Thread[] = $state([]);
  thread: Thread | undefined = $state();
  readonly chains = new Chains();
  /** Whether a recursion has one bubble. */
  recursion = $state(true);
  sizes = new Map<number, MethodSize>();
  methods = new SvelteMap<number, Method>();
  now: State | undefined = $state.raw();
  before: State | undefined = $state.raw();
  description: Description = $state.raw({ event: "begin", text: "" });
  shown = new SvelteMap<number, Shown>();
  scrolls = new SvelteMap<number, number>();
  pinned = new SvelteSet<number>();
  closed = new SvelteSet<number>();
  unfold: string[] = $state.raw([]);
  playing = $state(false);
  speed = $state(2);
  profile: Profile | undefined = $state.raw();
  camera: Camera = $state.raw({ x: -60, y: -60, zoom: 1 });
  following = $state(true);
  /** Whether the position is being drawn about: then nothing glides or fades, as the next picture is near. */
  scrubbing = $state(false);
  trouble = $state("");
  /** Where playing ends, and for which line. */
  goal: { at: number; line: number } | undefined = $state.raw();
  /** Grows when a thread was loaded or the position was jumped to. */
  jumps = $state(0);

  private newest = new Newest();
  /** Threads that were loaded or are being loaded. */
  private loads = 0;
  private asked = new Set<number>();
  private timer = 0;

  /** The contexts of the open calls, outermost first. */
  readonly stack: number[] = $derived(
    this.now ? this.now.frames.map((frame) => this.chains.bubbleOfFrame(frame)).filter((one) => one !== undefined) : [],
  );
  readonly current: number | undefined = $derived(this.stack.at(-1));

  /** The bubbles that are on the stage, in the order of their first call. */
  readonly visible: number[] = $derived.by(() => {
    const at = this.now?.at ?? 0;
    const open = new Set(this.stack);
    const hidden = new Set<number>();
    const found: number[] = [];
    for (const [index, context] of this.chains.contexts.entries()) {
      if (this.chains.bubble[index] !== index) continue;
      const parent = context.parent === null ? null : this.chains.bubbleOf(context.parent);
      const away =
        parent !== null &&
        (hidden.has(parent) || this.closed.has(parent)) &&
        !open.has(index) &&
        !this.pinned.has(index);
      if (away) hidden.add(index);
      else if (context.first <= at || open.has(index) || this.pinned.has(index)) found.push(index);
    }
    return found;
  });

  /** As a link says: where it leads to the thread that is shown, its bubbles stay where they are. */
  async start(recording: Recording, link: Link): Promise<void> {
    this.threads = recording.threads;
    const thread = this.threads.find((one) => one.serial === link.thread) ?? this.threads[0];
    const isShown = thread?.serial === this.thread?.serial && link.recursion === this.recursion;
    this.unfold = link.unfold;
    this.recursion = link.recursion;
    this.pinned.clear();
    this.closed.clear();
    for (const one of link.pinned) this.pinned.add(one);
    for (const one of link.closed) this.closed.add(one);
    this.following = !link.camera;
    if (link.camera) this.camera = link.camera;
    if (thread && isShown && this.now) {
      this.pause();
      await this.jump(link.at);
    } else if (thread) await this.choose(thread, link.at);
  }

  /** Another thread, from its beginning. */
  async switchTo(thread: Thread): Promise<void> {
    this.pinned.clear();
    this.closed.clear();
    this.following = true;
    await this.choose(thread, 0);
  }

  private async choose(thread: Thread, at: number): Promise<void> {
    this.pause();
    const load = ++this.loads;
    this.thread = thread;
    this.now = this.before = undefined;
    this.shown.clear();
    this.scrolls.clear();
    this.asked.clear();
    this.profile = undefined;
    try {
      const found = await get("play/contexts", { thread: thread.serial });
      // Meanwhile somebody may have gone on to another one.
      if (load !== this.loads) return;
      for (const size of found.methods) this.sizes.set(size.id, size);
      this.chains.begin(found.contexts, found.complete, this.sizes, this.recursion);
      await this.jump(at);
    } catch (error) {
      this.fail(error);
    }
  }

  /** A request failed: nothing is said of what it would have answered. */
  fail(error: unknown): undefined {
    this.trouble = failed(error);
  }

  async drawProfile(pixels: number): Promise<void> {
    if (!this.thread) return;
    const serial = this.thread.serial;
    const found = await get("play/profile", { thread: serial, pixels });
    if (this.thread?.serial === serial) this.profile = found;
  }

  /** To a position. */
  async jump(at: number): Promise<void> {
    await this.ask((thread) => this.newest.ask("play/state", { thread, at: Math.max(0, Math.round(at)) }), true);
  }

  /** A step; false where there is none. */
  async step(go: Go): Promise<boolean> {
    if (!this.now) return false;
    const query = { at: this.now.at, go, unfold: this.unfold.join(",") || undefined };
    return this.ask((thread) => this.newest.ask("play/step", { thread, ...query }), false);
  }

  private async ask(send: (thread: number) => Promise<State | undefined>, jump: boolean): Promise<boolean> {
    if (!this.thread) return false;
    try {
      const state = await send(this.thread.serial);
      if (!state) return false;
      await this.take(state, jump);
      return !state.end;
    } catch (error) {
      this.pause();
      this.fail(error);
      return false;
    }
  }

  private async take(state: State, jump: boolean): Promise<void> {
    this.trouble = "";
    // The lines of the call that runs are needed for the words and for the camera.
    const last = state.frames.at(-1);
    if (last) await this.method(last.method);
    for (const frame of state.frames) if (frame.context === null) await this.method(frame.method);
    if (this.chains.isFull(state.frames, this.methods)) this.forgetLate();
    this.chains.place(state.frames, this.methods);
    const before = jump ? undefined : this.now;
    for (const frame of this.now?.frames ?? []) this.close(frame, state);
    for (const frame of state.frames) {
      const context = this.chains.bubbleOfFrame(frame);
      if (context === undefined) continue;
      this.shown.set(context, {
        counts: frame.counts,
        inferred: frame.inferred,
        iteration: frame.iteration,
        block: frame.block,
        begin: frame.begin,
        end: frame.end,
        left: frame.left,
        open: true,
        frame,
      });
      this.scroll(context, frame.method, frame.block);
    }
    if (jump || state.at < (this.now?.at ?? 0) || state.skipped.length > 0) this.forget(state);
    this.description = describe(before, state, (method, block) => this.lineOf(method, block), this.thread?.ran_before);
    this.before = before;
    this.now = state;
    if (jump) this.jumps++;
  }

  /** A call that is over shows what it did; what lies between its last state and its end is asked for. */
  private close(frame: Frame, state: State): void {
    const context = this.chains.bubbleOfFrame(frame);
    const shown = context === undefined ? undefined : this.shown.get(context);
    if (
      context === undefined ||
      !shown ||
      state.frames.some(
        (other) => other.begin === frame.begin && other.method === frame.method && other.depth === frame.depth,
      )
    )
      return;
    this.shown.set(context, { ...shown, open: false, block: null, iteration: null, frame: undefined });
    this.asked.delete(context);
  }

  /** What is not true at this position goes; what may not be the last call any more is asked for again. */
  private forget(state: State): void {
    const open = new Set(state.frames.map((frame) => this.chains.bubbleOfFrame(frame)));
    for (const [context, shown] of [...this.shown])
      if (!open.has(context) && shown.end > state.at) this.shown.delete(context);
    this.asked.clear();
  }

  /** Asks for what a bubble needs: its text, and for a call that is over what ran in it. */
  need(context: number): void {
    const known = this.chains.contexts[context];
    if (!known || !this.thread || !this.now) return;
    void this.method(known.method).catch((error) => this.fail(error));
    const isShown = this.shown.get(context)?.open || this.asked.has(context);
    if (isShown || known.first > this.now.at || this.chains.isLate(context)) return;
    // While somebody draws the position about, only the last one counts.
    this.needed.add(context);
    clearTimeout(this.needing);
    this.needing = window.setTimeout(() => this.askLast(), 90);
  }

  private needed = new Set<number>();
  private needing = 0;

  private askLast(): void {
    const [at, thread] = [this.now?.at, this.thread?.serial];
    for (const context of this.needed) {
      if (at === undefined || thread === undefined || this.asked.has(context) || this.shown.get(context)?.open)
        continue;
      this.asked.add(context);
      get("play/last", { thread, at, context }).then(
        (last) => {
          if (last.begin === null || last.end === null || last.left === null || this.shown.get(context)?.open) return;
          // Meanwhile we may be somewhere else, where another call was the last.
          if (
            at !== this.now?.at &&
            !(last.end <= (this.now?.at ?? 0) && last.begin >= (this.shown.get(context)?.begin ?? 0))
          )
            return;
          this.shown.set(context, {
            counts: last.counts,
            inferred: last.inferred,
            iteration: null,
            block: null,
            begin: last.begin,
            end: last.end,
            left: last.left,
            open: false,
            frame: undefined,
          });
        },
        () => this.asked.delete(context),
      );
    }
    this.needed.clear();
  }

  async method(id: number): Promise<Method | undefined> {
    const known = this.methods.get(id);
    if (known) return known;
    let loading = this.loading.get(id);
    if (!loading) {
      loading = get("play/method", { id });
      this.loading.set(id, loading);
    }
    try {
      const method = await loading;
      this.methods.set(id, method);
      return method;
    } catch (error) {
      this.loading.delete(id);
      throw error;
    }
  }
  private loading = new Map<number, Promise<Method>>();

  /** The line of a block: the first of them, where reading begins. */
  lineOf(method: number, block: number): number | undefined {
    return this.methods.get(method)?.blocks[block]?.at(-1);
  }

  /** A recursion in one bubble, or a bubble for each call. */
  async toggleRecursion(): Promise<void> {
    this.recursion = !this.recursion;
    if (this.thread) await this.choose(this.thread, this.now?.at ?? 0);
  }

  /** What is shown of chains that were placed late goes, so that there is room for those of the calls that run now. */
  private forgetLate(): void {
    for (const kept of [this.shown, this.scrolls, this.pinned, this.closed, this.asked, this.needed]) {
      for (const context of [...kept.keys()]) if (context >= this.chains.known) kept.delete(context);
    }
    this.chains.forgetLate();
  }

  private scroll(context: number, method: number, block: number | null): void {
    const rows = this.methods.get(method)?.rows;
    if (rows) this.scrolls.set(context, scrollTo(rows.length, rowOf(rows, block), this.scrolls.get(context) ?? 0));
  }

  play(): void {
    if (this.playing) return;
    this.playing = true;
    let steps = 0;
    const tick = async () => {
      if (!this.playing) return;
      const began = performance.now();
      const went = await this.step("next");
      if (!this.playing) return;
      if (!went) {
        this.pause();
        return;
      }
      const { goal } = this;
      if (goal && (this.now?.at ?? 0) >= goal.at) {
        // An iteration that is not played may hold the line.
        if (this.now?.at !== goal.at) await this.jump(goal.at);
        this.pause();
        return;
      }
      // What is far away is not waited for: each second of it goes faster.
      steps++;
      const hurry = goal ? 1.04 ** Math.max(0, steps - 20) : 1;
      if (goal && hurry > 400) {
        await this.arrive();
        return;
      }
      // A call or a return takes the eye somewhere else, so it gets more time.
      const slow = this.description.event === "step" || this.description.event === "skip" ? 1 : 1.6;
      this.timer = window.setTimeout(
        tick,
        Math.max(0, ((1000 / this.speed) * slow) / hurry - (performance.now() - began)),
      );
    };
    void tick();
  }

  pause(): void {
    this.playing = false;
    this.goal = undefined;
    clearTimeout(this.timer);
  }

  /** A step by hand: playing stops. */
  async hand(go: Go): Promise<void> {
    this.pause();
    await this.step(go);
  }

  faster(by: number): void {
    const at = SPEEDS.findIndex((speed) => speed >= this.speed);
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))] ?? this.speed;
  }

  /** To the goal, without playing the rest of the way. */
  async arrive(): Promise<void> {
    const { goal } = this;
    this.pause();
    if (goal) await this.jump(goal.at);
  }

  /** Plays until this line of a method runs next. Asked again for the same line, or without motion, it is there at once. */
  async until(method: number, line: number): Promise<void> {
    if (!this.thread || !this.now) return;
    if (this.goal?.line === line) return this.arrive();
    this.pause();
    const found = await get("play/until", { thread: this.thread.serial, at: this.now.at, method, line }).catch(
      (error) => this.fail(error),
    );
    if (!found) return;
    if (found.at !== null) {
      this.goal = { at: found.at, line };
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) await this.arrive();
      else this.play();
    } else
      this.description = {
        event: "begin",
        text: found.total > 0 ? `Line ${line} does not run again.` : `Line ${line} never ran in this thread.`,
      };
  }

  isUnfolded(of: { method: number; loop: number | null }): boolean {
    return this.unfold.includes("all") || this.unfold.includes(loopKey(of));
  }

  /** Plays every iteration of a loop, or only its first again. */
  toggleFold(of: { method: number; loop: number | null }): void {
    const key = loopKey(of);
    this.unfold = this.unfold.includes(key)
      ? this.unfold.filter((other) => other !== key)
      : [...this.unfold.filter((other) => other !== "all"), key];
  }

  togglePin(context: number): void {
    if (!this.pinned.delete(context)) this.pinned.add(context);
  }

  toggleClosed(context: number): void {
    if (!this.closed.delete(context)) this.closed.add(context);
  }

  link(): Link {
    return {
      thread: this.thread?.serial,
      at: this.now?.at ?? 0,
      unfold: this.unfold,
      recursion: this.recursion,
      pinned: [...this.pinned],
      closed: [...this.closed],
      camera: this.following ? undefined : this.camera,
    };
  }
}
