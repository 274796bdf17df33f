import * as z from "zod";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { counted, wholeSeconds } from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { readAudit } from "../audit/read-audit.ts";
import { stackOption } from "../target/stack-option.ts";
import type { Target, TargetSubscriber } from "../target/target.ts";
import { type Loss, lossBefore, lossOfGone } from "./find-loss.ts";
import { problem, type Verdict } from "./finding.ts";

/**
 * What was in a subscriber's queue when it was deleted, and the replay that sends it again. The replay sends too much
 * rather than too little: consumers recognise an event by its id.
 */
export async function lostEvents(
  target: Target,
  subscriber: TargetSubscriber,
): Promise<readonly Verdict[]> {
  const { name, queueUrl } = subscriber;
  // Without the permission to read metrics nothing is known, and the replay is needed all the same.
  const loss = await lossOfGone(target, queueUrl).catch(() => undefined);
  if (loss === undefined) {
    const command = replayCommand(target, name, "--since TIME");
    return [problem(unknownLoss, `When the queue exists again, replay them: ${command}`)];
  }
  if (loss.count === 0) return [];
  const { message, command } = await describeLoss(target, name, loss);
  return [problem(message, `When the queue exists again, replay them: ${command}`)];
}

/** The same for a queue that was recreated, until a replay has sent the events again. */
export async function lostBefore(
  target: Target,
  subscriber: TargetSubscriber,
  createdAtMilliseconds: number,
): Promise<readonly Verdict[]> {
  const { name, queueUrl } = subscriber;
  const loss = await lossBefore(target, queueUrl, createdAtMilliseconds).catch(() => undefined);
  if (loss === undefined || loss.count === 0) return [];
  const { message, command, isReplayed } = await describeLoss(target, name, loss);
  if (isReplayed(createdAtMilliseconds)) return [];
  const createdAt = wholeSeconds(toRfc3339(createdAtMilliseconds));
  return [problem(`The queue was recreated at ${createdAt}. ${message}`, `Send them: ${command}`)];
}

const unknownLoss = "It is not known how many events were in it. They were deleted with it.";

function replayCommand(target: Target, name: string, which: string): string {
  return `npx paycast replay --to ${name} ${which} --yes${stackOption(target)}`;
}

interface DescribedLoss {
  readonly message: string;
  readonly command: string;
  /** Whether a replay that was started after this time has sent everything that was lost. */
  readonly isReplayed: (afterMilliseconds: number) => boolean;
}

async function describeLoss(target: Target, name: string, loss: Loss): Promise<DescribedLoss> {
  const { count, seenAtMilliseconds, sinceMilliseconds } = loss;
  const { acts, isWhole } = await readSendingActs(target, name, sinceMilliseconds).catch(
    () => nothingRead,
  );
  const again = acts.find(({ at }) => Date.parse(at) <= seenAtMilliseconds);
  const since = wholeSeconds(toRfc3339(sinceMilliseconds));
  const mayBeOlder = !isWhole || again !== undefined;
  const were = count === 1 ? "was" : "were";
  const seenAt = wholeSeconds(toRfc3339(seenAtMilliseconds));
  const message = `About ${counted(count, "event")} ${were} in it at ${seenAt} and ${were} deleted with it.`;
  return {
    message: mayBeOlder ? `${message} ${olderText(again?.at)}` : message,
    command: replayCommand(target, name, mayBeOlder ? "--all" : `--since '${since}'`),
    isReplayed: (afterMilliseconds) => {
      const ended = endedReplays(acts).filter(({ at }) => Date.parse(at) >= afterMilliseconds);
      return ended.some((replay) => isReplayOf(loss, replay, mayBeOlder));
    },
  };
}

function olderText(again: string | undefined): string {
  return again === undefined
    ? "The audit log could not be read completely, and older events may have been sent to it again. The command sends everything that is recorded."
    : `Older events may have been sent to it again at ${wholeSeconds(again)}. The command sends everything that is recorded.`;
}

/** A line about events that were sent to subscribers again (audit/write-audit.ts). */
const sendingAct = z.object({
  act: z.enum(["replay", "replay-ended", "dead-letters-redrive", "attention-redrive"]),
  at: z.string(),
  run: z.string().optional(),
  subscriber: z.string().optional(),
  queue: z.string().optional(),
  since: z.string().optional(),
  until: z.string().optional(),
  types: z.array(z.string()).optional(),
  ids: z.array(z.string()).optional(),
  orderNo: z.string().optional(),
  paymentId: z.string().optional(),
  merchantId: z.string().optional(),
});
type SendingAct = z.output<typeof sendingAct>;

interface SendingActs {
  /** Oldest first. */
  readonly acts: readonly SendingAct[];
  /** False if there may be more of them. */
  readonly isWhole: boolean;
}

const nothingRead: SendingActs = { acts: [], isWhole: false };

/** Far more than operators do in two weeks. */
const mostLines = 10_000;

/** What may have sent earlier events to the subscriber. A redrive of attention may be for any subscriber. */
async function readSendingActs(
  target: Target,
  name: string,
  sinceMilliseconds: number,
): Promise<SendingActs> {
  const { lines, isWhole } = await readAudit(target, { sinceMilliseconds, most: mostLines });
  const acts = lines
    .flatMap((line) => sendingAct.safeParse(parseJson(line)).data ?? [])
    .filter(({ subscriber = name, queue = name }) => subscriber === name && queue === name)
    .filter(({ at }) => Date.parse(at) >= sinceMilliseconds)
    .sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
  return { acts, isWhole };
}

/** The replays that finished. One that was stopped or rejected has sent only a part. */
function endedReplays(acts: readonly SendingAct[]): readonly SendingAct[] {
  const ends = acts.filter(({ act }) => act === "replay-ended");
  return acts.filter(({ act, run }) => act === "replay" && ends.some((end) => end.run === run));
}

/** Whether it sends every event that was lost: a replay of some orders or types, or of a part of the time, does not. */
function isReplayOf(loss: Loss, replay: SendingAct, mayBeOlder: boolean): boolean {
  const { since, until, orderNo, paymentId, merchantId, types = [], ids = [] } = replay;
  const isOfSome = (orderNo ?? paymentId ?? merchantId) !== undefined || types.length > 0;
  if (isOfSome || ids.length > 0) return false;
  if (until !== undefined && Date.parse(until) < loss.seenAtMilliseconds) return false;
  if (since === undefined) return true;
  return !mayBeOlder && Date.parse(since) <= loss.replayedSinceMilliseconds;
}
