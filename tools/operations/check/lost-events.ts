import { counted, wholeSeconds } from "../../../shared/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { type Points, type QueueSeries, readQueueSeries } from "../queues/queue-metrics.ts";
import { stackOption, type Target, type TargetSubscriber } from "../target/target.ts";
import { minuteMilliseconds } from "../telemetry/metric.ts";
import { problem, type Verdict } from "./finding.ts";

/** SQS keeps a message for 14 days at most. */
const longestMilliseconds = 14 * 24 * 3_600_000;
/** CloudWatch keeps values by the minute for 15 days, but so many of them take several calls. */
const periodMinutes = 15;

/**
 * What was in a subscriber's queue when somebody deleted it, from the last values that SQS reported, and the replay that
 * sends it again. A replay sends too much rather than too little: consumers recognise an event by its id.
 */
export async function lostEvents(
  target: Target,
  { name, queueUrl }: TargetSubscriber,
): Promise<readonly Verdict[]> {
  // Without the permission to read metrics nothing is known, and the replay is needed all the same.
  const { visible, inFlight, oldestSeconds } = await readQueueSeries(target, queueUrl, {
    names: ["visible", "inFlight", "oldestSeconds"],
    sinceMilliseconds: target.now() - longestMilliseconds,
    periodMinutes,
  }).catch(() => nothingKnown);
  const [seenAt, seen] = visible.at(-1) ?? [];
  if (seenAt === undefined || seen === undefined) return [unknownLoss(name, target)];
  const count = seen + lastValue(inFlight);
  if (count === 0) return [];
  const since = seenAt - lastValue(oldestSeconds) * 1000 - minuteMilliseconds;
  const were = count === 1 ? "was" : "were";
  const message = `About ${counted(count, "event")} ${were} in it at ${wholeSeconds(toRfc3339(seenAt))}, and are gone with it.`;
  return [problem(message, replayCommand(name, wholeSeconds(toRfc3339(since)), target))];
}

const nothingKnown: QueueSeries<"visible" | "inFlight" | "oldestSeconds"> = {
  visible: [],
  inFlight: [],
  oldestSeconds: [],
};

function lastValue(points: Points): number {
  return points.at(-1)?.[1] ?? 0;
}

function unknownLoss(name: string, target: Target): Verdict {
  const message = "Nothing says how many events were in it; they are gone with it.";
  return problem(message, replayCommand(name, "TIME", target));
}

function replayCommand(name: string, since: string, target: Target): string {
  const command = `npx paycast replay --to ${name} --since ${since} --yes${stackOption(target)}`;
  return `When the queue exists again, send them again: ${command}`;
}
