// The film: which scenes there are, which is shown, and how it goes on. The server chooses and words them.

import { SvelteMap } from "svelte/reactivity";
import { failed, get, Newest } from "../lib/api";
import { askRecording } from "../play/api";
import type { Method, Scene, Story } from "../lib/api.generated";
import { SCENES, SECONDS } from "./length";

export const SPEEDS = [0.5, 1, 2, 4];

/** What is asked for. */
export interface Asked {
  /** Empty: what has the most work. */
  entry: string;
  scenes: number;
  /** Calls that are scenes besides. */
  with: number[];
}

export class Film {
  asked: Asked = $state.raw({ entry: "", scenes: SCENES, with: [] });
  story: Story | undefined = $state.raw();
  scene: Scene | undefined = $state.raw();
  /** The scene that was asked for, by its place: `scene` is the one before until the answer is there. */
  index = $state(0);
  /** The variant of a loop that is lit, as its places in the scene. */
  variant: [number, number] | undefined = $state.raw();
  methods = new SvelteMap<number, Method>();
  playing = $state(false);
  speed = $state(1);
  progress: number | null = $state(null);
  trouble = $state("");

  private readonly newest = new Newest();
  private timer = 0;
  private waiting = 0;

  /** All variants of the scene. */
  readonly variants: [number, number][] = $derived(
    (this.scene?.loops ?? []).flatMap((one, loop) =>
      one.variants.length > 1 ? one.variants.map((_, variant): [number, number] => [loop, variant]) : [],
    ),
  );

  private get query() {
    const { entry, scenes } = this.asked;
    return { entry: entry || undefined, scenes, with: this.asked.with.join(",") || undefined };
  }

  /** Asks for a story, and shows the scene of a call, else the first. A call that is no scene becomes one. */
  async load(asked: Asked, call?: number): Promise<void> {
    this.asked = asked;
    clearTimeout(this.waiting);
    try {
      const answer = await get("story", this.query);
      if (this.asked !== asked) return;
      if (answer.phase === "failed") throw new Error(answer.failure ?? "The capture could not be read.");
      this.progress = answer.progress;
      if (!answer.story) {
        this.waiting = window.setTimeout(() => void this.load(asked, call), 80);
        return;
      }
      const at = answer.story.scenes.findIndex((scene) => scene.call === call);
      if (call !== undefined && at < 0 && !asked.with.includes(call)) {
        await this.load({ ...asked, with: [...asked.with, call] }, call);
        return;
      }
      this.story = answer.story;
      await this.show(Math.max(0, at));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Shows a scene; false where there is none. */
  async show(index: number): Promise<boolean> {
    const line = this.story?.scenes[index];
    if (!line) return false;
    this.index = index;
    this.variant = undefined;
    try {
      const [scene] = await Promise.all([
        this.newest.ask("story/scene", { ...this.query, call: line.call }),
        this.method(line.method),
      ]);
      if (!scene) return true;
      if (scene.caller) await this.method(scene.caller.method);
      this.scene = scene;
      this.trouble = "";
    } catch (error) {
      this.pause();
      this.fail(error);
    }
    return true;
  }

  async method(id: number): Promise<void> {
    if (this.methods.size === 0) await askRecording();
    if (!this.methods.has(id)) this.methods.set(id, await get("play/method", { id }));
  }

  /** The scene of a call, which becomes one if it is none. */
  async open(call: number): Promise<void> {
    this.pause();
    const at = this.story?.scenes.findIndex((scene) => scene.call === call) ?? -1;
    if (at >= 0) await this.show(at);
    else await this.load(this.asked, call);
  }

  /** A call of the method in which a line ran. */
  async openLine(method: number, line: number): Promise<void> {
    try {
      const found = await get("story/call", { entry: this.query.entry, method, line });
      if (found.call !== null) await this.open(found.call);
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    this.trouble = failed(error);
  }

  /** By hand: playing stops. */
  step(by: number): void {
    this.pause();
    void this.show(this.index + by);
  }

  /** The scene around, or the first that begins inside. */
  climb(up: boolean): void {
    const scenes = this.story?.scenes ?? [];
    const next = up ? scenes[this.index]?.around : scenes.findIndex((scene) => scene.around === this.index);
    if (next == null || next < 0) return;
    this.pause();
    void this.show(next);
  }

  /** Lights the next variant of the loops. */
  light(by: number): void {
    const all = this.variants;
    const at = all.findIndex(([loop, variant]) => loop === this.variant?.[0] && variant === this.variant[1]);
    const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by;
    this.variant = all[next];
  }

  play(): void {
    this.playing = true;
    this.wait();
  }

  /** A scene has its time; its variants share it. */
  private wait(): void {
    clearTimeout(this.timer);
    const beats = this.variants.length + 1;
    const beat = (SECONDS * 1000) / this.speed / beats;
    let at = 0;
    const tick = async () => {
      if (!this.playing) return;
      at++;
      if (at < beats) {
        this.light(1);
        this.timer = window.setTimeout(tick, beat);
      } else if (await this.show(this.index + 1)) {
        if (this.playing) this.wait();
      } else this.pause();
    };
    this.timer = window.setTimeout(tick, beat);
  }

  pause(): void {
    this.playing = false;
    clearTimeout(this.timer);
  }

  /** Nobody looks any more. */
  leave(): void {
    this.pause();
    clearTimeout(this.waiting);
  }
}
