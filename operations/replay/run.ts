import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { Target } from "../target/target.ts";
import type { ReplayPlan } from "./plan-replay.ts";
import { selectionSchema } from "./selection.ts";

/** What happened to the events up to the position. */
const countsSchema = z.object({
  sent: z.int(),
  /** Not delivered to the subscriber for the first time yet: left to the normal way. */
  pending: z.int(),
  /** The record expired or was deleted after the plan was made. */
  gone: z.int(),
  /** The subscriber's filter changed after the plan was made. */
  unwanted: z.int(),
});

/** A replay: what it sends, and how far it is. Its file is enough to go on after a crash. */
export const runSchema = z.object({
  run: z.string(),
  startedAt: z.string(),
  target: z.object({ kind: z.enum(["local", "deployed"]), name: z.string(), region: z.string() }),
  subscriber: z.string(),
  queueUrl: z.string(),
  selection: selectionSchema,
  eventsPerSecond: z.number(),
  events: z.int(),
  /** So many events of the list are dealt with. */
  position: z.int(),
  counts: countsSchema,
});

export type Run = z.output<typeof runSchema>;
export type RunCounts = z.output<typeof countsSchema>;

export function newRun(
  { kind, name, region }: Target,
  { subscriber, selection, entries }: ReplayPlan,
  eventsPerSecond: number,
  now: () => number = Date.now,
): Run {
  const startedAt = new Date(now()).toISOString();
  return {
    run: newRunId(startedAt),
    startedAt,
    target: { kind, name, region },
    subscriber: subscriber.name,
    queueUrl: subscriber.queueUrl,
    selection,
    eventsPerSecond,
    events: entries.length,
    position: 0,
    counts: { sent: 0, pending: 0, gone: 0, unwanted: 0 },
  };
}

/** "20261115-101026-3f9a2c": people read when it was, and two runs of one second differ. */
function newRunId(startedAt: string): string {
  const digits = startedAt.replace(/\D/g, "");
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${randomBytes(3).toString("hex")}`;
}

/** The id becomes part of a file's name, so nothing else is accepted as one. */
export function isRunId(text: string): boolean {
  return /^\d{8}-\d{6}-[0-9a-f]{6}$/.test(text);
}

export function isFinished({ position, events }: Run): boolean {
  return position >= events;
}
