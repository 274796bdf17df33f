import { kindWords } from "../../../shared/attention/kind-words.ts";
import { counted, spanText } from "../../../shared/text/number-text.ts";
import { reasonText } from "../reason-words.ts";
import type { NoticeEntry } from "./order-timeline.ts";
import type { Delivery, ReceiptEntry } from "./receipt-entry.ts";

/** How a face writes a time. */
type TimeOf = (rfc3339: string) => string;

/** Something that is not right with an order now. */
export interface OpenProblem {
  readonly text: string;
  /** Paycast does not try it any more. */
  readonly isFinal: boolean;
  /** Nothing can be retried: an operator settles it elsewhere and dismisses it. */
  readonly isNotice?: true;
  /** The subscriber whose dead letters need attention. */
  readonly deadLettersOf?: string;
}

/** The text in place of a redrive if everything only waits. */
export const triedByItself = "Paycast retries it automatically.";

export function isTriedByItself({ isFinal, isNotice, deadLettersOf }: OpenProblem): boolean {
  return !isFinal && !isNotice && deadLettersOf === undefined;
}

/** Who has not received an event, since when and why, what was not understood, and the order's notices. */
export function openProblemsOf(
  entries: readonly ({ readonly kind: string } | ReceiptEntry | NoticeEntry)[],
  timeOf: TimeOf,
): readonly OpenProblem[] {
  const receipts = entries.filter((entry): entry is ReceiptEntry => entry.kind === "receipt");
  const notices = entries.filter((entry): entry is NoticeEntry => entry.kind === "notice");
  return [
    ...receipts.flatMap((entry) => [
      ...undelivered(entry, timeOf),
      ...misunderstood(entry, timeOf),
    ]),
    ...deadLettersOf(receipts),
    ...notices.filter(({ state }) => state === "open").map((entry) => noticed(entry, timeOf)),
  ];
}

function noticed({ notice, at }: NoticeEntry, timeOf: TimeOf): OpenProblem {
  const { means, todo } = kindWords[notice];
  return { isFinal: false, isNotice: true, text: `Since ${timeOf(at)}: ${means} ${todo}` };
}

/** A delivery without a try yet is in progress. */
function undelivered({ published, type }: ReceiptEntry, timeOf: TimeOf): OpenProblem[] {
  const stuck = published?.deliveries.filter(({ errorName }) => errorName !== undefined) ?? [];
  return stuck.map((delivery) => ({
    isFinal: delivery.state === "given-up",
    text: `${delivery.subscriber} has not received ${type}: ${deliveryText(delivery, timeOf)}.`,
  }));
}

/** What a subscriber's queue has accepted may lie in its dead letters now. */
function deadLettersOf(receipts: readonly ReceiptEntry[]): OpenProblem[] {
  const deliveries = receipts.flatMap(({ published }) => published?.deliveries ?? []);
  const counts = new Map(
    deliveries.flatMap(({ subscriber, deadLetters }) =>
      deadLetters === undefined ? [] : [[subscriber, deadLetters]],
    ),
  );
  return [...counts].map(([subscriber, count]) => ({
    isFinal: false,
    deadLettersOf: subscriber,
    text: `${subscriber} has ${counted(count, "dead letter")}. ${count === 1 ? "It may be an event of this order." : "Events of this order may be among them."}`,
  }));
}

function misunderstood({ quarantined }: ReceiptEntry, timeOf: TimeOf): OpenProblem[] {
  if (quarantined?.since === undefined) return [];
  const { reason, since } = quarantined;
  const text = `A callback has not been understood since ${timeOf(since)}: ${reasonText(reason)} (${reason}).`;
  return [{ isFinal: true, text }];
}

/** "waiting since 2026-11-16T02:44:00Z, because QueueDoesNotExist". */
export function deliveryText(delivery: Delivery, timeOf: TimeOf): string {
  const { state, since, errorName } = delivery;
  switch (state) {
    case "sent":
      return sentText(delivery, timeOf);
    case "dismissed":
      return "dismissed";
    case "waiting":
      return since === undefined
        ? "waiting"
        : `waiting since ${timeOf(since)}, because ${errorName}`;
    case "given-up":
      return `not retried since ${timeOf(since ?? "")}, because ${errorName}`;
  }
}

/** "delivered 2026-11-16T08:31:10Z, 5 min 50 s after the others". */
function sentText({ subscriber, at, late, deadLetters }: Delivery, timeOf: TimeOf): string {
  const time = at === undefined ? "" : ` ${timeOf(at)}`;
  const lateness = late === undefined ? "" : `, ${spanText(late.seconds)} after ${late.after}`;
  const dead =
    deadLetters === undefined ? "" : `; ${subscriber} has ${counted(deadLetters, "dead letter")}`;
  return `delivered${time}${lateness}${dead}`;
}
