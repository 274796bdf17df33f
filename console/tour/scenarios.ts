import type { Scenario } from "./play-scenario.ts";
import { duplicateStorm } from "./scenarios/duplicate-storm.ts";
import { forged } from "./scenarios/forged.ts";
import { keysRotated } from "./scenarios/keys-rotated.ts";
import { lost } from "./scenarios/lost.ts";
import { paid } from "./scenarios/paid.ts";
import { subscriberDown } from "./scenarios/subscriber-down.ts";

/**
 * In the order of the tour. The forgeries come last: after a refusal an instance looks for new keys at most once a
 * minute, so a change of keys right after them would take a minute to show.
 */
export const scenarios: readonly Scenario[] = [
  paid,
  duplicateStorm,
  subscriberDown,
  lost,
  keysRotated,
  forged,
];
