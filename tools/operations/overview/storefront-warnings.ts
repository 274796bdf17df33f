import { counted } from "../../../shared/number-text.ts";
import { refusedPercent } from "../../../shared/receiving/refusal-alarm.ts";
import type { Counted } from "../telemetry/metric.ts";
import type { FlowCounts } from "./flow-counts.ts";
import {
  firstAt,
  happened,
  keysLook,
  lastAt,
  lastText,
  lateSince,
  type Told,
  totalSince,
  type Warning,
} from "./warning.ts";

type Counts = Pick<FlowCounts, "ordersCreated" | "ordersRefused" | "ordersFailed" | "askFailed">;

/** As the alarm: one or two questions fail now and then, and the next one repeats them. */
const fewestFailedQuestions = 3;

const failedLook = (route: "create-order" | "query-order") => ({
  to: `/requests?route=${route}&answer=failed`,
  action: "Look at the requests",
  command: `requests --route ${route} --answer failed`,
});

/** Whether the shop can sell: which orders the service refused, which failed, and what it did not answer. */
export function storefrontWarnings(
  counts: Counts,
  lastRefusal: string | undefined,
  told: Told,
): Warning[] {
  return [
    ...refusedWarnings(counts, lastRefusal, told),
    ...failedWarnings(counts, told),
    ...questionWarnings(counts, told),
  ];
}

function refusedWarnings(counts: Counts, lastRefusal: string | undefined, told: Told): Warning[] {
  const { ordersRefused } = counts;
  const share = shareText(ordersRefused, counts, told);
  if (share === undefined) return [];
  const words = lastRefusal === undefined ? "" : `: ${lastRefusal}`;
  return [happened(`The service refused ${share}${words}.`, ordersRefused, told, keysLook)];
}

function failedWarnings(counts: Counts, told: Told): Warning[] {
  const { ordersFailed } = counts;
  const share = shareText(ordersFailed, counts, told);
  if (share === undefined) return [];
  const message = `No answer of the service, or a fault of Paycast, for ${share}. The outcome may be unknown.`;
  return [happened(message, ordersFailed, told, failedLook("create-order"))];
}

function questionWarnings({ askFailed }: Counts, told: Told): Warning[] {
  if (askFailed.total < fewestFailedQuestions) return [];
  const message = `In the last hour ${askFailed.total} questions to the service failed${lastText(askFailed, told)}.`;
  return [happened(message, askFailed, told, failedLook("query-order"))];
}

/**
 * "5 of 5 orders since 02:41, the last at 02:46"; undefined if they are few among the others, as for the alarms. They may
 * be few since the first one of the hour, and many in the last ten minutes.
 */
function shareText(bad: Counted, counts: Counts, told: Told): string | undefined {
  const first = firstAt(bad);
  if (first === undefined) return undefined;
  return shareSince(first, bad, counts, told) ?? shareSince(lateSince(bad), bad, counts, told);
}

function shareSince(since: string, bad: Counted, counts: Counts, told: Told): string | undefined {
  const { ordersCreated, ordersRefused, ordersFailed } = counts;
  const ends = [ordersCreated, ordersRefused, ordersFailed];
  const all = ends.reduce((sum, one) => sum + totalSince(one, since), 0);
  const some = totalSince(bad, since);
  if (some === 0 || 100 * some < all * refusedPercent) return undefined;
  const times =
    since === lastAt(bad)
      ? `at ${told.timeText(since)}`
      : `since ${told.timeText(since)}${lastText(bad, told)}`;
  return `${some} of ${counted(all, "order")} ${times}`;
}
