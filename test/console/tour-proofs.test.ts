import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { playScenario, type Scenario, type TourRun } from "../../console/tour/play-scenario.ts";
import { openPlayground, type Playground, type TourOrder } from "../../console/tour/playground.ts";
import { duplicateStorm } from "../../console/tour/scenarios/duplicate-storm.ts";
import { forged } from "../../console/tour/scenarios/forged.ts";
import { keysRotated } from "../../console/tour/scenarios/keys-rotated.ts";
import { lost } from "../../console/tour/scenarios/lost.ts";
import { paid } from "../../console/tour/scenarios/paid.ts";
import { subscriberDown } from "../../console/tour/scenarios/subscriber-down.ts";
import type { OrderTimeline } from "../../operations/timeline/order-timeline.ts";
import type { ReceiptEntry } from "../../operations/timeline/receipt-entry.ts";
import { leaseKey } from "../../shared/reconciling/take-lease.ts";
import { until } from "../end-to-end/running-stack.ts";
import { putItem } from "../integration/aws-stores.ts";
import { failedClaims, tourSpeed, useTourStack } from "./tour-stack.ts";

const { operated, console } = useTourStack();

interface Spoiling {
  readonly afterwards?: (playground: Playground) => Promise<void>;
  /** Only for a scenario that waits for something that never happens. */
  readonly patienceMilliseconds?: number;
}

const inVain: Spoiling = { patienceMilliseconds: 5_000 };
/** Shorter than a test may take: then the scenario can say what was missing. */
const usualPatienceMilliseconds = 60_000;

/** Plays a scenario with something changed on its playground, or done after its last step. */
async function playSpoiled(
  scenario: Scenario,
  changePlayground: (playground: Playground) => Partial<Playground>,
  { afterwards, patienceMilliseconds = usualPatienceMilliseconds }: Spoiling = {},
): Promise<TourRun> {
  const spoiled: Scenario = {
    ...scenario,
    plan: (playground) => {
      const plan = scenario.plan({ ...playground, ...changePlayground(playground) });
      if (afterwards === undefined) return plan;
      return {
        ...plan,
        steps: [...plan.steps, { title: "spoil", run: () => afterwards(playground) }],
      };
    },
  };
  const stopped = new AbortController().signal;
  const surroundings = { target: operated.target(), lab: labOverHttp, stopped };
  return await playScenario(spoiled, { ...surroundings, patienceMilliseconds }, () => undefined);
}

/** Changes nothing on the playground, and knows the number of the last order that a scenario made. */
function noteOrder() {
  let last = "";
  const noting = (playground: Playground): Partial<Playground> => ({
    order: async (wanted) => {
      const order = await playground.order(wanted);
      last = order.orderNo;
      return order;
    },
  });
  return { noting, orderNo: () => last };
}

/** The stack's own switches are behind the console. */
const labOverHttp = {
  breakage: () => ({ outages: [], brokenSubscribers: [] }),
  setOutage: () => undefined,
  setBroken: (subscriber: string, isBroken: boolean) =>
    void console().send("/api/lab/queues", { subscriber, isBroken }),
  consumers: () => ({}),
  setConsumer: async () => undefined,
  readAt: () => undefined,
  reconcileNow: async () => void (await console().send("/api/lab/reconcile")),
};

const history = () => operated.target().subscribers.find(({ name }) => name === "order-history")!;

/** The schedule of the stack goes on, and would ask the service within a minute. A run that finds this lease does nothing. */
async function keepReconciliationAway(): Promise<void> {
  const { clients, tables } = operated.target();
  const endsAtMilliseconds = Date.now() + 10 * 60_000;
  await putItem(clients.dynamodb, tables.orders, { aggregateKey: leaseKey, endsAtMilliseconds });
}

/** What a broken Paycast would do: an event of the tour's order comes a second time. */
async function repeatLastEvent(orderNo: string): Promise<void> {
  const { sqs } = operated.target().clients;
  const event = { id: "another", type: "payment.order.success", subject: orderNo };
  const MessageBody = JSON.stringify({ ...event, origin: "callback", sequence: "0000000002" });
  const ids = { MessageGroupId: orderNo, MessageDeduplicationId: `again-${orderNo}` };
  await sqs.send(new SendMessageCommand({ QueueUrl: history().queueUrl, MessageBody, ...ids }));
}

