import * as z from "zod";
import { indentJson } from "../../../shared/json/indent-json.ts";
import { counted } from "../../../shared/text/number-text.ts";
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
  onProgress: (count: number) => tell(`Read: ${count}`),
});

export const list = describeLook({
  verb: "list",
  summary: "Lists the dead letters of a queue, oldest first.",
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
  summary: "Shows one dead letter with its content.",
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
    "Sends the chosen dead letters to their queue again: same bytes, same order among them. They arrive after newer messages of their order. If this command crashes, a message may arrive twice: consumers recognise it by the event's id.",
  input: withRule(
    z.object({
      queue,
      ids,
      all: allRows("redrive all messages except foreign ones"),
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
  const but = messageIds === undefined && name !== inboxName ? " Foreign messages stay." : "";
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
            `${notReached} were not reached: another reader holds them, or they wait behind a message of the same order that was not chosen.`,
          ]
        : []),
      ...(cameBack > 0
        ? [`${cameBack} stay: the same message was sent in this run already, or failed again.`]
        : []),
      ...(foreign > 0 ? [`${foreign} stay, because they are foreign. ${foreignMeaning}`] : []),
      ...leftOutText(withoutStamp),
      ...(end === "stopped" || end === "bound"
        ? ["Ended early. Repeat the operation to continue."]
        : []),
    ],
    data: redriven,
    isGood: end === "empty" && notReached + cameBack + foreign + withoutStamp === 0,
  };
}

function leftOutText(withoutStamp: number): readonly string[] {
  if (withoutStamp === 0) return [];
  const letters = counted(withoutStamp, "message");
  return [`Skipped: ${letters} without the stamp of Paycast. Find out who sent them.`];
}

const lookingCounts = "Reading counts as a receive of each message and removes nothing.";

export const deadLetters: OperationGroup = {
  name: "dead-letters",
  about: [
    "Dead letters are messages that could not be processed: events that a subscriber's consumer failed on, and inbox messages without a record. The latter have no stamp of Paycast, are too large for a record, or were moved by SQS after an outage of many hours.",
    "Reading dead letters counts as a receive, and hides them from other readers for up to five minutes.",
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
