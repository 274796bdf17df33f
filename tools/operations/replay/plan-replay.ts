import * as z from "zod";
import { subscribersTo } from "../../../shared/delivery/subscriber.ts";
import { matchesPattern } from "../../../shared/facts/event-types.ts";
import type { Work } from "../described/description.ts";
import { findSubscriber, type StackSubscriber } from "../ports/queues.ts";
import type { Target } from "../ports/target.ts";
import { hourOf } from "../records/events-by-time.ts";
import { findEvents, isOfAggregates } from "../records/find-events.ts";
import { type EventEntry, type FoundEntry, loadEvent } from "../records/read-records.ts";
import type { Selection } from "./selection.ts";

interface SampleEvent {
  readonly recordedAt: string;
  readonly type: string;
  readonly subject: string | undefined;
  readonly sequence: number;
  readonly id: string;
}

/** What a replay would send: counts and some examples. The events themselves are read again when they are sent. */
export interface ReplayPlan {
  readonly subscriber: StackSubscriber;
  readonly selection: Selection;
  readonly events: number;
  /** The hours in which these events were recorded, in ascending order, counted from 1970. */
  readonly hours: readonly number[];
  /** Events of the selection that the subscriber's filter excludes. */
  readonly unwanted: number;
  /**
   * Events whose first delivery to the subscriber is still open. They are skipped. Undefined for a range of time, where
   * only sending finds them: then `events` is the most that is sent.
   */
  readonly pending: number | undefined;
  readonly byType: Readonly<Record<string, number>>;
  readonly first: string | undefined;
  readonly last: string | undefined;
  /** The earliest ones. */
  readonly sample: readonly SampleEvent[];
}

/** Counts what a replay would send. Sends nothing. Throws `not-found`, or the reason of `stopped`. */
export async function planReplay(
  target: Pick<Target, "stack" | "orders" | "records" | "queues">,
  to: string,
  selection: Selection,
  work: Work,
): Promise<ReplayPlan> {
  const subscriber = findSubscriber(target.queues, to);
  const counting = createCounting(to);
  const found = ({ pending = [], ...entry }: FoundEntry) => {
    if (isSelected(selection, entry)) counting.add(entry, pending, isWanted(subscriber, entry));
  };
  await findEvents({ target, found, ...work }, selection);
  const { pending, earliest, ...counted } = counting.result();
  return {
    subscriber,
    selection,
    ...counted,
    pending: isOfAggregates(selection) ? pending : undefined,
    sample: await readSample(target, earliest),
  };
}

const mostSampled = 5;

/** Keeps counts, and of the events only the earliest: a long range has more than fit into memory. */
function createCounting(to: string) {
  const byType: Record<string, number> = {};
  const hours = new Set<number>();
  let [events, unwanted, pending] = [0, 0, 0];
  let last: string | undefined;
  let earliest: readonly EventEntry[] = [];
  return {
    add: (entry: EventEntry, waiting: readonly string[], wanted: boolean) => {
      if (!wanted) unwanted += 1;
      else if (waiting.includes(to)) pending += 1;
      else {
        events += 1;
        byType[entry.type] = (byType[entry.type] ?? 0) + 1;
        hours.add(hourOf(Date.parse(entry.recordedAt)));
        if (last === undefined || entry.recordedAt > last) last = entry.recordedAt;
        earliest = withEarlier(earliest, entry);
      }
    },
    result: () => ({
      events,
      unwanted,
      pending,
      byType,
      first: earliest[0]?.recordedAt,
      last,
      earliest,
      hours: [...hours].sort((hour, other) => hour - other),
    }),
  };
}

function withEarlier(earliest: readonly EventEntry[], entry: EventEntry): readonly EventEntry[] {
  const latest = earliest.at(mostSampled - 1);
  if (latest !== undefined && latest.recordedAt <= entry.recordedAt) return earliest;
  return [...earliest, entry]
    .sort((event, other) => compareTexts(event.recordedAt, other.recordedAt))
    .slice(0, mostSampled);
}

export function compareTexts(text: string, other: string): number {
  if (text === other) return 0;
  return text < other ? -1 : 1;
}

export function isSelected({ types, merchantId }: Selection, entry: EventEntry): boolean {
  const isOfType = types.length === 0 || types.some((type) => matchesPattern(entry.type, type));
  return isOfType && (merchantId === undefined || merchantId === entry.merchantId);
}

/** Whether the subscriber would get the event live, with the filter that the functions run with now. */
export function isWanted(
  subscriber: StackSubscriber,
  event: Pick<EventEntry, "type" | "merchantId">,
): boolean {
  return subscribersTo(event, [subscriber]).length > 0;
}

const subjectSchema = z.object({ subject: z.string().optional() });

async function readSample(
  target: Pick<Target, "records">,
  entries: readonly EventEntry[],
): Promise<SampleEvent[]> {
  const reads = entries.map(async (entry) => {
    const stored = await loadEvent(target, entry);
    if (stored === undefined) return [];
    const { subject } = subjectSchema.parse(JSON.parse(stored.event));
    const { recordedAt, type, sequence, factId: id } = stored;
    return [{ recordedAt, type, subject, sequence, id }];
  });
  return (await Promise.all(reads)).flat();
}
