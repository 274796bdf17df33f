import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { beforeAll, describe, expect, test } from "vitest";
import { leaseKey } from "../../../shared/reconciling/take-lease.ts";
import {
  playScenario,
  type Scenario,
  type TourRun,
} from "../../../tools/console/tour/play-scenario.ts";
import {
  openPlayground,
  type Playground,
  type TourOrder,
} from "../../../tools/console/tour/playground.ts";
import { duplicateStorm } from "../../../tools/console/tour/scenarios/duplicate-storm.ts";
import { forged } from "../../../tools/console/tour/scenarios/forged.ts";
import { keysRotated } from "../../../tools/console/tour/scenarios/keys-rotated.ts";
import { lost } from "../../../tools/console/tour/scenarios/lost.ts";
import { paid } from "../../../tools/console/tour/scenarios/paid.ts";
import { subscriberDown } from "../../../tools/console/tour/scenarios/subscriber-down.ts";
import { functionLogFile } from "../../../tools/operations/local-stack/local-description.ts";
import { localLog } from "../../../tools/operations/local-stack/local-log.ts";
import type { TimelineEntry } from "../../../tools/operations/timeline/order-timeline.ts";
import type { ReceiptEntry } from "../../../tools/operations/timeline/receipt-entry.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { putItem } from "../../integration/aws-stores.ts";
import { failedClaims, tourSpeed, useTourStack } from "./tour-stack.ts";

const { operated, console } = useTourStack();

/** Longer than anything here takes, and shorter than a test may take: then the scenario can say what was missing. */
const usualPatienceMilliseconds = 60_000;

type Change = (playground: Playground) => Partial<Playground>;

const unchanged: Change = () => ({});

interface Played {
  readonly run: TourRun;
  readonly orders: readonly TourOrder[];
  /** What its proof does not accept if it sees this. Nothing is played again. */
  readonly failedIf: (change: Change) => Promise<string[]>;
}

/** Plays a scenario with something changed on its playground. */
async function play(
  scenario: Scenario,
  change: Change = unchanged,
  patienceMilliseconds = usualPatienceMilliseconds,
): Promise<Played> {
  let played: Playground | undefined;
  const changed: Scenario = {
    ...scenario,
    plan: (playground) => {
      played = { ...playground, ...change(playground) };
      return scenario.plan(played);
    },
  };
  const stopped = new AbortController().signal;
  const surroundings = { target: operated.target(), lab: labOverHttp, stopped };
  const run = await playScenario(
    changed,
    { ...surroundings, patienceMilliseconds },
    () => undefined,
  );
  const playground = played!;
  return {
    run,
    orders: playground.orders,
    failedIf: async (seen) =>
      failedClaims({
        proof: await scenario.plan({ ...playground, ...seen(playground) }).prove(),
      }),
  };
}

function expectProven({ run }: Played): void {
  expect({ ...run, failed: failedClaims(run) }).toMatchObject({
    state: "proven",
    problem: undefined,
    failed: [],
  });
}

/** The stack's own switches are behind the console. */
const labOverHttp = {
  breakage: () => ({ outages: [], brokenSubscribers: [] }),
  setOutage: () => undefined,
  setBroken: (subscriber: string, isBroken: boolean) =>
    void console().send("/api/lab/queues", { subscriber, isBroken }),
  consumers: () => ({}),
  setConsumer: async () => undefined,
  restoreConsumers: async () => undefined,
  readAt: () => undefined,
  aheadMilliseconds: () => 0,
  jump: async () => undefined,
  reconcileNow: async () => void (await console().send("/api/lab/reconcile")),
};

const history = () =>
  operated.target().queues.subscribers.find(({ name }) => name === "order-history")!;

/** The schedule of the stack goes on, and would ask the service within a minute. A run that finds this lease does nothing. */
async function keepReconciliationAway(): Promise<void> {
  const clients = operated.clients();
  const { tables } = operated.stack().description;
  const endsAtMilliseconds = Date.now() + 10 * 60_000;
  await putItem(clients.dynamodb, tables.orders, { aggregateKey: leaseKey, endsAtMilliseconds });
}

