import { Buffer } from "node:buffer";
import type { CapturedMessage } from "../../shared/receiving/captured-message.ts";
import { InputError } from "../frame/command.ts";
import { type Capture, readCapture } from "./capture.ts";
import type { SearchKeys } from "./keys.ts";
import { makeReport, type Report } from "./report.ts";
import { searchProfiles } from "./search-profiles.ts";

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

/** A search takes about a second, and envelopes refused for the same reason mostly say the same. */
const mostTries = 5;

/** The newest envelope, and all of the group with it. */
interface Group {
  readonly newest: CapturedMessage;
  readonly envelopes: CapturedMessage[];
}

/** Takes the envelopes with the newest first, and keeps this order. */
export function groupCaptured(envelopes: readonly CapturedMessage[]): Group[] {
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
  const outcomes: Outcome[] = [];
  for (const envelope of envelopes.slice(0, mostTries)) {
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

interface Outcome {
  readonly receivedAt: string;
  readonly report: Report | undefined;
}

function tryOne({ body, receivedAtMilliseconds }: CapturedMessage, keys: SearchKeys): Outcome {
  const receivedAt = new Date(receivedAtMilliseconds).toISOString();
  const capture = readBody(body);
  if (capture === undefined) return { receivedAt, report: undefined };
  const startedAt = performance.now();
  const result = searchProfiles(capture, keys);
  const seconds = (performance.now() - startedAt) / 1000;
  return { receivedAt, report: makeReport(result, capture, keys, seconds) };
}

function readBody(body: string): Capture | undefined {
  try {
    return readCapture(Buffer.from(body), "callback");
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