function withReceipts(
  timeline: OrderTimeline,
  change: (receipt: ReceiptEntry) => ReceiptEntry,
): OrderTimeline {
  const entries = timeline.entries.map((one) => (one.kind === "receipt" ? change(one) : one));
  return { ...timeline, entries };
}

/** As if every second one had been told by a query. */
const withoutKeys = (receipt: ReceiptEntry): ReceiptEntry =>
  receipt.type === "payment.order.success" ? { ...receipt, keyVersion: undefined } : receipt;

test("a scenario that is stopped before it begins leaves the clock alone", async () => {
  const surroundings = { target: operated.target(), lab: labOverHttp };
  const stopped = AbortSignal.abort();
  const run = await playScenario(paid, { ...surroundings, stopped }, () => undefined);
  expect(run.state).toBe("stopped");
  expect((await console().view("/api/lab")).clock.speed).toBe(tourSpeed);
});

test("a step that goes on after the stop can begin nothing more", async () => {
  const stopping = new AbortController();
  const surroundings = { target: operated.target(), lab: labOverHttp, clockSpeed: tourSpeed };
  const playground = await openPlayground({ ...surroundings, stopped: stopping.signal });
  const order = await playground.order();
  stopping.abort();
  await playground.clearUp();
  await expect(playground.order()).rejects.toThrow();
  await expect(playground.pay(order)).rejects.toThrow();
  await expect(playground.fault({ kind: "lose", orderNo: "x" })).rejects.toThrow();
  await expect(playground.breakQueue("order-history")).rejects.toThrow();
  await expect(playground.service.rotateKeys("shop-1")).rejects.toThrow();
});

test("keys that take long to change are used for the last orders", async () => {
  let made = 0;
  // Three that are held up, and all but the last three of 24.
  const isTimeToChange = () => (made >= 3 + 21 ? true : undefined);
  const run = await playSpoiled(keysRotated, ({ order, service }) => ({
    order: async (wanted) => {
      made += 1;
      return await order(wanted);
    },
    service: {
      ...service,
      rotateKeys: async (merchantId) => {
        await until("all orders but the last three", isTimeToChange);
        await pause(1_000);
        await service.rotateKeys(merchantId);
      },
    },
  }));
  expect({ state: run.state, failed: failedClaims(run) }).toEqual({ state: "proven", failed: [] });
});

test("a callback that is still in the inbox is waited for, also if the success was faster", async () => {
  let looks = 0;
  const run = await playSpoiled(paid, (playground) => ({
    timeline: async (order) => {
      const { entries, ...timeline } = await playground.timeline(order);
      looks += 1;
      const isHidden = (entry: (typeof entries)[number]) =>
        looks <= 3 && entry.kind === "receipt" && entry.type === "payment.order.confirming";
      return { ...timeline, entries: entries.filter((entry) => !isHidden(entry)) };
    },
  }));
  expect({ state: run.state, failed: failedClaims(run) }).toEqual({ state: "proven", failed: [] });
});

test.each([
  ["proven", "regressed", []],
  ["failed", "mismatch", ["success, learned from a callback; mismatch"]],
] as const)("paid is %s if the order is flagged %s", async (state, flag, failed) => {
  const run = await playSpoiled(paid, (playground) => ({
    timeline: async (order) => {
      const timeline = await playground.timeline(order);
      return { ...timeline, order: { ...timeline.order!, flags: [flag] } };
    },
  }));
  expect({ state: run.state, failed: failedClaims(run) }).toEqual({ state, failed });
});

test.each([
  ["paid", "proven", 503, paid, []],
  ["forged", "proven", 503, forged, []],
  [
    "paid",
    "failed",
    401,
    paid,
    ['2 callbacks: 200 {"code":20000,"msg":""}; before that, 2 attempts without it'],
  ],
] as const)(
  "%s is %s if the first authentic attempts were answered %i",
  async (_name, state, httpStatus, scenario, failed) => {
    const run = await playSpoiled(scenario, (playground) => ({
      payment: async (order) => {
        const { callbacks, ...payment } = await playground.payment(order);
        const earlier = { startedMilliseconds: 0, durationMilliseconds: 0, detail: "", faults: [] };
        const answered = callbacks.map(({ attempts, ...callback }) => ({
          ...callback,
          attempts: [{ ...earlier, httpStatus }, ...attempts],
        }));
        return { ...payment, callbacks: answered };
      },
    }));
    expect({ state: run.state, failed: failedClaims(run) }).toEqual({ state, failed });
  },
);

