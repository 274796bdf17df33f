import { join } from "node:path";
import { beforeEach } from "vitest";
import type { StoredEvent } from "../../../../tools/operations/records/read-records.ts";
import {
  createBatchSender,
  type SendBatch,
} from "../../../../tools/operations/replay/send-batch.ts";
import { type SendRun, sendRun } from "../../../../tools/operations/replay/send-run.ts";
import { useOperatedStack } from "../operated-stack.ts";
import {
  ownDay,
  prepared,
  type Recorded,
  received,
  record,
  timesOf,
  unwatched,
} from "./recorded-events.ts";

/** The local stack with recorded events and empty queues, and runs that replay them. */
export function useReplays() {
  const operated = useOperatedStack();
  const directory = join(operated.directory, "replays");
  const { target } = operated;
  beforeEach(async () => {
    for (const { name } of target().subscribers) await received(target(), name);
  });
  return {
    operated,
    directory,
    send: (id: string, deps: Partial<SendRun> = {}) =>
      sendRun(target(), id, { ...unwatched, ...deps }),
    prepare: (to: string, fields: Parameters<typeof prepared>[3]) =>
      prepared(target(), directory, to, fields),
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
    /** The subscriber's queue, which also tells what it got. */
    watchedSender: (to: string, run: string) => {
      const calls: StoredEvent[][] = [];
      const subscriber = target().subscribers.find(({ name }) => name === to)!;
      const really = createBatchSender(target().clients.sqs, subscriber, run);
      const sendBatch: SendBatch = async (events) => {
        calls.push([...events]);
        return await really(events);
      };
      return { calls, really, sendBatch };
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
