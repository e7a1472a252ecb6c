// Where we are: `#/VIEW?key=value&...`. A copied address opens the same view again.

export type Params = Record<string, string>;

interface Route {
  view: string;
  params: Params;
}

function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const params: Params = Object.fromEntries(new URLSearchParams(query));
  // This is read before the token is taken out of the address, and what is noted later must not put it back.
  delete params.token;
  return { view: path, params };
}

class CurrentRoute {
  current: Route = $state(parse(location.hash));
  /** Grows with each address that was pasted or followed, unlike those that are noted. */
  visits = $state(0);

  /** The address that `current` was read from, as `bare` has it. */
  private read = bare(location.hash);

  constructor() {
    addEventListener("hashchange", () => this.visit());
  }

  /** Goes to a view, as a step that the browser's back button takes back. */
  go(view: string, params: Params = {}): void {
    location.hash = address(view, params);
    // The browser tells of it later; what is noted until then must not be noted of the view before.
    this.visit();
  }

  private visit(): void {
    if (bare(location.hash) === this.read) return;
    this.read = bare(location.hash);
    this.current = parse(location.hash);
    this.visits++;
  }

  /**
   * Notes where the view that is shown has moved to, without a step back for each move. An address that was pasted and that
   * the browser has not yet told of goes before it.
   */
  note(params: Params): void {
    if (bare(location.hash) !== this.read) {
      this.visit();
      return;
    }
    const merged: Params = { ...this.current.params, ...params };
    for (const key of Object.keys(merged)) if (merged[key] === "") delete merged[key];
    history.replaceState(null, "", address(this.current.view, merged));
    this.read = bare(location.hash);
    this.current.params = merged;
  }
}

export function address(view: string, params: Params = {}): string {
  const query = new URLSearchParams(params).toString();
  return query ? `#/${view}?${query}` : `#/${view}`;
}

/** An address without the token, which is taken out of it at the start. */
function bare(hash: string): string {
  const { view, params } = parse(hash);
  return address(view, params);
}

export const route = new CurrentRoute();
