import { setTimeout as pause } from "node:timers/promises";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { makeOrder, newOrderNo } from "../../operations/calling/local-orders.ts";
import {
  controlService,
  type FaultRequest,
  type ServiceControl,
} from "../../operations/calling/service-control.ts";
import { isAvailable } from "../../operations/ports/available.ts";
import type { Target } from "../../operations/ports/target.ts";
import { readOrderTimeline } from "../../operations/timeline/order-timeline.ts";
import type { Lab } from "../console-context.ts";

/** Identifies an order. */
export interface OrderName {
  readonly merchantId: string;
  readonly orderNo: string;
}

export interface TourOrder extends OrderName {
  readonly paymentId: string;
}

export type Playground = Awaited<ReturnType<typeof openPlayground>>;

export interface PlaygroundOptions {
  readonly target: Target;
  readonly lab: Lab;
  readonly stopped: AbortSignal;
  readonly clockSpeed: number;
  /** Longer than any step takes on a busy machine. */
  readonly patienceMilliseconds?: number;
}

const usualPatienceMilliseconds = 100_000;
const askEveryMilliseconds = 100;

/**
 * What a scenario works with. Everything that it switches on is switched off when it ends, even if it fails or is
 * stopped. After a stop, the running step can start nothing new. The payment service's clock runs at the scenario's
 * speed until `clearUp`.
 */
export async function openPlayground(options: PlaygroundOptions) {
  const { target, lab, stopped } = options;
  const { local } = target.stack;
  if (!isAvailable(local)) throw notLocal();
  const anyTime = controlService(local.simulator);
  const service = controlService(local.simulator, async (...request) => {
    stopped.throwIfAborted();
    return await fetch(...request);
  });
  const changes = rememberChanges();
  /** The orders that the scenario has created so far. */
  const orders: TourOrder[] = [];
  stopped.throwIfAborted();
  await changes.add(await borrowClock(anyTime, options.clockSpeed));
  await sendConsumersAway(lab, changes.add);
  return {
    target,
    lab,
    service,
    orders,
    startedMilliseconds: Date.now(),
    newOrderNo: () => newOrderNo("TOUR"),
    /** Creates an order through Paycast's API. */
    order: async (orderNo = newOrderNo("TOUR")) => {
      stopped.throwIfAborted();
      const { merchantId, paymentId } = await makeOrder(target, { orderNo });
      const order = { merchantId, orderNo, paymentId };
      orders.push(order);
      return order;
    },
    pay: ({ paymentId }: TourOrder) => service.act(paymentId, "pay"),
    /** Always for one order, so that it affects no other order. */
    fault: async (fault: FaultRequest & { readonly orderNo: string }) => {
      const id = await service.addFault(fault);
      await changes.add(() => anyTime.removeFault(id));
    },
    breakQueue: async (subscriber: string) => {
      stopped.throwIfAborted();
      lab.setBroken(subscriber, true);
      await changes.add(() => lab.setBroken(subscriber, false));
    },
    timeline: ({ merchantId, orderNo }: OrderName) =>
      readOrderTimeline(target, orderNo, merchantId),
    payment: ({ paymentId }: TourOrder) => service.payment(paymentId),
    /** Polls until there is a result. Throws after a timeout, and immediately if the tour is stopped. */
    until: <T>(what: string, ask: () => Promise<T | undefined>) => askUntil(what, ask, options),
    /** Registers work for the end, in reverse order of registration. */
    atEnd: (work: (service: ServiceControl) => Promise<void>) => changes.add(() => work(anyTime)),
    /** Undoes everything in reverse order. */
    clearUp: changes.undoAll,
  };
}

type Undo = () => Promise<void> | void;

/** A stopped step may still be running during the undo. What it changes then is undone immediately. */
function rememberChanges() {
  const undo: Undo[] = [];
  let isOver = false;
  return {
    add: async (undoChange: Undo) => {
      if (isOver) await undoChange();
      else undo.push(undoChange);
    },
    undoAll: async () => {
      isOver = true;
      for (const undoChange of undo.splice(0).reverse()) await undoChange();
    },
  };
}

/** The proof reads the queues, so no consumer may read them during a scenario. */
async function sendConsumersAway(lab: Lab, atEnd: (undo: Undo) => Promise<void>): Promise<void> {
  for (const [name, consumer] of Object.entries(lab.consumers())) {
    await atEnd(() => lab.setConsumer(name, consumer));
    await lab.setConsumer(name, { mode: "nobody" });
  }
}

/**
 * Returns a function that sets the clock to where it would be without the scenario, unless the user has changed its
 * speed meanwhile.
 */
async function borrowClock(service: ServiceControl, speed: number): Promise<() => Promise<void>> {
  const before = await service.clock();
  const startedMilliseconds = Date.now();
  await service.setClock({ speed });
  return async () => {
    const { speed: now } = await service.clock();
    if (now !== speed) return;
    const passedSeconds = (Date.now() - startedMilliseconds) / 1000;
    const aheadSeconds = before.aheadSeconds + passedSeconds * (before.speed - 1);
    await service.setClock({ speed: before.speed, aheadSeconds });
  };
}

async function askUntil<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  { stopped, patienceMilliseconds = usualPatienceMilliseconds }: PlaygroundOptions,
): Promise<T> {
  const endsAt = Date.now() + patienceMilliseconds;
  for (;;) {
    stopped.throwIfAborted();
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > endsAt) throw inVain(what, patienceMilliseconds);
    await pause(askEveryMilliseconds, undefined, { signal: stopped });
  }
}

function inVain(what: string, milliseconds: number): PaycastError {
  const seconds = Math.round(milliseconds / 1000);
  return new PaycastError("local-tour-failed", `Timed out after ${seconds} s: ${what}.`);
}

function notLocal(): PaycastError {
  return new PaycastError("wrong-usage", "The tour runs only on the local stack.");
}
