import { inject } from "vitest";

/** A tenth of the draws, but not fewer than this. */
const least = 50;

/**
 * How many values a property test draws, of those that it has in a run of every test. `npm test` draws the first tenth:
 * the seed is fixed, so these are the same values in both runs. PROPERTY_DRAWS=all draws every value in any run.
 */
export function draws(all: number): number {
  const isEvery = inject("isThorough") || process.env["PROPERTY_DRAWS"] === "all";
  return isEvery ? all : Math.min(all, Math.max(least, Math.ceil(all / 10)));
}
