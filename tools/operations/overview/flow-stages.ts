import type { Word } from "../../../shared/glossary.ts";
import { counted } from "../../../shared/text/number-text.ts";
import type { Counted } from "../ports/metrics.ts";
import type { ExplainedRefusals } from "../refusals/explain-refusals.ts";
import { type FailureKind, type FailureNote, failureNotes } from "./failure-words.ts";
import type { FlowCounts } from "./flow-counts.ts";
import type { AttentionSummary } from "./read-attention.ts";
import type { Flow, SubscriberFlow } from "./read-flow.ts";
import type { QueueNumbers } from "./read-queues.ts";
import { goesOn, isRecent, lastAt } from "./recent.ts";
import type { TimeText } from "./refusing.ts";

/** A number with the words after it, such as 5 "refused". */
export interface FlowNumber {
  /** Undefined if it cannot be read. */
  readonly value: number | undefined;
  readonly label: string;
  /** A word of the label that is explained. */
  readonly word?: Word;
  readonly tone: "plain" | "open" | "bad";
  /** The view of the console that lists what was counted. */
  readonly to?: string;
  /** When it happened for the last time. */
  readonly last?: string | undefined;
}

export interface FlowStage {
  readonly title: string;
  /** A word of the title that is explained. */
  readonly word?: Word;
  readonly main: FlowNumber;
  /** What `main` counts, over time. */
  readonly chart?: Counted | undefined;
  readonly more: readonly FlowNumber[];
  /** What is said of it while it fails. */
  readonly notes?: readonly FailureNote[];
}

/** Queries of the reconciliation are not requests, so the list of requests does not have them. */
const askFailedLabel = "queries to the service failed, including reconciliation";

/** The stages of the flow in words and numbers. What happened is red for ten minutes; then only its count stays. */
export function flowStages(flow: Flow, nowMilliseconds: number) {
  const { charts, range } = flow;
  const count = (name: keyof FlowCounts, label: string, to: string): FlowNumber => {
    return { value: charts?.[name].total, label, tone: "plain", to };
  };
  const bad = (name: keyof FlowCounts, label: string, to: string): FlowNumber => {
    const hour = flow.counts?.[name];
    const isRed = hour !== undefined && isRecent(hour, nowMilliseconds);
    return { ...count(name, label, to), tone: isRed ? "bad" : "plain", last: hour && lastAt(hour) };
  };
  const notes = (kind: FailureKind) =>
    flow.failures
      .filter((failures) => failures.kind === kind && goesOn(failures, nowMilliseconds))
      .flatMap(failureNotes);
  // Without a time that view lists an hour.
  const since = range === "1h" ? "" : `&since=${range}`;
  const requests = (route: string, answer?: string) =>
    `/requests?route=${route}${answer === undefined ? "" : `&answer=${answer}`}${since}`;
  return {
    callbacks: {
      title: "Callbacks in",
      main: count("accepted", "accepted", requests("callbacks")),
      chart: charts?.accepted,
      more: [bad("notStored", "not stored (503)", requests("callbacks", "failed"))],
      notes: notes("callbacks"),
    },
    refused: {
      title: "Rejected",
      main: bad("refused", "rejected", requests("callbacks", "refused")),
      chart: charts?.refused,
      more: [],
      notes: flow.refusals.map(refusalNote),
    },
    storefront: {
      title: "Storefront",
      main: count("ordersCreated", "orders created", `/orders?from=${range}`),
      chart: charts?.ordersCreated,
      more: [
        bad("ordersRefused", "rejected", requests("create-order", "refused")),
        bad("ordersFailed", "failed", requests("create-order", "failed")),
        bad("ordersUnknown", "of these with unknown outcome", requests("create-order", "504")),
        count("asked", "queries", requests("query-order")),
        bad("askFailed", askFailedLabel, requests("query-order", "failed")),
      ],
      notes: [...notes("orders"), ...notes("queries")],
    },
    inbox: inboxStage(flow),
    processed: {
      title: "Processed",
      main: count("published", "events published", "/orders"),
      chart: charts?.published,
      more: [
        count("known", "with nothing new", requests("callbacks")),
        {
          ...count("givenBack", "failed attempts", "/attention?kind=waiting"),
          tone: "open",
        },
      ],
    },
    attention: attentionStage(flow),
  } satisfies Record<string, FlowStage>;
}

