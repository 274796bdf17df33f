import { excusedIn, type Round, type RuleResult } from "./figures.ts";

/**
 * `wrong`: a rule found a fault that the machine does not explain. `not judged`: what was found may come from a busy
 * machine alone, so the round proves neither.
 */
export type Verdict = "right" | "wrong" | "not judged";

/** A rule must check at least this share of its cases. The rest are excused. */
const leastShare = 0.9;
const leastShares: Readonly<Record<string, number>> = {
  // Something is broken for most of the time.
  "errors while nothing was broken": 0.2,
  // Events that were undeliverable and then redriven arrive late.
  "events out of order": 0.7,
  // After a rotation an instance may not refresh its keys for up to a minute.
  "authentic but rejected": 0.6,
};
/** If the machine was busy for more than this share of the round, the round has tested little. */
const mostBusyShare = 0.5;

/** `isWhole`: the round had every disturbance and every story, so each rule must have checked something. */
export function verdictOf(
  { results, busySeconds, lastedSeconds }: Round,
  isWhole: boolean,
): Verdict {
  if (results.some(({ violations }) => violations.length > 0)) return "wrong";
  if (results.some(({ unjudged = [] }) => unjudged.length > 0)) return "not judged";
  if (busySeconds > mostBusyShare * lastedSeconds) return "not judged";
  if (results.some((result) => hasLookedAtLittle(result))) return "not judged";
  return isWhole && results.some(({ checked }) => checked === 0) ? "wrong" : "right";
}

function hasLookedAtLittle(result: RuleResult): boolean {
  const excused = excusedIn(result);
  const least = leastShares[result.rule] ?? leastShare;
  return excused > 0 && result.checked < least * (result.checked + excused);
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
