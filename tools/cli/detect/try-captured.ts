import { Buffer } from "node:buffer";
import type { CapturedEnvelope } from "../../operations/captured/read-captured.ts";
import { InputError } from "../frame/command.ts";
import { type Capture, readCapture } from "./capture.ts";
import { noEnvelopeRow } from "./reasons.ts";
import type { Detected } from "./result-rows.ts";

/** The captured envelopes of one merchant that were rejected for one reason. */
export interface CapturedGroup {
  readonly merchantId: string;
  readonly reason: string;
  readonly count: number;
  /** The newest first, until one fitted. */
  readonly tried: readonly Tried[];
}

interface Tried extends Detected {
  readonly receivedAt: string;
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
  detect: (capture: Capture) => Detected,
  stopped: AbortSignal,
): CapturedGroup {
  const tried: Tried[] = [];
  for (const envelope of inTurns(envelopes).slice(0, mostTries)) {
    if (stopped.aborted || tried.at(-1)?.found) break;
    const receivedAt = new Date(envelope.receivedAtMilliseconds).toISOString();
    tried.push({ receivedAt, ...tryOne(envelope, detect) });
  }
  const { merchantId, reason } = newest;
  return { merchantId, reason, count: envelopes.length, tried };
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

function tryOne({ body }: CapturedEnvelope, detect: (capture: Capture) => Detected): Detected {
  try {
    return detect(readCapture(Buffer.from(body), "callback"));
  } catch (error) {
    if (error instanceof InputError)
      return { found: false, combinations: 0, rows: [noEnvelopeRow] };
    throw error;
  }
}