function refusalNote({ merchantId, kind, text, action }: ExplainedRefusals): FailureNote {
  const [count = "", ...causes] = text.split(/(?<=\.) /);
  const more = [...causes, action].filter(Boolean).join(" ");
  const isQuiet = kind !== "all" && kind !== "service";
  return { text: `${merchantId}: ${count}`, more, to: "/keys", isQuiet };
}

function inboxStage({ inbox }: Flow): FlowStage {
  const { waiting, inFlight, deadLetters, problem } = inbox;
  const value = problem === undefined ? waiting + inFlight : undefined;
  return {
    title: "Inbox",
    main: { value, label: "waiting", tone: "plain" },
    more: [
      { value: inFlight, label: "in progress", tone: "plain" },
      deadLettersOf("inbox", deadLetters),
    ],
  };
}

/** The dead letters of a subscriber or of the inbox, which has a page among them. */
export function deadLettersOf(name: string, { waiting, inFlight }: QueueNumbers): FlowNumber {
  const value = waiting + inFlight;
  const label = value === 1 ? "dead letter" : "dead letters";
  const word = name === "inbox" ? "inbox dead letters" : "subscriber dead letters";
  return { value, label, word, tone: "bad", to: `/subscribers/${name}` };
}

/** The subscriber has a problem: something is unreadable, dead, late or rejected. */
export function isTroubled({ problem, deadLetters, refusing, isLate }: SubscriberFlow): boolean {
  const dead = deadLetters.waiting + deadLetters.inFlight;
  return (problem ?? deadLetters.problem ?? refusing) !== undefined || dead > 0 || isLate;
}

type LateQueue = Pick<
  SubscriberFlow,
  "oldestAt" | "isLate" | "maxWaitMinutes" | "waiting" | "inFlight"
>;

/**
 * "The oldest of 77 events has waited since 07:50, longer than 15 minutes: its consumer does not run, fails or is too
 * slow." Undefined if none is late.
 */
export function lateText(
  { oldestAt, isLate, maxWaitMinutes, waiting, inFlight }: LateQueue,
  timeText: TimeText,
): string | undefined {
  if (!isLate || oldestAt === undefined) return undefined;
  const events = counted(waiting + inFlight, "event");
  return `The oldest of ${events} has waited since ${timeText(oldestAt)}, longer than ${counted(maxWaitMinutes, "minute")}: its consumer does not run, fails or is too slow.`;
}

/** Waiting events may still be delivered automatically. */
function needPerson({ quarantined, undeliverable, notice }: AttentionSummary): number {
  return quarantined + undeliverable + notice;
}

function attentionStage({ attention }: Flow): FlowStage {
  const { waiting, undeliverable, quarantined, notice, last } = attention ?? {};
  const needed = attention && needPerson(attention);
  const to = (kind: string) => `/attention?kind=${kind}`;
  return {
    title: "Attention",
    word: "attention",
    main: {
      value: needed,
      label: needed === 1 ? "item needs attention" : "items need attention",
      to: "/attention",
      last,
      tone: needed === 0 ? "plain" : "bad",
    },
    more: [
      { value: quarantined, label: "not understood", tone: "bad", to: to("quarantined") },
      { value: undeliverable, label: "not delivered", tone: "bad", to: to("undeliverable") },
      { value: notice, label: "notices", word: "notice", tone: "bad", to: to("notice") },
      { value: waiting, label: "waiting for a subscriber", tone: "open", to: to("waiting") },
    ],
  };
}
