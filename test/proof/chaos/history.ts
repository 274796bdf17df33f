import { readEvidence } from "./check/check.ts";
import { type Evidence, isAcknowledged, orderOf } from "./check/evidence.ts";

/** Everything that was seen of an order, from all sides, sorted by time. */
export function historyOf(evidence: Evidence, orderNo: string): string[] {
  const { statements, events } = readEvidence(evidence);
  const lines = [
    ...evidence.calls
      .filter((call) => call.orderNo === orderNo)
      .map(({ atMilliseconds, request, status, answer }) => ({
        at: atMilliseconds,
        text: `shop      ${request} -> ${status ?? "no response"} ${answer.slice(0, 160)}`,
      })),
    ...statements
      .filter(({ fact, opened }) =>
        [orderOf(evidence, fact), opened.result?.["referOrderNo"]].includes(orderNo),
      )
      .map(({ post, opened, fact }) => ({
        at: post.atMilliseconds,
        text: `callback  ${opened.id} ${opened.eventName} ${fact?.transactionId ?? ""} ${fact?.amount ?? ""} by ${post.by} -> ${isAcknowledged(post) ? "acknowledged" : (post.status ?? "no response")}`,
      })),
    ...events
      .filter(({ fact }) => orderOf(evidence, fact) === orderNo)
      .map(({ received, fact, id, sequence, origin }) => ({
        at: received.atMilliseconds,
        text: `event     ${received.subscriber} ${fact.type} #${sequence} from ${origin} ${id.slice(0, 12)}`,
      })),
    ...[...evidence.disturbances, ...evidence.busy].map(
      ({ fromMilliseconds, untilMilliseconds, what }) => ({
        at: fromMilliseconds,
        text: `broken    ${what}, until ${timeOf(untilMilliseconds)}`,
      }),
    ),
  ];
  return lines
    .sort((left, right) => left.at - right.at)
    .map(({ at, text }) => `  ${timeOf(at)}  ${text}`);
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(11, 23);
}
