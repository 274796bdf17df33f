import * as z from "zod/mini";
import { type CatchUp, catchUp } from "../shared/fan-out/catch-up.ts";
import { type FanOut, fanOutEvent } from "../shared/fan-out/fan-out-event.ts";
import { createEventSender } from "../shared/fan-out/send-event.ts";
import { subscriberSchema } from "../shared/fan-out/subscriber.ts";
import { inLanes } from "../shared/in-lanes.ts";
import { loadOrder } from "../shared/orders/load-order.ts";
import { jsonVariable, readEnvironment } from "../shared/read-environment.ts";
import { markCaughtUp, postpone } from "../shared/records/mark-delivery.ts";
import {
  dueEntries,
  loadRecord,
  oldestPendingAt,
  type PendingEntry,
} from "../shared/records/pending-records.ts";
import { createDynamoDbClient } from "../shared/table/dynamodb-client.ts";
import { createLog, errorFields, type WriteLine } from "../shared/telemetry/log-line.ts";

interface DeliverPending {
  readonly catchUp: CatchUp;
  readonly dueEntries: () => AsyncIterable<readonly PendingEntry[]>;
  readonly oldestPendingAt: () => Promise<number | undefined>;
  readonly now: () => number;
  readonly log: WriteLine;
}

/** A run ends before the next begins. */
const longestRunMilliseconds = 40_000;
const mostOrdersAtOnce = 16;
/** A subscriber that has failed this often in a run is left alone until the next. */
const failuresUntilPause = 3;

/** Sends what could not be sent before, the oldest first, for as long as a run may take. */
export async function deliverPending(deps: DeliverPending): Promise<void> {
  const startedAt = deps.now();
  const run: Run = { delivered: 0, gone: 0, failures: new Map(), errors: new Set() };
  const hasTime = () => deps.now() - startedAt < longestRunMilliseconds;
  for await (const page of deps.dueEntries()) {
    await inLanes(
      page,
      (entry) => entry.orderKey,
      mostOrdersAtOnce,
      async (entry) => {
        if (!hasTime()) return false;
        return await attempt(entry, run, deps);
      },
    );
    if (!hasTime()) break;
  }
  await report(run, startedAt, deps);
}

interface Run {
  delivered: number;
  gone: number;
  readonly failures: Map<string, number>;
  readonly errors: Set<string>;
}

/** A write that fails leaves the entry as it is: it comes up again, and its repeat has the same id and bytes. */
async function attempt(entry: PendingEntry, run: Run, deps: DeliverPending): Promise<boolean> {
  try {
    count(run, await catchUp(entry, pausedIn(run), deps.catchUp), deps);
    return true;
  } catch (error) {
    deps.log({ outcome: "failed", ...errorFields(error) }, { Failed: 1 });
    return false;
  }
}

function pausedIn(run: Run): ReadonlySet<string> {
  const failed = [...run.failures].filter(([, failures]) => failures >= failuresUntilPause);
  return new Set(failed.map(([name]) => name));
}

function count(run: Run, { delivered, failed, gone, errors }: FanOut, deps: DeliverPending): void {
  run.delivered += delivered.length;
  run.gone += gone.length;
  for (const name of failed) run.failures.set(name, (run.failures.get(name) ?? 0) + 1);
  for (const name of errors) run.errors.add(name);
  for (const subscriber of gone) deps.log({ outcome: "subscriber-gone", subscriber });
}

async function report(run: Run, startedAt: number, deps: DeliverPending): Promise<void> {
  const oldest = await deps.oldestPendingAt();
  const now = deps.now();
  const oldestSeconds = oldest === undefined ? 0 : Math.max(0, Math.round((now - oldest) / 1000));
  const failing = [...run.failures.keys()];
  deps.log(
    {
      outcome: "ran",
      subscribers: failing,
      errorName: [...run.errors].join(", ") || undefined,
      durationMilliseconds: now - startedAt,
    },
    {
      Delivered: run.delivered,
      SubscribersFailing: failing.length,
      SubscriberGone: run.gone,
      OldestPendingSeconds: oldestSeconds,
    },
  );
}

const environmentSchema = z.object({
  CALLBACKS_TABLE: z.string(),
  ORDERS_TABLE: z.string(),
  SUBSCRIBERS: jsonVariable(z.array(subscriberSchema)),
  METRICS_NAMESPACE: z.string(),
});

function wire(): () => Promise<void> {
  const env = readEnvironment(environmentSchema, process.env);
  const now = Date.now;
  const dynamodb = createDynamoDbClient();
  const sendEvent = createEventSender();
  const tables = { callbacks: env.CALLBACKS_TABLE, orders: env.ORDERS_TABLE };
  const deps: DeliverPending = {
    catchUp: {
      loadRecord: (entry) => loadRecord(dynamodb, tables.callbacks, entry),
      loadOrder: (orderKey) => loadOrder(dynamodb, tables.orders, orderKey),
      fanOut: (record, names) => fanOutEvent(record, names, env.SUBSCRIBERS, sendEvent),
      markCaughtUp: (record, done, adoptedBy) =>
        markCaughtUp(dynamodb, tables, record, done, adoptedBy),
      postpone: (record) => postpone(dynamodb, tables, record, now()),
      now,
    },
    dueEntries: () => dueEntries(dynamodb, tables.callbacks, now()),
    oldestPendingAt: () => oldestPendingAt(dynamodb, tables.callbacks),
    now,
    log: createLog({ service: "deliver-pending", namespace: env.METRICS_NAMESPACE, now }),
  };
  return () => deliverPending(deps);
}

export const handler = wire();
