import * as z from "zod";
import { indentJson } from "../../../shared/indent-json.ts";
import { counted } from "../../../shared/number-text.ts";
import { describeChange, describeLook, failedAfter } from "../described/describe.ts";
import type { OperationGroup, Planned, Report, Work } from "../described/description.ts";
import { allRows, chooseByPrefix, id, ids, withRule } from "../described/fields.ts";
import {
  type DeadLetterList,
  factsOf,
  foreignMeaning,
  inboxName,
  letterTable,
  ownerOf,
  queueOf,
  restOf,
  type ShownDeadLetter,
} from "./dead-letter.ts";
import { lookAtDeadLetters } from "./list-dead-letters.ts";
import {
  planRedrive,
  type Redriven,
  type RedrivePlan,
  redriveDeadLetters,
} from "./redrive-dead-letters.ts";

const queue = z.string().min(1).max(100).meta({
  description: "whose dead letters: a subscriber, or inbox",
  placeholder: "SUBSCRIBER|inbox",
});

const walk = ({ stopped, tell }: Work) => ({
  stopped,
  onProgress: (count: number) => tell(`Looked at: ${count}`),
});

export const list = describeLook({
  verb: "list",
  summary: "The dead letters of a queue, oldest first.",
  promises: [
    "`sent` is when the message came to the dead letters, for a subscriber with `ordered: false` when it was first sent.",
    "`foreign` in the column `reason` marks an event whose exact text is in no record of its `partitionkey`. Paycast did not publish it: somebody sent it, or another queue of the account names these dead letters as its own, which no policy can stop. The same shows when the record has expired: records are kept for `callbacks.recordExpiryDays` (90 by default), SQS keeps a message for 14 days in a queue and, if the queue is ordered, for 14 more in its dead letters. Messages of the inbox are never marked: their stamp tells.",
    "Looking takes nothing away: the messages are given back at the end, also after Ctrl-C or an error. On an ordered queue SQS shows only the first messages of an order while these are looked at; the command tells about how many it could not see.",
  ],
  input: z.object({ queue }),
  words: ["queue"],
  endsByItself: true,
  look: async (target, { queue: name }, work): Promise<Report<DeadLetterList>> => {
    const { list: found } = await lookAtDeadLetters(target, name, walk(work));
    return listReport(found);
  },
});

export function listReport(found: DeadLetterList): Report<DeadLetterList> {
  const { queue: name, letters, stopped } = found;
  return {
    lines: letters.length === 0 ? [`No dead letters of ${ownerOf(name)}.`] : [],
    ...(letters.length > 0 && { table: letterTable(letters) }),
    below: [...restOf(found), ...(letters.length > 0 ? [lookingCounts] : [])],
    data: found,
    isGood: !stopped,
  };
}

export const show = describeLook({
  verb: "show",
  summary: "One dead letter with its content.",
  input: z.object({ queue, id }),
  words: ["queue", "id"],
  endsByItself: true,
  look: async (target, { queue: name, id: wanted }, work): Promise<Report<ShownDeadLetter>> => {
    const { shown } = await lookAtDeadLetters(target, name, walk(work));
    work.stopped.throwIfAborted();
    return letterReport(shown, wanted);
  },
});

/** Throws `not-found` or `ambiguous-id`. */
export function letterReport(
  shown: readonly ShownDeadLetter[],
  wanted: string,
): Report<ShownDeadLetter> {
  const letter = chooseByPrefix(shown, wanted, ({ messageId }) => messageId);
  return {
    lines: [],
    facts: [["type", letter.type ?? "not an event"], ...factsOf(letter)],
    text: indentJson(letter.body) ?? letter.body,
    data: letter,
    isGood: true,
  };
}

