import { counted, wholeSeconds } from "../../../shared/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { causeOf, causeWords } from "../overview/failure-words.ts";
import { backgroundFunctions, type FailedWork, readFailedWork } from "../telemetry/failed-work.ts";
import { minuteMilliseconds } from "../telemetry/metric.ts";
import { type Check, faultsOr, problem, type Verdict } from "./finding.ts";

const rangeMinutes = 15;
/** One or two failures are repeated and need nobody. */
const fewestFailures = 3;

/** Whether the functions that nobody waits for do their work. */
export const backgroundCheck: Check = {
  name: "background work",
  run: async (target) => {
    const failed = await readFailedWork(target, target.now() - rangeMinutes * minuteMilliseconds);
    return backgroundVerdicts(failed);
  },
};

function backgroundVerdicts(failed: readonly FailedWork[]): readonly Verdict[] {
  const faults = backgroundFunctions.flatMap((name) =>
    verdictOf(failed.filter(({ service }) => service === name)),
  );
  return faultsOr(faults, `no function has failed repeatedly in the last ${rangeMinutes} minutes`);
}

function verdictOf(failed: readonly FailedWork[]): readonly Verdict[] {
  const last = failed.at(-1);
  if (last === undefined || failed.length < fewestFailures) return [];
  const { service, timestamp, errorCode, errorName = "an error" } = last;
  const { means, todo } = causeWords[causeOf(last)];
  const times = counted(failed.length, "time");
  const at = wholeSeconds(toRfc3339(timestamp));
  const message = `${service} failed ${times} in ${rangeMinutes} minutes, the last time at ${at}, because ${means} (${errorCode ?? errorName}).`;
  return [problem(message, `${todo} It is over when this line is ok.`)];
}
