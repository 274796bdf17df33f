import * as z from "zod/mini";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import {
  type CapturedMessage,
  capturedMessageSchema,
  nobody,
} from "../../../shared/receiving/captured-message.ts";
import { available } from "../ports/available.ts";
import type { HeldMessage } from "../ports/queues.ts";
import { findMerchant } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { lookAtQueue } from "../queues/walk-queue.ts";

export interface CapturedEnvelope extends CapturedMessage {
  /** Identifies the sender's address, together with merchant and reason. */
  readonly sender: string;
}

export interface CapturedEnvelopes {
  /** The newest first. */
  readonly envelopes: readonly CapturedEnvelope[];
  /** Messages that something else wrote to the queue, or another version of Paycast. */
  readonly unreadable: number;
  /** False if the queue has more than were read. */
  readonly isWhole: boolean;
  /** Others, and the next run, see these only when the time for which they are hidden has passed. */
  readonly notReturned: number;
}

/**
 * Each sender has a FIFO group. While its first messages are held, SQS gives no more of them, so one sender cannot fill
 * the reading: ten of each of two hundred senders.
 */
const mostMessages = 2_000;
/** Longer than the reading takes. If the command is killed, the messages are visible again after it. */
const hiddenMilliseconds = 120_000;

/** Looks at the captured envelopes and gives them all back. Throws `target-incomplete` if the stack captures none. */
export async function readCaptured(
  target: Pick<Target, "queues">,
  stopped: AbortSignal,
  most = mostMessages,
): Promise<CapturedEnvelopes> {
  const { url } = available(target.queues.captured);
  const messages: HeldMessage[] = [];
  const { end, notReturned } = await lookAtQueue(
    target.queues.open(url, hiddenMilliseconds),
    (message) => void messages.push(message),
    { stopped, most },
  );
  return { ...readMessages(messages), isWhole: end === "empty", notReturned };
}

function readMessages(
  messages: readonly HeldMessage[],
): Pick<CapturedEnvelopes, "envelopes" | "unreadable"> {
  const read = messages.flatMap(({ body, group: sender = "" }) => {
    const envelope = capturedMessageSchema.safeParse(parseJson(body));
    return envelope.success ? [{ ...envelope.data, sender }] : [];
  });
  const envelopes = read
    .filter(({ merchantId }) => merchantId !== nobody)
    .sort((left, right) => right.receivedAtMilliseconds - left.receivedAtMilliseconds);
  return { envelopes, unreadable: messages.length - read.length };
}

const keyTexts = z.object({
  aesKey: z.string(),
  servicePublicKey: z.string(),
  profile: z.optional(z.unknown()),
});

export type CallbackKeyTexts = z.output<typeof keyTexts>;

/**
 * The callback keys as they are in the secret. They are not parsed, because the profile beside them may be the wrong
 * one. Throws `keys-unset` or `keys-invalid`.
 */
export async function readCallbackKeyTexts(
  target: Pick<Target, "stack" | "keys">,
  merchantId: string,
): Promise<CallbackKeyTexts> {
  const { callbackKeys } = findMerchant(target.stack, merchantId);
  const calls = target.keys;
  const { current } = await calls.stagesOf(callbackKeys);
  const version = current === undefined ? undefined : await calls.read(callbackKeys, current);
  if (version === undefined) {
    throw new PaycastError("keys-unset", `The callback keys are not set. ${giveFiles}`);
  }
  const read = keyTexts.safeParse(parseJson(version.text));
  if (read.success) return read.data;
  throw new PaycastError("keys-invalid", `The callback keys are not valid. ${giveFiles}`);
}

const giveFiles = "Pass the keys as files: --aes-key FILE and --public-key FILE.";
