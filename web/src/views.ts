// The views, in the order of their tabs. A view is a folder; the server says which ones have
// something to show for what was opened.
import type { Component } from "svelte";
import Compare from "./compare/Compare.svelte";
import type { View as ViewId } from "./lib/api.generated";
import List from "./list/List.svelte";
import Loops from "./loops/Loops.svelte";
import Overview from "./overview/Overview.svelte";
import Play from "./play/Play.svelte";
import Threads from "./threads/Threads.svelte";
import Timeline from "./timeline/Timeline.svelte";
import TwoL from "./two_l/TwoL.svelte";

export interface View {
  /** Its folder, and its name in the address and in `/api/about`. */
  id: ViewId;
  title: string;
  component: Component;
}

export const views: View[] = [
  { id: "compare", title: "Compare", component: Compare },
  { id: "overview", title: "Overview", component: Overview },
  { id: "play", title: "Play", component: Play },
  { id: "list", title: "List", component: List },
  { id: "threads", title: "Threads", component: Threads },
  { id: "two_l", title: "2L run", component: TwoL },
  { id: "timeline", title: "Timeline", component: Timeline },
  { id: "loops", title: "Loops", component: Loops },
];
