import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import type { Service } from "../service/service.ts";
import { keptOrderSchema, orderToKeep, restoreCallback } from "./kept-order.ts";

/** A killed process loses at most the changes of this time. */
const saveEveryMilliseconds = 2_000;

export interface OrderKeeper {
  /** Saves the last changes. The service must have stopped. */
  stop(): void;
}

/**
 * Stores orders, refunds and callbacks between starts. While the simulator is stopped its clock continues in real time,
 * and the next start does the work that became due. Faults are not stored: every start begins without them.
 */
export function keepOrders(service: Service, path: string): OrderKeeper {
  restore(service, path);
  let saved = "";
  const save = () => {
    const orders = ordersText(ordersToKeep(service));
    if (orders === saved) return;
    writeOrdersFile(path, service.clock.aheadMilliseconds, orders);
    saved = orders;
  };
  const timer = setInterval(() => orTell(save, service.log), saveEveryMilliseconds).unref();
  const stop = () => {
    clearInterval(timer);
    // Even if no order changed, because the clock may be ahead by now.
    saved = "";
    orTell(save, service.log);
  };
  return { stop };
}

/** A full disk must not stop the service. */
function orTell(save: () => void, tell: (line: string) => void): void {
  try {
    save();
  } catch (error) {
    tell(`The orders could not be saved: ${error instanceof Error ? error.message : error}`);
  }
}

function restore(service: Service, path: string): void {
  const kept = readOrdersFile(path, service.log);
  if (kept === undefined) return;
  service.clock.jump(kept.aheadMilliseconds);
  const known = kept.orders.flatMap((keptOrder) => {
    const merchant = service.merchants.get(keptOrder.merchantId);
    if (merchant === undefined) return [];
    const { merchantId: _id, callbacks, ...order } = keptOrder;
    return [{ order: { ...order, merchant, callbacks: [] }, callbacks }];
  });
  const unknown = kept.orders.length - known.length;
  if (unknown > 0)
    service.log(`Dropped kept orders of merchants that no longer exist: ${unknown}.`);
  for (const { order, callbacks } of known) {
    service.restore(order);
    const jobs = callbacks.map((callback) => restoreCallback(order, callback));
    for (const job of jobs) if (job !== undefined) service.callbacks.resume(job);
  }
}

function ordersToKeep({ payments, callbacks }: Service): object[] {
  const jobs = new Map([...callbacks.jobs()].map((job) => [job.callback.id, job]));
  return payments
    .list()
    .reverse()
    .map((order) => orderToKeep(order, jobs));
}

const fileSchema = z.object({
  version: z.literal(1),
  /** How far the simulator's clock was ahead of real time. */
  aheadMilliseconds: z.number(),
  /** Oldest first. */
  orders: z.array(keptOrderSchema),
});

/** Undefined if there is no file. An unreadable file is renamed, so that a person can inspect it. */
function readOrdersFile(path: string, tell: (line: string) => void) {
  if (!existsSync(path)) return undefined;
  try {
    return fileSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    const aside = `${path}.broken-${Date.now()}`;
    renameSync(path, aside);
    tell(
      `The kept orders could not be read. The simulator starts without orders, and the file is now ${aside}.`,
    );
    return undefined;
  }
}

/** Writes to a temporary name, then renames: after a crash the file is the old one or the new one, never incomplete. */
function writeOrdersFile(path: string, aheadMilliseconds: number, orders: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const text = `{"version":1,"aheadMilliseconds":${aheadMilliseconds},"orders":${orders}}\n`;
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function ordersText(orders: readonly object[]): string {
  return JSON.stringify(orders, (_name, value: unknown) => {
    if (typeof value === "bigint") return value.toString();
    return value === undefined ? null : value;
  });
}
