import { beforeEach } from "vitest";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import type { StoredEvent } from "../../../../tools/operations/records/read-records.ts";
import type { Selection } from "../../../../tools/operations/replay/selection.ts";
import {
  createBatchSender,
  type SendBatch,
} from "../../../../tools/operations/replay/send-batch.ts";
import { type SendReplay, sendReplay } from "../../../../tools/operations/replay/send-replay.ts";
import { useTarget } from "../use-target.ts";
import {
  ownDay,
  plan,
  type Recorded,
  received,
  record,
  timesOf,
  unwatched,
} from "./recorded-events.ts";

/** What a test reads from the report of a run. */
export interface SentData {
  readonly run: string;
  readonly events: number;
  readonly counts: Readonly<Record<"sent" | "pending" | "gone", number>>;
  readonly outcome: string;
  readonly continueWith?: string;
}

/** A target with recorded events and empty queues, and runs that replay them. */
export function useReplays() {
  const operated = useTarget();
  const { target } = operated;
  beforeEach(async () => {
    for (const { name } of target().queues.subscribers) await received(operated, name);
  });
  return {
    operated,
    prepare: (to: string, fields: Partial<Selection>) => plan(target(), to, fields),
    send: async (
      prepared: Awaited<ReturnType<typeof plan>>,
      deps: Partial<SendReplay> = {},
      on: Target = target(),
    ): Promise<SentData> => {
      const all = { ...unwatched, eventsPerSecond: 500, ...deps };
      return (await sendReplay(on, prepared, all)).data as SentData;
    },
    /** Events of so many orders, each with so many, in a time of their own. */
    recorded: async (orders: number, each: number, fields: Partial<Recorded> = {}) => {
      const day = ownDay();
      const events = timesOf(day, orders * each, 1_000).map((recordedAt, index) => ({
        orderNo: `order ${index % orders}`,
        sequence: Math.floor(index / orders) + 1,
        recordedAt,
        ...fields,
      }));
      const records = await record(target(), ...events);
      return { records, range: { since: day.since, until: day.until } };
    },
    /** The subscriber's queue behind something else, and what it was sent. */
    watchedSender: (
      to: string,
      sendBatch: (events: readonly StoredEvent[], really: SendBatch) => ReturnType<SendBatch>,
    ) => {
      const calls: StoredEvent[][] = [];
      const subscriber = target().queues.subscribers.find(({ name }) => name === to)!;
      const createSender = (run: string): SendBatch => {
        const really = createBatchSender(
          target().queues.open(subscriber.queueUrl),
          subscriber,
          run,
        );
        return async (events) => {
          calls.push([...events]);
          return await sendBatch(events, really);
        };
      };
      return { calls, createSender };
    },
  };
}

/** The sequences of each group in the order of arrival, repeats included. */
export function sequences(messages: Awaited<ReturnType<typeof received>>) {
  const byGroup: Record<string, number[]> = {};
  for (const { event } of messages) {
    byGroup[event.subject] = [...(byGroup[event.subject] ?? []), Number(event.sequence)];
  }
  return byGroup;
}
