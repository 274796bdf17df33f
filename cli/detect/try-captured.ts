import { Buffer } from "node:buffer";
import type { CapturedEnvelope } from "../../operations/captured/read-captured.ts";
import { InputError } from "../frame/command.ts";
import { readCapture } from "./capture.ts";
import type { SearchKeys } from "./keys.ts";
import { detect, type Report } from "./report.ts";

/** The captured envelopes of one merchant that were refused for one reason. */
export interface CapturedGroup {
  readonly merchantId: string;
  readonly reason: string;
  readonly count: number;
  readonly newestAt: string;
  /** How many were tried, the newest first, until one fitted. */
  readonly tried: number;
  /** Of the one that fits, otherwise of the newest one; undefined if none is an envelope. */
  readonly report?: Report;
  /** When the envelope of the report was received. */
  readonly receivedAt?: string;
  /** The secret has the profile that fits: it was stored after the callback was refused. */
  readonly isStored?: boolean;
}

/** A search takes up to a second. Envelopes of one sender and reason mostly say the same, so senders take turns. */
const mostTries = 60;
const mostTriesOfSender = 5;

/** The newest envelope, and all of the group with it. */
interface Group {
  readonly newest: CapturedEnvelope;
  readonly envelopes: CapturedEnvelope[];
}

/** Takes the envelopes with the newest first, and keeps this order. */
export function groupCaptured(envelopes: readonly CapturedEnvelope[]): Group[] {
  const groups = new Map<string, Group>();
  for (const envelope of envelopes) {
    const key = JSON.stringify([envelope.merchantId, envelope.reason]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { newest: envelope, envelopes: [envelope] });
    else group.envelopes.push(envelope);
  }
  return [...groups.values()];
}

/** Tries a group's envelopes until one fits. */
export function tryGroup(
  { newest, envelopes }: Group,
  keys: SearchKeys,
  stopped: AbortSignal,
): CapturedGroup {
  const outcomes: TriedEnvelope[] = [];
  for (const envelope of inTurns(envelopes).slice(0, mostTries)) {
    if (stopped.aborted || outcomes.at(-1)?.report?.found) break;
    outcomes.push(tryOne(envelope, keys));
  }
  const reported = outcomes.filter(({ report }) => report !== undefined);
  const told = reported.find(({ report }) => report?.found) ?? reported[0];
  return {
    merchantId: newest.merchantId,
    reason: newest.reason,
    count: envelopes.length,
    newestAt: new Date(newest.receivedAtMilliseconds).toISOString(),
    tried: outcomes.length,
    ...(told?.report && { report: told.report, receivedAt: told.receivedAt }),
  };
}

/** The newest of each sender, then the second newest: forgeries from one address cannot hide the real callback. */
function inTurns(envelopes: readonly CapturedEnvelope[]): CapturedEnvelope[] {
  const turns = new Map<string, number>();
  const placed = envelopes.map((envelope) => {
    const turn = turns.get(envelope.sender) ?? 0;
    turns.set(envelope.sender, turn + 1);
    return { envelope, turn };
  });
  return placed
    .filter(({ turn }) => turn < mostTriesOfSender)
    .sort((one, other) => one.turn - other.turn)
    .map(({ envelope }) => envelope);
}

interface TriedEnvelope {
  readonly receivedAt: string;
  readonly report: Report | undefined;
}

function tryOne(
  { body, receivedAtMilliseconds }: CapturedEnvelope,
  keys: SearchKeys,
): TriedEnvelope {
  const receivedAt = new Date(receivedAtMilliseconds).toISOString();
  try {
    const capture = readCapture(Buffer.from(body), "callback");
    return { receivedAt, report: detect(capture, keys) };
  } catch (error) {
    if (error instanceof InputError) return { receivedAt, report: undefined };
    throw error;
  }
}
