import { randomUUID } from "node:crypto";
import { sha256Of } from "../../shared/sha256.ts";
import type { AuditDetails } from "../audit/write-audit.ts";
import type { HeldMessage } from "../dead-letters/held-message.ts";
import { type MessageQueue, openQueue } from "../dead-letters/message-queue.ts";
import {
  type Verdict,
  type Walk,
  type WalkOptions,
  walkQueue,
} from "../dead-letters/walk-queue.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../target/target.ts";
import { type Candidate, type CandidateRecord, candidateOf } from "./candidate.ts";
import { describeFinding, kindOf } from "./describe-finding.ts";
import { findingOfLetter, findingOfRecord } from "./find-record.ts";
import { isForGone, type QuarantineRedrivePlan } from "./plan-redrive.ts";
import type { Finding, QuarantinedItem, RecordKey } from "./quarantined-item.ts";

/** The audit line names so many ids; a log event has a maximum size. */
const mostAuditedIds = 1_000;

/** An item that was sent to the inbox, and its record as it was just before. */
export interface SentItem {
  readonly item: QuarantinedItem;
  readonly key: RecordKey | undefined;
  readonly recordedAt: string | undefined;
}

export interface QuarantineRedriven {
  readonly sent: readonly SentItem[];
  /** Chosen items that were not sent, because the redrive ended early or they were processed meanwhile. */
  readonly notSent: number;
  /** Chosen items whose dead letter came after the redrive began. They stay. */
  readonly newLetters: number;
  readonly end: Walk["end"];
  readonly failure?: unknown;
}

/**
 * Sends the chosen messages to the inbox again, each once. First what is in the dead letters: receive, send, delete, in
 * that order. Then the records without a dead letter. What fails in the middle is in `failure`.
 */
export async function redriveQuarantine(
  target: Target,
  plan: QuarantineRedrivePlan,
  options: WalkOptions = {},
): Promise<QuarantineRedriven> {
  const run = startRun(target, plan);
  const { ids } = plan;
  await target.audit("quarantine-redrive", { run: run.name, ...auditOf(plan) });
  const letters = openQueue(target, target.inbox.deadLettersUrl);
  const walk = await walkQueue(letters, (letter) => visitLetter(run, letter), {
    ...options,
    onProgress: () => options.onProgress?.(run.sent.size),
  });
  const rest = walk.end === "failed" ? walk : await sendRecords(run, options);
  const end = walk.end === "empty" ? rest.end : walk.end;
  const sent = [...run.sent.values()];
  const notSent = ids.filter((id) => !run.sent.has(id)).length;
  return { sent, notSent, newLetters: run.newLetters.size, end, failure: rest.failure };
}

/** The selection as it was given: a filter may also choose letters that were hidden when the ids were listed. */
function auditOf({ ids, selection }: QuarantineRedrivePlan): AuditDetails {
  const planned = { count: ids.length, ids: ids.slice(0, mostAuditedIds) };
  const isByIds = "ids" in selection;
  const { ids: _ids, ...fields } = isByIds ? selection : { ...selection.filter, ids: [] };
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const filter = given.length === 0 ? "all" : given.map(([name]) => name).join(" and ");
  return { selection: isByIds ? "ids" : filter, ...Object.fromEntries(given), ...planned };
}

interface Run {
  readonly name: string;
  readonly target: Target;
  readonly inbox: MessageQueue;
  readonly isChosen: (candidate: Candidate) => boolean;
  /** The chosen records of each group. */
  readonly records: Map<string, readonly CandidateRecord[]>;
  readonly sent: Map<string, SentItem>;
  /** Items whose letter is being sent or was sent: two copies may be in different groups. */
  readonly begun: Set<string>;
  /** Letters that are newer than this came during the run. */
  readonly beganMilliseconds: number;
  readonly newLetters: Set<string>;
}