/** What a broken Paycast would do: an event of the tour's order comes a second time. */
async function repeatLastEvent(orderNo: string): Promise<void> {
  const { sqs } = operated.clients();
  const event = { id: "another", type: "payment.order.success", subject: orderNo };
  const MessageBody = JSON.stringify({ ...event, origin: "callback", sequence: "0000000002" });
  const ids = { MessageGroupId: orderNo, MessageDeduplicationId: `again-${orderNo}` };
  await sqs.send(new SendMessageCommand({ QueueUrl: history().queueUrl, MessageBody, ...ids }));
}

/** Every record of the orders is seen like this. */
const seeReceipts =
  (change: (receipt: ReceiptEntry) => Partial<ReceiptEntry>): Change =>
  ({ timeline }) => ({
    timeline: async (order) => {
      const { entries, ...rest } = await timeline(order);
      const see = (entry: TimelineEntry) =>
        entry.kind === "receipt" ? { ...entry, ...change(entry) } : entry;
      return { ...rest, entries: entries.map(see) };
    },
  });

/** The functions' log is seen like this. */
const seeLog =
  (change: (log: string) => string): Change =>
  ({ target }) => {
    const functionLog = join(operated.directory, "changed.log");
    writeFileSync(functionLog, change(readFileSync(functionLogFile(operated.directory), "utf8")));
    return { target: { ...target, log: localLog(functionLog) } };
  };

/** Before its attempts, each callback is seen to have had one that was answered like this. */
const seeFirstAttempt =
  (httpStatus: number): Change =>
  ({ payment }) => ({
    payment: async (order) => {
      const { callbacks, ...rest } = await payment(order);
      const first = { startedMilliseconds: 0, durationMilliseconds: 0, detail: "", faults: [] };
      const answered = callbacks.map(({ attempts, ...callback }) => ({
        ...callback,
        attempts: [{ ...first, httpStatus }, ...attempts],
      }));
      return { ...rest, callbacks: answered };
    },
  });

const isSuccess = ({ type }: ReceiptEntry) => type === "payment.order.success";

