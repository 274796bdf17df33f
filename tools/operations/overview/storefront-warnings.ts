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
  totalSince,
  type Warning,
  type WarningContext,
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
  context: WarningContext,
): Warning[] {
  return [
    ...refusedWarnings(counts, lastRefusal, context),
    ...failedWarnings(counts, context),
    ...questionWarnings(counts, context),
  ];
}

function refusedWarnings(
  counts: Counts,
  lastRefusal: string | undefined,
  context: WarningContext,
): Warning[] {
  const { ordersRefused } = counts;
  const share = shareText(ordersRefused, counts, context);
  if (share === undefined) return [];
  const words = lastRefusal === undefined ? "" : `: ${lastRefusal}`;
  return [happened(`The service refused ${share}${words}.`, ordersRefused, context, keysLook)];
}

function failedWarnings(counts: Counts, context: WarningContext): Warning[] {
  const { ordersFailed } = counts;
  const share = shareText(ordersFailed, counts, context);
  if (share === undefined) return [];
  const message = `No answer of the service, or a fault of Paycast, for ${share}. The outcome may be unknown.`;
  return [happened(message, ordersFailed, context, failedLook("create-order"))];
}

function questionWarnings({ askFailed }: Counts, context: WarningContext): Warning[] {
  if (askFailed.total < fewestFailedQuestions) return [];
  const message = `In the last hour ${askFailed.total} questions to the service failed${lastText(askFailed, context)}.`;
  return [happened(message, askFailed, context, failedLook("query-order"))];
}

/**
 * "5 of 5 orders since 02:41, the last at 02:46"; undefined if they are few among the others, as for the alarms. They may
 * be few since the first one of the hour, and many in the last ten minutes.
 */
function shareText(bad: Counted, counts: Counts, context: WarningContext): string | undefined {
  const first = firstAt(bad);
  if (first === undefined) return undefined;
  return (
    shareSince(first, bad, counts, context) ?? shareSince(lateSince(bad), bad, counts, context)
  );
}

function shareSince(
  since: string,
  bad: Counted,
  counts: Counts,
  context: WarningContext,
): string | undefined {
  const { ordersCreated, ordersRefused, ordersFailed } = counts;
  const ends = [ordersCreated, ordersRefused, ordersFailed];
  const all = ends.reduce((sum, end) => sum + totalSince(end, since), 0);
  const some = totalSince(bad, since);
  if (some === 0 || 100 * some < all * refusedPercent) return undefined;
  const times =
    since === lastAt(bad)
      ? `at ${context.timeText(since)}`
      : `since ${context.timeText(since)}${lastText(bad, context)}`;
  return `${some} of ${counted(all, "order")} ${times}`;
}
