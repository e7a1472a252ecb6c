// Why a method has no scene, in words.

import type { Hidden } from "../lib/api.generated";

export const reasons: Record<Hidden, string> = {
  accessor: "getter or setter",
  bridge: "made by the compiler",
  empty_constructor: "empty constructor",
  delegation: "only hands on",
  set_up: "sets classes up",
};
