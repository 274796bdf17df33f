import { excusedIn, type Round, type RuleResult } from "./figures.ts";

/**
 * `wrong`: a rule found a fault that the machine does not explain. `not judged`: what was found may come from a busy
 * machine alone, so the round proves neither.
 */
export type Verdict = "right" | "wrong" | "not judged";

/** At least this share of its cases a rule must have looked at. Those that an excuse took out are the rest. */
const leastShare = 0.9;
const leastShares: Readonly<Record<string, number>> = {
  // Something is broken for most of the time.
  "errors while nothing was broken": 0.2,
  // Events that were given up and redriven come late.
  "events out of order": 0.7,
  // After a rotation an instance may not look for new keys for a minute.
  "authentic but rejected": 0.6,
};
/** A machine that is busy for longer than this share of the round has tried little. */
const mostBusyShare = 0.5;

/** `isWhole`: everything was broken and every story could happen, so that no rule may have had nothing to look at. */
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
