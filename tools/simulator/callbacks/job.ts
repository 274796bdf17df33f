import { randomUUID } from "node:crypto";
import { type CallbackFault, isForgeryFault } from "../faults/fault.ts";
import { contradict, sealForged } from "../faults/spoil-callback.ts";
import type { Callback, Order } from "../orders/order.ts";
import { type CallbackDraft, type ResultObject, sealCallback } from "../wire/callback-envelope.ts";

/** `identical`: a retry repeats the first envelope. `resealed`: new timestamp and signature, same id and content. */
export type Retries = "identical" | "resealed";

/** A callback with an address, and everything needed to send it again. */
export interface Job {
  readonly order: Order;
  readonly callback: Callback;
  readonly url: string;
  readonly faults: readonly CallbackFault[];
  /** The content of the first attempt. With the fault "conflicting-callback", a second draft contradicts the first. */
  readonly contents: readonly Content[];
  firstMilliseconds: number;
  /** `tries` counts all attempts, `scheduledTries` only those of the retry schedule. */
  tries: number;
  scheduledTries: number;
}

export interface Content {
  readonly draft: CallbackDraft;
  readonly sealed: string;
}

/** One envelope of an attempt, and its faults. */
export interface Parcel {
  readonly envelope: string;
  readonly faults: readonly string[];
}

export function contentsOf(draft: CallbackDraft, faults: readonly CallbackFault[]): Content[] {
  const conflict = faults.find((fault) => fault.kind === "conflicting-callback");
  const drafts = conflict === undefined ? [draft] : [draft, contradict(draft, conflict)];
  return drafts.map((content) => ({ draft: content, sealed: sealCallback(content) }));
}

/** The envelopes of the next attempt, in the order in which they are sent. */
export async function nextParcels(
  job: Job,
  retries: Retries,
  nowMilliseconds: number,
): Promise<Parcel[]> {
  const forgeries = job.faults
    .filter(isForgeryFault)
    .filter(({ attempts }) => attempts > job.tries);
  const [first] = job.contents;
  const draftFor = ({ draft }: Content): CallbackDraft =>
    retries === "identical"
      ? draft
      : { ...draft, timestampMilliseconds: nowMilliseconds, ...sealingKeys(job.order) };
  if (forgeries.length > 0 && first !== undefined) {
    const envelope = await sealForged(draftFor(first), forgeries);
    return [{ envelope, faults: forgeries.map(({ kind }) => kind) }];
  }
  return job.contents.map((content, index) => ({
    envelope: retries === "identical" ? content.sealed : sealCallback(draftFor(content)),
    faults: index === 0 ? [] : ["conflicting-callback"],
  }));
}

export function newDraft(
  order: Order,
  eventName: string,
  result: ResultObject,
  timestampMilliseconds: number,
): CallbackDraft {
  const { merchantId, profile } = order.merchant;
  return {
    profile,
    id: randomUUID(),
    merchantId,
    eventName,
    timestampMilliseconds,
    result,
    ...sealingKeys(order),
  };
}

export function sealingKeys({ merchant }: Order): Pick<CallbackDraft, "signingKey" | "aesKey"> {
  return { signingKey: merchant.sealing.servicePrivateKey, aesKey: merchant.sealing.aesKey };
}
