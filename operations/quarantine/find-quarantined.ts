import type { HeldMessage } from "../dead-letters/held-message.ts";
import { openQueue } from "../dead-letters/message-queue.ts";
import { lookAtQueue, type WalkOptions } from "../dead-letters/walk-queue.ts";
import type { Target } from "../target/target.ts";
import { describeFinding, kindOf } from "./describe-finding.ts";
import { fewAtOnce } from "./few-at-once.ts";
import { findingOfLetter, findingOfRecord } from "./find-record.ts";
import type { Finding } from "./quarantined-item.ts";
import { type IndexedRecord, quarantinedRecords } from "./quarantined-records.ts";

/** Something that needs a person, before everything about it is read. */
export interface Candidate {
  readonly id: string;
  readonly at: string;
  readonly reason: string | undefined;
  readonly merchantId: string | undefined;
  readonly record: IndexedRecord | undefined;
  /** Undefined if it was processed or deleted since. */
  readonly load: () => Promise<Finding | undefined>;
}

export interface Quarantine {
  /** Newest first. */
  readonly candidates: readonly Candidate[];
  /** Dead letters that SQS did not show: they wait behind others of the same order, or somebody else holds them. */
  readonly hiddenLetters: number;
  readonly stopped: boolean;
  /** When SQS got the newest of the letters that were seen; 0 if there were none. */
  readonly newestLetterMilliseconds: number;
}

/** Everything that needs a person, each thing once. Looking counts as a receive of each dead letter. */
export async function findQuarantined(
  target: Target,
  options: WalkOptions = {},
): Promise<Quarantine> {
  const queue = openQueue(target, target.inbox.deadLettersUrl);
  const { visible, inFlight } = await queue.count();
  const letters: HeldMessage[] = [];
  const { end } = await lookAtQueue(queue, (letter) => void letters.push(letter), options);
  const findings = await fewAtOnce(letters, (letter) => findingOfLetter(target, letter));
  const inQueue = new Map(findings.map((one) => [one.id, candidateOfLetter(target, one)]));
  const records = await quarantinedRecords(target);
  const inTable = records.filter(({ id }) => !inQueue.has(id));
  const candidates = [
    ...inQueue.values(),
    ...inTable.map((record) => candidateOfRecord(target, record)),
  ];
  return {
    candidates: candidates.sort((one, other) => other.at.localeCompare(one.at)),
    hiddenLetters: Math.max(0, visible + inFlight - letters.length),
    stopped: end === "stopped",
    newestLetterMilliseconds: letters.reduce(newest, 0),
  };
}

function newest(soFar: number, { sentAtMilliseconds }: HeldMessage): number {
  return Math.max(soFar, sentAtMilliseconds);
}

/** Everything about some candidates, in their order, without those that were processed meanwhile. */
export async function loadFindings(candidates: readonly Candidate[]): Promise<readonly Finding[]> {
  const loaded = await fewAtOnce(candidates, ({ load }) => load());
  return loaded.filter((finding) => finding !== undefined);
}

function candidateOfLetter(target: Target, finding: Finding): Candidate {
  const { id, at, reason, merchantId } = describeFinding(target, finding);
  return { id, at, reason, merchantId, record: undefined, load: async () => finding };
}

function candidateOfRecord(target: Target, record: IndexedRecord): Candidate {
  const { id, at, reason, merchantId } = record;
  const load = async () => {
    const finding = await findingOfRecord(target, record.key);
    // The index is a moment behind: the record may have been processed just now.
    return finding && kindOf(finding) === "quarantined" ? finding : undefined;
  };
  return { id, at, reason, merchantId, record, load };
}
