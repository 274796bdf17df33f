import type { Job } from "../callbacks/job.ts";
import type { Order } from "../orders/order.ts";
import type { Service } from "../service/service.ts";
import { callbackToKeep, restoreCallback } from "./kept-callback.ts";
import { orderOf } from "./kept-order.ts";
import { ordersText, readOrdersFile, writeOrdersFile } from "./orders-file.ts";

/** A process that is killed loses at most the changes of this time. */
const saveEveryMilliseconds = 2_000;

export interface OrderKeeper {
  /** Saves the last changes. The service must have stopped. */
  stop(): void;
}

/**
 * Keeps orders, refunds and callbacks from one start to the next. While the simulator is stopped its clock goes on in real
 * time, and what became due is done at the next start. Faults are not kept: every start begins without them.
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
    // Also if no order changed: the clock may be ahead by now.
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
  service.clock.step(kept.aheadMilliseconds);
  const known = kept.orders.flatMap((one) => {
    const merchant = service.merchants.get(one.merchantId);
    return merchant === undefined ? [] : [{ kept: one, order: orderOf(one, merchant) }];
  });
  const unknown = kept.orders.length - known.length;
  if (unknown > 0)
    service.log(`${unknown} kept orders are of merchants that are gone. They are dropped.`);
  for (const { kept: one, order } of known) {
    service.restore(order);
    const jobs = one.callbacks.map((callback) => restoreCallback(order, callback));
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

function orderToKeep({ merchant, ...order }: Order, jobs: ReadonlyMap<string, Job>): object {
  return {
    ...order,
    merchantId: merchant.merchantId,
    callbacks: order.callbacks.map((one) => callbackToKeep(one, jobs.get(one.id))),
  };
}
