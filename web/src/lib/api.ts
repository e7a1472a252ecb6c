// Talking to the server that this page came from.
//
// The address that is printed ends with `#token=...`. A browser never sends that part; we keep it in
// the storage of this origin (so that a copied address opens again in this browser) and hand it
// over in a header. There is no cookie.

import type { Finished, Gets, Posts } from "./api.generated";
import { failures } from "./failures.svelte";
import { Waiting } from "./waiting";

const KEPT = "tracewright-token";
let token = "";

/** Moves the token from the address into our keeping, so that a copied address does not give it away. */
export function takeToken(): void {
  const given = /[#&?]token=([0-9a-f]+)/.exec(location.hash);
  if (given?.[1]) {
    localStorage.setItem(KEPT, given[1]);
    const rest = location.hash.replace(/[&?]?token=[0-9a-f]+/, "");
    history.replaceState(null, "", rest.length > 1 ? rest : location.pathname);
  }
  token = localStorage.getItem(KEPT) ?? "";
}

/** What went wrong, in a sentence for people. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** What a path is asked with, and a signal to give it up; the query may be left out where nothing in it is needed. */
type Asked<P extends keyof Gets> =
  Record<never, never> extends Gets[P]["query"]
    ? [query?: Gets[P]["query"], signal?: AbortSignal]
    : [query: Gets[P]["query"], signal?: AbortSignal];

type Query = Record<string, string | number | boolean | undefined>;

function target(path: string, query: Query): string {
  const parts = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return parts.length ? `/api/${path}?${parts.join("&")}` : `/api/${path}`;
}

/** Whoever waits for an answer that takes long. */
const finished = new Waiting(async (after, signal) => {
  const response = await fetch(target("finished", { after }), {
    signal,
    headers: { Authorization: `Bearer ${token}` },
  });
  return ((await response.json()) as Finished).finished;
});

/** Refusals that are answers: there is no such thing, or not yet. */
const ANSWERS = [404, 409];

async function send(path: string, query: Query, init: RequestInit): Promise<Response> {
  try {
    const response = await ask(path, query, init);
    failures.forget(path);
    return response;
  } catch (error) {
    // Who changes something hears of it at once, in place; an abandoned question is no failure.
    const isTold = init.method === "POST" || !(error instanceof Refused) || ANSWERS.includes(error.status);
    if (!isTold) failures.note(path, error.message);
    throw error;
  }
}

async function ask(path: string, query: Query, init: RequestInit): Promise<Response> {
  for (;;) {
    let response: Response;
    try {
      response = await fetch(target(path, query), {
        ...init,
        headers: { ...init.headers, Authorization: `Bearer ${token}` },
      });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new Refused(0, "The server does not answer. Is `tracewright view` still running?");
    }
    if (!response.ok) throw new Refused(response.status, (await response.text()).trim() || `Status ${response.status}`);
    if (response.status !== 202) return response;
    await finished.after(((await response.json()) as Finished).finished, init.signal ?? undefined);
  }
}

/** The body of an answer, which may break off as well. */
async function body<T>(
  path: string,
  response: Response,
  read: (response: Response) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await read(response);
  } catch (error) {
    if (signal?.aborted) throw error;
    const reason = "The answer of the server broke off.";
    failures.note(path, reason);
    throw new Refused(0, reason);
  }
}

/** Asks for JSON. */
export async function get<P extends keyof Gets>(path: P, ...asked: Asked<P>): Promise<Gets[P]["answer"]> {
  const [query, signal] = asked as [query?: Query, signal?: AbortSignal];
  const init: RequestInit = signal ? { signal } : {};
  return body(
    path,
    await send(path, query ?? {}, init),
    (response) => response.json() as Promise<Gets[P]["answer"]>,
    signal,
  );
}

/** What is said where the answer to a question would stand. */
export function failed(error: unknown): string {
  return `Request failed: ${error instanceof Error ? error.message : String(error)}`;
}

/** Asks for text. */
export async function getText(path: "inference/choices"): Promise<Gets[typeof path]["answer"]> {
  return body(path, await send(path, {}, {}), (response) => response.text());
}

/** Changes something. */
export async function post<P extends keyof Posts>(path: P, body: Posts[P]["body"]): Promise<Posts[P]["answer"]> {
  const init = { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  return (await send(path, {}, init)).json() as Promise<Posts[P]["answer"]>;
}

/** Lets only the newest of several requests count: the ones before are given up. */
export class Newest {
  private running: AbortController | undefined;

  async ask<P extends keyof Gets>(path: P, query: Gets[P]["query"]): Promise<Gets[P]["answer"] | undefined> {
    this.running?.abort();
    const mine = new AbortController();
    this.running = mine;
    try {
      const answer = await get(path, ...([query, mine.signal] as unknown as Asked<P>));
      return mine.signal.aborted ? undefined : answer;
    } catch (error) {
      if (mine.signal.aborted) return undefined;
      throw error;
    }
  }
}
