import { counted } from "../../../shared/text/number-text.ts";
import type { Cell, Facts, Table } from "../described/description.ts";

/** A message in dead letters: an event that a consumer failed on, or a message of the inbox that has no record. */
export interface DeadLetter {
  readonly messageId: string;
  readonly eventId?: string | undefined;
  /** Undefined if it is neither an event nor a callback. */
  readonly type?: string | undefined;
  /** The order or payment that it is about. */
  readonly subject?: string | undefined;
  readonly sequence?: string | undefined;
  readonly time?: string | undefined;
  /** Why Paycast put it here; SQS gives no reason. */
  readonly reason: string | undefined;
  /** No record of the stack holds its exact text. It is not redriven. */
  readonly foreign: boolean;
  readonly sentAt: string;
  readonly receiveCount: number;
}

export interface ShownDeadLetter extends DeadLetter {
  readonly attributes: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface DeadLetterList {
  /** The subscriber, or "inbox". */
  readonly queue: string;
  /** Oldest first. */
  readonly letters: readonly DeadLetter[];
  /** How many the queue holds, by SQS's approximate count; at least those that were seen. */
  readonly total: number;
  readonly stopped: boolean;
  readonly notReturned: number;
}

/** The name under which the inbox's own dead letters are found. No subscriber may have it. */
export const inboxName = "inbox";

/** Something other than our functions sent it to the inbox. If sent again, it would become a dead letter again. */
export function isWithoutStamp({ reason }: Pick<DeadLetter, "reason">): boolean {
  return reason === "stamp-missing" || reason === "stamp-wrong";
}

export function ownerOf(queue: string): string {
  return queue === inboxName ? "the inbox" : queue;
}

export function queueOf(queue: string): string {
  return queue === inboxName ? "the inbox" : `the queue of ${queue}`;
}

/** The order that it is about. */
function aboutOf({ subject }: DeadLetter): Cell {
  return subject === undefined ? "-" : { order: subject };
}

export function letterTable(letters: readonly DeadLetter[]): Table {
  const rows = letters.map((letter): readonly Cell[] => [
    letter.messageId,
    letter.type ?? "-",
    aboutOf(letter),
    letter.sequence === undefined ? "-" : String(Number(letter.sequence)),
    { time: letter.sentAt },
    letter.foreign ? "foreign" : (letter.reason ?? "-"),
  ]);
  const ids = letters.map(({ messageId }) => messageId);
  return {
    head: ["message", "type", "about", "sequence", "sent", "reason"],
    rows,
    ids,
  };
}

/** The origin of a dead letter. */
export function factsOf(letter: ShownDeadLetter): Facts {
  return [
    ["about", letter.subject === undefined ? undefined : aboutOf(letter)],
    ["sent", { time: letter.sentAt }],
    ["received", `${counted(letter.receiveCount, "time")}, including this read`],
    ["foreign", letter.foreign ? foreignMeaning : undefined],
    ["event", letter.eventId && { id: letter.eventId }],
    ["message", { id: letter.messageId }],
    ...Object.entries(letter.attributes).map(
      ([name, text]) => [`attribute ${name}`, text] as const,
    ),
  ];
}

/** Also says that an expired record has the same effect: a dead letter on a FIFO queue can be 28 days old. */
export const foreignMeaning =
  "No record of the stack holds exactly this event: another sender wrote it, another queue moved it here, or its record has expired (callbacks.recordExpiryDays). It is not redriven.";

/** What is to be known about a list as a whole: which of it is foreign, and why it may not have everything. */
export function restOf({ letters, total, stopped, notReturned }: DeadLetterList): string[] {
  const hidden = total - letters.length;
  const foreign = letters.filter((letter) => letter.foreign).length;
  return [
    ...(foreign > 0 ? [`${foreign} foreign. ${foreignMeaning}`] : []),
    ...(hidden > 0
      ? [
          `About ${hidden} more were not visible: they wait behind another message of the same order, another reader holds them, or there are too many to list.`,
        ]
      : []),
    ...(notReturned > 0
      ? [
          `${notReturned} could not be returned to the queue immediately; they are visible within five minutes.`,
        ]
      : []),
    ...(stopped ? ["Stopped before all messages were read."] : []),
  ];
}
