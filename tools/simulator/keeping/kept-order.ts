import * as z from "zod";
import { type Job, sealingKeys } from "../callbacks/job.ts";
import { type CallbackFault, faultSchema, isAnswerFault } from "../faults/fault.ts";
import { type Callback, callbackSchema, maybe, type Order, orderSchema } from "../orders/order.ts";
import type { CallbackDraft } from "../wire/callback-envelope.ts";
import { exactJson, parseExactJson, writeExactJson } from "../wire/exact-json.ts";

/** The result object is stored as text, because its numbers must keep their digits. */
const resultText = z
  .string()
  .transform((text) => parseExactJson(text))
  .pipe(z.record(z.string(), exactJson));

const content = z.object({
  timestampMilliseconds: z.number(),
  result: resultText,
  plaintext: maybe(z.string()),
  hasNumericId: maybe(z.boolean()),
  sealed: z.string(),
});

const job = z.object({
  url: z.string(),
  faults: z.array(faultSchema),
  contents: z.array(content),
  firstMilliseconds: z.number(),
  tries: z.int(),
  scheduledTries: z.int(),
});

const keptCallbackSchema = callbackSchema.extend({
  /** Without a job the callback was never sent: a fault lost it, or it has no address. */
  job: maybe(job),
});

/** An order as stored in the file. */
export const keptOrderSchema = orderSchema.extend({
  merchantId: z.string(),
  callbacks: z.array(keptCallbackSchema),
});

type KeptCallback = z.output<typeof keptCallbackSchema>;
type KeptContent = z.output<typeof content>;

/** The order and its callbacks as JSON, without keys: these are in the key folder. */
export function orderToKeep({ merchant, ...order }: Order, jobs: ReadonlyMap<string, Job>): object {
  return {
    ...order,
    merchantId: merchant.merchantId,
    callbacks: order.callbacks.map((callback) => callbackToKeep(callback, jobs.get(callback.id))),
  };
}

function callbackToKeep(callback: Callback, own: Job | undefined) {
  if (own === undefined) return { ...callback, job: undefined };
  const { order: _order, callback: _callback, contents, ...rest } = own;
  const texts = contents.map(({ draft, sealed }) => ({
    timestampMilliseconds: draft.timestampMilliseconds,
    result: writeExactJson(draft.result),
    plaintext: draft.plaintext,
    hasNumericId: draft.hasNumericId,
    sealed,
  }));
  return { ...callback, job: { ...rest, contents: texts } };
}

/** Adds the callback to its order. Returns its job, if it has one. */
export function restoreCallback(order: Order, kept: KeptCallback): Job | undefined {
  const { job: keptJob, ...callback } = kept;
  order.callbacks.push(callback);
  if (keptJob === undefined) return undefined;
  const contents = keptJob.contents.map((keptContent) => ({
    draft: draftOf(order, callback, keptContent),
    sealed: keptContent.sealed,
  }));
  const isForCallback = (fault: (typeof keptJob.faults)[number]): fault is CallbackFault =>
    !isAnswerFault(fault);
  return { ...keptJob, order, callback, contents, faults: keptJob.faults.filter(isForCallback) };
}

function draftOf(order: Order, callback: Callback, content: KeptContent): CallbackDraft {
  const { timestampMilliseconds, result, plaintext, hasNumericId } = content;
  return {
    profile: order.merchant.profile,
    id: callback.id,
    merchantId: order.merchant.merchantId,
    eventName: callback.eventName,
    timestampMilliseconds,
    result,
    ...(plaintext === undefined ? {} : { plaintext }),
    ...(hasNumericId === undefined ? {} : { hasNumericId }),
    ...sealingKeys(order),
  };
}