test("a scenario that is stopped before it begins leaves the clock alone", async () => {
  const surroundings = { target: operated.target(), lab: labOverHttp };
  const stopped = AbortSignal.abort();
  const run = await playScenario(paid, { ...surroundings, stopped }, () => undefined);
  expect(run.state).toBe("stopped");
  expect((await console().view("/api/lab")).clock.service.speed).toBe(tourSpeed);
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

describe("an order is paid", () => {
  let played: Played;
  beforeAll(async () => {
    let reads = 0;
    played = await play(paid, ({ timeline }) => ({
      timeline: async (order) => {
        const { entries, ...rest } = await timeline(order);
        reads += 1;
        const isHidden = (entry: TimelineEntry) =>
          reads <= 3 && entry.kind === "receipt" && entry.type === "payment.order.confirming";
        return { ...rest, entries: entries.filter((entry) => !isHidden(entry)) };
      },
    }));
  });

  test("a callback that is still in the inbox is waited for, also if the success was faster", () => {
    expectProven(played);
  });

  test.each([
    ["holds", "regressed", []],
    ["does not hold", "mismatch", ["success, learned from a callback; mismatch"]],
  ] as const)("the proof %s if the order is flagged %s", async (_case, flag, failed) => {
    const flagged: Change = ({ timeline }) => ({
      timeline: async (order) => {
        const { order: stored, ...rest } = await timeline(order);
        return { ...rest, order: { ...stored!, flags: [flag] } };
      },
    });
    expect(await played.failedIf(flagged)).toEqual(failed);
  });

  const missed = '2 callbacks: 200 {"code":20000,"msg":""}; before that, 2 attempts without it';
  test.each([
    ["holds", 503, []],
    ["does not hold", 401, [missed]],
  ])("the proof %s if the first attempts were answered %i", async (_case, httpStatus, failed) => {
    expect(await played.failedIf(seeFirstAttempt(httpStatus))).toEqual(failed);
  });
});

/** Before the forgeries: an instance that has refused one looks for new keys a minute later. */
describe("keys change under load", () => {
  let played: Played;
  beforeAll(async () => {
    let made = 0;
    // Three that are held up, and all but the last three of 24.
    const isTimeToChange = () => (made >= 3 + 21 ? true : undefined);
    played = await play(keysRotated, ({ order, service }) => ({
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
  });

  test("keys that take long to change are used for the last orders", () => {
    expectProven(played);
  });

  test("the proof does not hold if one version verified all, and what a query reported is no version", async () => {
    const receipts = seeReceipts((receipt) => ({
      keyVersion: isSuccess(receipt) ? undefined : "one",
    }));
    const log = seeLog((text) => text.replaceAll('"previous"', '"current"'));
    const sameKeys: Change = (playground) => ({ ...receipts(playground), ...log(playground) });
    expect(await played.failedIf(sameKeys)).toEqual([
      "1 version",
      expect.stringMatching(/with the current keys, 0 with the previous/),
    ]);
  });
});

describe("callbacks are forged", () => {
  let played: Played;
  beforeAll(async () => {
    played = await play(forged);
  });

  test("the proof holds if the first authentic attempts were answered 503", async () => {
    expectProven(played);
    expect(await played.failedIf(seeFirstAttempt(503))).toEqual([]);
  });

  test("the proof does not hold if a record of a later callback is older than its authentic attempt", async () => {
    const older: Change = (playground) => ({
      timeline: async (order) => {
        const { callbacks } = await playground.payment(order as TourOrder);
        const [sent] = callbacks.filter(({ eventName }) => eventName === "payment.order.success");
        const begun = sent?.attempts.find(({ faults }) => faults.length === 0)?.startedMilliseconds;
        const at = new Date((begun ?? 1) - 1).toISOString();
        const isSent = ({ callbackId }: ReceiptEntry) => callbackId === sent?.id;
        const see = seeReceipts((receipt) => (isSent(receipt) ? { at } : {}));
        return await see(playground).timeline!(order);
      },
    });
    expect(await played.failedIf(older)).toEqual(["4 records of a forgery"]);
  });

  test("the proof does not hold if one was accepted for another merchant", async () => {
    const line = { service: "receive-callback", outcome: "accepted", merchantId: "shop-2" };
    const answered = { httpStatus: 200, durationMilliseconds: 1, timestamp: Date.now() };
    const text = JSON.stringify({ ...line, ...answered, orderNo: played.orders[0]?.orderNo });
    expect(await played.failedIf(seeLog((log) => `${log}${text}\n`))).toEqual([
      "9 accepted, 8 authentic",
    ]);
  });
});

describe("a scenario ends red, with what was found", () => {
  test("one claim of its proof does not hold", async () => {
    const claims = [true, false].map((holds) => ({ claim: "", found: `${holds}`, holds }));
    const plan = () => ({ steps: [], prove: async () => ({ sentence: "", claims }) });
    const { run } = await play({ ...paid, plan });
    expect(run).toMatchObject({ state: "failed", problem: undefined, proof: { claims } });
  });

  test.each([
    ["paid", paid],
    ["duplicates", duplicateStorm],
  ])("%s: an event came once too often", async (_case, scenario) => {
    const { orders, failedIf } = await play(scenario);
    await repeatLastEvent(orders[0]!.orderNo);
    expect(await failedIf(unchanged)).toEqual([
      "fulfilment 1 of 1, order-history 3 of 2, analytics 2 of 2",
    ]);
  });

  test("subscriber-down: the queue was not broken", async () => {
    const unbroken = () => ({ breakQueue: async () => undefined });
    const { run } = await play(subscriberDown, unbroken, 1_000);
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
    const { run } = await play(lost, asksNobody, 5_000);
    expect(run).toMatchObject({ state: "failed", problem: expect.stringContaining("is paid") });
  });

  test("lost: the callbacks were not lost", async () => {
    const { run } = await play(lost, () => ({ fault: async () => undefined }));
    expect(run.state).toBe("failed");
  });

  test("forged: nothing was forged", async () => {
    const { run } = await play(forged, () => ({ fault: async () => undefined }), 1_000);
    expect(run).toMatchObject({ state: "failed", problem: expect.stringContaining("a forged") });
  });
});