describe("a proof that does not hold ends red, with what was found", () => {
  test.each([
    ["paid", paid],
    ["duplicates", duplicateStorm],
  ])("%s: an event came once too often", async (_name, scenario) => {
    const { noting, orderNo } = noteOrder();
    const run = await playSpoiled(scenario, noting, {
      afterwards: () => repeatLastEvent(orderNo()),
    });
    expect(run.state).toBe("failed");
    expect(failedClaims(run)).toEqual([
      "fulfilment 1 of 1, order-history 3 of 2, analytics 2 of 2",
    ]);
  });

  test("subscriber-down: the queue was not broken", async () => {
    const unbroken = () => ({ breakQueue: async () => undefined });
    const run = await playSpoiled(subscriberDown, unbroken, inVain);
    expect(run).toMatchObject({
      state: "failed",
      problem: expect.stringContaining("waits for order-history"),
      steps: expect.arrayContaining([expect.objectContaining({ state: "failed" })]),
    });
  });

  test("lost: reconciliation does not run", async () => {
    await keepReconciliationAway();
    const asksNobody = ({ lab }: Playground) => ({
      lab: { ...lab, reconcileNow: async () => undefined },
    });
    const run = await playSpoiled(lost, asksNobody, inVain);
    expect(run).toMatchObject({ state: "failed", problem: expect.stringContaining("is paid") });
  });

  test("lost: the callbacks were not lost", async () => {
    const run = await playSpoiled(lost, () => ({ fault: async () => undefined }));
    expect(run.state).toBe("failed");
  });

  test("keys: they were not changed", async () => {
    const run = await playSpoiled(keysRotated, ({ service }) => ({
      service: { ...service, rotateKeys: async () => undefined },
    }));
    expect(run.state).toBe("failed");
    expect(failedClaims(run)).toEqual([
      "1 version",
      expect.stringMatching(/with the current keys, 0 with the previous/),
    ]);
  });

  test("keys: an order was told by a query, which no keys verified", async () => {
    const run = await playSpoiled(keysRotated, ({ service, timeline }) => ({
      service: { ...service, rotateKeys: async () => undefined },
      timeline: async (order) => withReceipts(await timeline(order), withoutKeys),
    }));
    expect(failedClaims(run)).toContain("1 version");
  });

  test("forged: a record of a later callback is older than its authentic attempt", async () => {
    const run = await playSpoiled(forged, (playground) => ({
      timeline: async (order) => {
        const { callbacks } = await playground.payment(order as TourOrder);
        const [sent] = callbacks.filter(({ eventName }) => eventName === "payment.order.success");
        const begun = sent?.attempts.find(({ faults }) => faults.length === 0)?.startedMilliseconds;
        const at = new Date((begun ?? 1) - 1).toISOString();
        return withReceipts(await playground.timeline(order), (receipt) =>
          receipt.callbackId === sent?.id ? { ...receipt, at } : receipt,
        );
      },
    }));
    expect(failedClaims(run)).toEqual(["4 records of a forgery"]);
  });

  test("forged: one was accepted for another merchant", async () => {
    const { noting, orderNo } = noteOrder();
    const run = await playSpoiled(forged, noting, {
      afterwards: async () => {
        const line = { service: "receive-callback", outcome: "accepted", orderNo: orderNo() };
        const answered = { httpStatus: 200, durationMilliseconds: 1, timestamp: Date.now() };
        const text = JSON.stringify({ ...line, ...answered, merchantId: "shop-2" });
        appendFileSync(operated.target().functionLog ?? "", `${text}\n`);
      },
    });
    expect(failedClaims(run)).toEqual(["9 accepted, 8 authentic"]);
  });

  test("forged: nothing was forged", async () => {
    const run = await playSpoiled(forged, () => ({ fault: async () => undefined }), inVain);
    expect(run).toMatchObject({ state: "failed", problem: expect.stringContaining("a forged") });
  });
});
