import type { Round } from "./figures.ts";

/**
 * `wrong`: a rule found a fault that the machine does not explain. `not judged`: what was found may come from a busy
 * machine alone, so the round proves neither.
 */
export type Verdict = "right" | "wrong" | "not judged";

/** `isWhole`: everything was broken and every story could happen, so that no rule may have had nothing to look at. */
export function verdictOf({ results }: Round, isWhole: boolean): Verdict {
  if (results.some(({ violations }) => violations.length > 0)) return "wrong";
  if (results.some(({ unjudged = [] }) => unjudged.length > 0)) return "not judged";
  return isWhole && results.some(({ checked }) => checked === 0) ? "wrong" : "right";
}

const mostRuns = 3;

/** A round that was not judged is repeated, at most twice. */
export async function runUntilJudged(
  run: () => Promise<Round>,
  judge: (round: Round) => Verdict,
): Promise<Round> {
  let round = await run();
  for (let runs = 1; runs < mostRuns && judge(round) === "not judged"; runs += 1) {
    round = await run();
  }
  return round;
}
