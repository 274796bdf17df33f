import { counted, wholeSeconds } from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { FoundFailures } from "../ports/log.ts";
import { minuteMilliseconds } from "../ports/metrics.ts";
import type { Target } from "../ports/target.ts";
import { becauseText, logOf, todoOf } from "./background-words.ts";
import { type Check, faultsOr, problem, type Verdict, warning } from "./finding.ts";

const rangeMinutes = 15;
/** One or two failures are retried and need no attention. */
const fewestFailures = 3;

/** Whether the functions without a caller do their work. */
export const backgroundCheck: Check = {
  name: "background work",
  run: async (target) => {
    const found = await target.log.readFailures(
      target.clock.now() - rangeMinutes * minuteMilliseconds,
    );
    const faults = found.flatMap((failures) => verdictOf(target, failures));
    return faultsOr(
      faults,
      `no function has failed repeatedly in the last ${rangeMinutes} minutes`,
    );
  },
};

function verdictOf(
  target: Pick<Target, "stack" | "log">,
  found: FoundFailures,
): readonly Verdict[] {
  const { name, failed, isWhole } = found;
  const last = failed.at(-1);
  if (last === undefined || failed.length < fewestFailures) {
    return isWhole ? [] : [notRead(target, found)];
  }
  const times = `${isWhole ? "" : "at least "}${counted(failed.length, "time")}`;
  const at = wholeSeconds(toRfc3339(last.timestamp));
  const message = `${name} failed ${times} in ${rangeMinutes} minutes, the last time at ${at}, ${becauseText(last)}.`;
  return [problem(message, `${todoOf(target, last)} It is over when this line is ok.`)];
}

function notRead(target: Pick<Target, "log">, { name }: FoundFailures): Verdict {
  return warning(
    `Not all of the last ${rangeMinutes} minutes in the log of ${name} could be read: it may have failed.`,
    `Check for failures yourself: ${logOf(target, name)}.`,
  );
}