export const redrive = describeChange({
  verb: "redrive",
  title: "Redrive dead letters",
  summary:
    "Sends the chosen ones to their queue again: same bytes, same order within the chosen ones. They come after younger messages of their order, and after a crash of this command one may come twice: consumers use the event's id to recognise it.",
  promises: [
    "The command receives, sends and deletes, in that order: same bytes, same attributes, same group, a new deduplication id. A message that somebody else holds at that moment stays: run the command again. It starts no message move task of SQS, since such a task moves everything.",
    "A foreign message is never sent. An id of one is refused; `--all` leaves them out and says how many.",
    "Nothing is deleted that was not sent before, and two operators at once lose nothing. A message is sent once in a run, even if its consumer fails at once.",
    "A redriven message comes after younger messages of its order. If the command is killed between send and delete, the message comes twice: its dead letter is visible again within five minutes, and the next redrive sends it again. Consumers recognise the event by its `id`.",
    "A dead letter of the inbox with the reason `stamp-missing` or `stamp-wrong` is left out, since something other than Paycast sent it: sent again, it would come back. The command says how many there are.",
    "The exit code is 0 only if everything that was asked for was sent.",
  ],
  input: withRule(
    z.object({
      queue,
      ids,
      all: allRows("redrive everything but foreign messages"),
    }),
    ({ ids: wanted, all }) =>
      wanted.length > 0 === all ? "must have either message ids, or --all" : undefined,
  ),
  words: ["queue", "ids"],
  requires: "(ID... | --all)",
  plan: async (target, { queue: name, ids: wanted, all }, work): Promise<Planned> => {
    const plan = await planRedrive(target, name, all ? undefined : wanted, walk(work));
    return {
      report: preview(plan),
      yes: plan.count === 0 ? undefined : `Redrive ${plan.count}`,
      act: async (actual, acting) =>
        outcome(plan, await redriveDeadLetters(actual, plan, walk(acting))),
    };
  },
});

function preview(plan: RedrivePlan): Report {
  const { queue: name, count, withoutStamp, sample, messageIds } = plan;
  const but = messageIds === undefined && name !== inboxName ? " Foreign ones stay." : "";
  const more = count - sample.length;
  return {
    lines: [
      count === 0
        ? `No dead letters of ${ownerOf(name)}${withoutStamp > 0 ? " to redrive" : ""}.`
        : `${counted(count, "message")} would be sent to ${queueOf(name)} again.${but}`,
    ],
    ...(sample.length > 0 && { table: letterTable(sample) }),
    below: [
      ...(more > 0 && sample.length > 0 ? [`And ${more} more.`] : []),
      ...leftOutText(withoutStamp),
    ],
    data: { queue: name, count, withoutStamp, sample },
    isGood: count > 0,
  };
}

function outcome({ queue: name }: RedrivePlan, { failure, ...redriven }: Redriven): Report {
  const { moved, notReached, cameBack, foreign, withoutStamp, end } = redriven;
  const done = `${counted(moved, "message")} sent to ${queueOf(name)} again.`;
  if (end === "failed") throw failedAfter(done, failure);
  return {
    lines: [
      done,
      ...(notReached > 0
        ? [
            `${notReached} were not reached: somebody else holds them, or they wait behind a message of the same order that was not chosen.`,
          ]
        : []),
      ...(cameBack > 0
        ? [`${cameBack} stay: the same message was sent in this run already, or failed again.`]
        : []),
      ...(foreign > 0 ? [`${foreign} stay, because they are foreign. ${foreignMeaning}`] : []),
      ...leftOutText(withoutStamp),
      ...(end === "stopped" || end === "bound" ? ["Ended early: do it again to go on."] : []),
    ],
    data: redriven,
    isGood: end === "empty" && notReached + cameBack + foreign + withoutStamp === 0,
  };
}

function leftOutText(withoutStamp: number): readonly string[] {
  if (withoutStamp === 0) return [];
  const letters = counted(withoutStamp, "message");
  return [`Left out: ${letters} without a stamp of Paycast. Find out who sent them.`];
}

const lookingCounts = "Looking counts as a receive of each message, and takes nothing away.";

export const deadLetters: OperationGroup = {
  name: "dead-letters",
  about: [
    "Messages that nobody could handle: the events that a subscriber's consumer failed on, and the messages of the inbox that have no record. Those are messages without the stamp of Paycast, a callback too large for a record, and what SQS itself moved after an outage of many hours.",
    "Looking at dead letters counts as a receive. For five minutes at most, others do not see the messages that are being looked at.",
  ],
  operations: [list, show, redrive],
  examples: [
    "dead-letters list fulfilment",
    "dead-letters list inbox",
    "dead-letters show fulfilment 0c1f",
    "dead-letters redrive fulfilment 0c1f 77c0 --yes",
    "dead-letters redrive fulfilment --all --stack PaycastStack",
  ],
};