function startRun(target: Target, plan: QuarantineRedrivePlan): Run {
  const records = new Map<string, readonly CandidateRecord[]>();
  for (const record of plan.records) {
    records.set(record.group, [...(records.get(record.group) ?? []), record]);
  }
  return {
    name: randomUUID(),
    target,
    inbox: openQueue(target, target.inbox.url),
    isChosen: plan.isChosen,
    records,
    sent: new Map(),
    begun: new Set(),
    beganMilliseconds: Math.max(Date.now(), plan.newestLetterMilliseconds),
    newLetters: new Set(),
  };
}

async function visitLetter(run: Run, letter: HeldMessage): Promise<Verdict> {
  const finding = await findingOfLetter(run.target, letter);
  if (!run.isChosen(candidateOf(run.target, finding))) return "kept";
  if (letter.sentAtMilliseconds > run.beganMilliseconds) {
    if (!run.sent.has(finding.id)) run.newLetters.add(finding.id);
    return "kept";
  }
  const before = run.sent.get(finding.id);
  if (before !== undefined) return isOldLetter(finding, before) ? "moved" : "kept";
  if (run.begun.has(finding.id)) return "kept";
  run.begun.add(finding.id);
  await sendEarlierRecords(run, finding);
  await send(run, finding);
  return "moved";
}

/**
 * Whether a letter of an item that this run has sent is from before. process-callback writes the record before it sends
 * a new dead letter, so a letter is old if the record is as it was, or says that the item was processed.
 */
function isOldLetter(finding: Finding, { recordedAt }: SentItem): boolean {
  const kind = kindOf(finding);
  if (kind === "processed") return true;
  return kind === "quarantined" && finding.record?.recordedAt === recordedAt;
}

/** Within a group, what was received earlier is sent earlier, wherever it lies in the dead letters. */
async function sendEarlierRecords(run: Run, { letter, message }: Finding): Promise<void> {
  const group = letter?.group;
  const until = message?.receivedAtMilliseconds;
  if (group === undefined || until === undefined) return;
  await sendGroup(run, run.records.get(group) ?? [], until);
}

async function sendGroup(
  run: Run,
  records: readonly CandidateRecord[],
  untilMilliseconds: number,
): Promise<void> {
  const loaded = await fewAtOnce(records, ({ key }) => findingOfRecord(run.target, key));
  const due = loaded
    .filter((finding) => finding !== undefined)
    .filter((finding) => receivedAt(finding) < untilMilliseconds && !run.sent.has(finding.id))
    .sort((one, other) => receivedAt(one) - receivedAt(other));
  for (const finding of due) if (isOpen(run, finding)) await send(run, finding);
}

/** It may have been processed since the plan was made. */
function isOpen({ target }: Run, finding: Finding): boolean {
  const kind = kindOf(finding);
  if (kind === "undeliverable") return !isForGone(describeFinding(target, finding));
  return kind === "quarantined";
}

function receivedAt({ message }: Finding): number {
  return message?.receivedAtMilliseconds ?? 0;
}

async function sendRecords(
  run: Run,
  { stopped, onProgress }: WalkOptions,
): Promise<Pick<Walk, "end" | "failure">> {
  try {
    await fewAtOnce([...run.records.values()], async (records) => {
      if (stopped?.aborted === true) return;
      const withoutLetter = records.filter(({ hasLetter }) => !hasLetter);
      await sendGroup(run, withoutLetter, Number.POSITIVE_INFINITY);
      onProgress?.(run.sent.size);
    });
    return { end: stopped?.aborted === true ? "stopped" : "empty" };
  } catch (failure) {
    return { end: "failed", failure };
  }
}

/** The record is the truth; a message without one is sent as it lies in the queue. */
async function send(run: Run, finding: Finding): Promise<void> {
  const { id, key, letter, record } = finding;
  const deduplicationId = sha256Of("redrive", run.name, id);
  const order = { group: record?.group ?? letter?.group ?? id, deduplicationId };
  const body = record?.message ?? letter?.body ?? "";
  await run.inbox.send({ body, attributes: {}, order });
  const item = describeFinding(run.target, finding);
  run.sent.set(id, { item, key, recordedAt: record?.recordedAt });
}
