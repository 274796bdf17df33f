import { Buffer } from "node:buffer";
import type { CapturedEnvelope } from "../../operations/captured/read-captured.ts";
import { InputError } from "../frame/command.ts";
import { readCapture } from "./capture.ts";
import type { SearchKeys } from "./keys.ts";
import { detect, type Report } from "./report.ts";

/** The captured envelopes of one merchant that were rejected for one reason. */
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
  /** The secret has the profile that fits: it was stored after the callback was rejected. */
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
  let tried = 0;
  let summary: Pick<CapturedGroup, "report" | "receivedAt"> = {};
  for (const envelope of inTurns(envelopes).slice(0, mostTries)) {
    if (stopped.aborted || summary.report?.found) break;
    tried += 1;
    const report = tryOne(envelope, keys);
    if (report !== undefined && (report.found || summary.report === undefined)) {
      summary = { report, receivedAt: receivedAt(envelope) };
    }
  }
  const { merchantId, reason } = newest;
  return {
    merchantId,
    reason,
    count: envelopes.length,
    newestAt: receivedAt(newest),
    tried,
    ...summary,
  };
}

function receivedAt({ receivedAtMilliseconds }: CapturedEnvelope): string {
  return new Date(receivedAtMilliseconds).toISOString();
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
    .sort((left, right) => left.turn - right.turn)
    .map(({ envelope }) => envelope);
}

function tryOne({ body }: CapturedEnvelope, keys: SearchKeys): Report | undefined {
  try {
    return detect(readCapture(Buffer.from(body), "callback"), keys);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
