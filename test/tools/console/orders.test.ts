import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { functionLogFile } from "../../../tools/operations/local-stack/local-description.ts";
import { findAnything } from "../../../tools/operations/orders/find-anything.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { callback, operator } from "../operations/attention/put-aside.ts";
import { useDeployedStack } from "../operations/deployed-stack.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { openConsole } from "./open-console.ts";
import { serveDeployed } from "./serve-deployed.ts";

const operated = useOperatedStack({ merchants: ["shop-1", "shop-2"] });
const deployed = useDeployedStack(operated);
let api: Awaited<ReturnType<typeof openConsole>>;

beforeAll(async () => {
  api = await openConsole(operated.stack().description.console);
});

async function create(orderNo: string, merchantId = "shop-1", status = 201): Promise<string> {
  // At the speed of this clock an order of 30 minutes would expire after 18 seconds, in the middle of the tests.
  const paymentExpiryTime = Date.now() + 23 * 3_600_000;
  const made = await operated.shop().create(orderNo, { merchantId, paymentExpiryTime });
  expect(made.status).toBe(status);
  return made.body.paymentId;
}

/** With a fault of the payment service, which each of its callbacks meets. */
async function paidWith(fault: string, orderNo: string, fields: object = {}): Promise<string> {
  const paymentId = await create(orderNo);
  await operated.shop().fault(fault, orderNo, fields);
  await operated.shop().act(paymentId, "pay");
  return paymentId;
}

const pathOf = (orderNo: string, merchant = "shop-1") =>
  `/api/orders/${encodeURIComponent(orderNo)}?merchant=${merchant}`;

/** The order's timeline once it is as wanted. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
async function untilShown(orderNo: string, isSo: (timeline: any) => boolean) {
  return await until(`${orderNo} to be reported`, async () => {
    const { json: body } = await api.ask(pathOf(orderNo));
    return body.error === undefined && isSo(body) ? body : undefined;
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
const successIn = ({ entries }: { entries: any[] }) =>
  entries.find(({ type }) => type === "payment.order.success");

const hasReceipts =
  (count: number) =>
  ({ entries }: { entries: readonly { kind: string }[] }) =>
    entries.filter(({ kind }) => kind === "receipt").length === count;

const isPaid = ({ order }: { order: { status: string } }) => order.status === "success";

async function paid(orderNo: string): Promise<string> {
  const paymentId = await create(orderNo);
  await operated.shop().act(paymentId, "pay");
  // Also the callback about confirming, which may come later: then nothing about the order changes any more.
  await untilShown(orderNo, hasReceipts(2));
  return paymentId;
}

const list = async (query = "") => (await api.ask(`/api/orders${query}`)).json;
const numbersOf = ({ orders }: { orders: { orderNo: string }[] }) =>
  orders.map(({ orderNo }) => orderNo);
const find = async (text: string) =>
  (await api.ask(`/api/find?text=${encodeURIComponent(text)}`)).json;

describe("the list of orders", () => {
  test("has the newest order first, also one that no callback has reported, and one that the service refused", async () => {
    const first = await paid("LIST-1");
    await create("LIST-2");
    const said = { code: "40103", msg: "body cannot be decrypted" };
    await operated.shop().fault("refuse-creates", "LIST-R", { ...said, code: Number(said.code) });
    await create("LIST-R", "shop-1", 502);
    await operated.shop().act(first, "refund", { amount: "2.00" });
    const read = await until("the refund", async () => {
      const { orders, ...rest } = await list();
      return orders[2].refundedAmount === undefined ? undefined : { orders, ...rest };
    });
    expect(read).toMatchObject({ total: 3, looked: 3 });
    expect(read.next).toBeUndefined();
    expect(read.orders).toMatchObject([
      { orderNo: "LIST-R", status: "refused", refusal: said, paymentIds: [] },
      {
        merchantId: "shop-1",
        orderNo: "LIST-2",
        status: "pending",
        flags: [],
        amount: { value: "12.30", currency: "USD" },
        paymentIds: [expect.any(String)],
      },
      { orderNo: "LIST-1", status: "success", refundedAmount: { value: "2.00" } },
    ]);
    expect(Date.now() - Date.parse(read.orders[2].since)).toBeLessThan(600_000);
  });

  test("is cut into pages that lose nothing, within its range", async () => {
    for (const number of [3, 4, 5]) await create(`LIST-${number}`);
    const whole = numbersOf(await list());
    const latest = await api.view("/api/latest-orders");
    expect(numbersOf(latest)).toEqual(whole);
    expect(latest).not.toHaveProperty("total");
    const paged: string[] = [];
    let after = "";
    for (let pages = 0; pages < 3; pages += 1) {
      const { orders, next } = await list(`?limit=2${after}`);
      paged.push(...numbersOf({ orders }));
      after = `&after=${encodeURIComponent(next)}`;
    }
    expect(paged).toEqual(whole);
    const { orders } = await list();
    const [{ since: newest }, { since }, { since: from }] = orders;
    const part = await list(`?from=${from}&until=${since}`);
    expect(numbersOf(part)).toEqual(whole.slice(1, 3));
    expect(newest > since).toBe(true);
    const old = await list("?from=2026-01-01&until=2026-01-05");
    expect(old).toMatchObject({ orders: [], total: 0, from: "2026-01-01T00:00:00.000Z" });
  });

  test("can be only those of a status, of a merchant, with a flag, or with a part of the number", async () => {
    await paidWith("wrong-amount", "LIST-6");
    await untilShown("LIST-6", isPaid);
    await create("LIST-7", "shop-2");
    expect(numbersOf(await list("?flag=any"))).toContain("LIST-6");
    expect(numbersOf(await list("?flag=mismatch"))).toEqual(["LIST-6"]);
    expect(numbersOf(await list("?flag=conflict"))).toEqual([]);
    expect(numbersOf(await list("?status=refused"))).toEqual(["LIST-R"]);
    expect(numbersOf(await list("?status=success"))).toEqual(["LIST-6", "LIST-1"]);
    expect(numbersOf(await list("?merchant=shop-2"))).toEqual(["LIST-7"]);
    expect(numbersOf(await list("?text=ist-2"))).toEqual(["LIST-2"]);
    expect(numbersOf(await list("?text=LIST&status=refused&merchant=shop-2"))).toEqual([]);
    for (const wrong of ["status=lost", "flag=lost", "from=lost", "after=lost", "limit=0"]) {
      expect(await list(`?${wrong}`)).toMatchObject({ error: { code: "wrong-usage" } });
    }
  });

  test("has an order that only a callback tells of, since the first one", async () => {
    await operator(operated).toInbox(callback({ orderNo: "LIST-8" }));
    const [first] = await until("the order", async () => {
      const { orders } = await list("?text=LIST-8");
      return orders.length > 0 ? orders : undefined;
    });
    expect(first).toMatchObject({ orderNo: "LIST-8", flags: ["unknownOrder"] });
    await operator(operated).toInbox(callback({ orderNo: "LIST-8" }));
    // The second transaction is a duplicate payment, of which a notice tells beside the two receipts.
    await untilShown("LIST-8", hasReceipts(2));
    expect((await list("?text=LIST-8")).orders).toMatchObject([{ since: first.since }]);
  });
});

describe("the search", () => {
  test("finds an order by every number that belongs to it", async () => {
    const paymentId = await paid("FIND-1");
    await operated.shop().act(paymentId, "refund", { amount: "1.00" });
    const timeline = await untilShown("FIND-1", ({ order }) => order.refunds.length === 1);
    const success = successIn(timeline);
    const { callbackId } = success;
    const texts = [
      ["FIND-1", "order number"],
      [paymentId, "payment"],
      [callbackId, "callback"],
      [callbackId.replaceAll("-", ""), "callback"],
      [success.published.eventId, "event"],
      [timeline.order.transactionId, "transactionId"],
      [timeline.order.refunds[0].refundId, "refundId"],
    ];
    for (const [text, what] of texts) {
      const { hits } = await find(text);
      expect(hits, text).toMatchObject([{ what, merchantId: "shop-1", orderNo: "FIND-1" }]);
    }
  });

  test("lists the orders of all merchants that have the number", async () => {
    await create("FIND-2", "shop-1");
    await create("FIND-2", "shop-2");
    const { hits } = await find("FIND-2");
    expect(hits.map(({ merchantId }: { merchantId: string }) => merchantId)).toEqual([
      "shop-1",
      "shop-2",
    ]);
    const { json: body } = await api.ask(pathOf("FIND-2", "shop-2"));
    expect(body.merchantId).toBe("shop-2");
  });

  test("says what it looked through if it finds nothing, and stops at its limit", async () => {
    const { hits, lookedThrough } = await find("T-OF-NOBODY");
    expect(hits).toEqual([]);
    expect(lookedThrough.records).toBeGreaterThan(5);
    expect(Date.parse(lookedThrough.since)).toBeLessThan(Date.now() - 46 * 3_600_000);
    const stopped = new AbortController().signal;
    const limited = await findAnything(operated.target(), "T-OF-NOBODY", { stopped, most: 4 });
    expect(limited.lookedThrough?.records).toBe(4);
    const { since = "" } = limited.lookedThrough ?? {};
    const further = await api.ask(`/api/find?text=LIST-1&before=${since}`);
    expect(further.json.hits).toMatchObject([{ what: "referOrderNo", orderNo: "LIST-1" }]);
  });

  test("finds the orders with the text in their number, if it is nothing else", async () => {
    const { hits, containing } = await find("ist-3");
    expect(hits).toEqual([]);
    expect(containing).toMatchObject({
      orders: [{ orderNo: "LIST-3" }],
      looked: expect.any(Number),
    });
    const { json: quick } = await api.ask("/api/find?text=IST-3&quick=yes");
    expect(numbersOf(quick.containing)).toEqual(["LIST-3"]);
    expect(quick.lookedThrough).toBeUndefined();
    expect((await find("LIST-3")).containing).toBeUndefined();
  });

  test("finds a quarantined callback that names no order", async () => {
    const paymentId = await paidWith("malformed-result", "FIND-3");
    const callbackId = await until("its callback", async () => {
      const sent = await operated.shop().control("GET", `/orders/${paymentId}`);
      return sent.callbacks.find(({ state }: { state: string }) => state === "delivered")?.id;
    });
    const found = await until("the record", async () => {
      const { hits } = await find(callbackId);
      return hits.length > 0 ? hits : undefined;
    });
    expect(found).toMatchObject([{ what: "callback", isQuarantined: true, callbackId }]);
    expect(found[0].orderNo).toBeUndefined();
  });
});

describe("an order's timeline", () => {
  test("has each forged attempt with the answer and the private reason, and who verified the real one", async () => {
    await paidWith("wrong-key", "REPORTED-1", { attempts: 1 });
    // The log line of a request may come a moment after its callback is processed.
    const { entries } = await untilShown(
      "REPORTED-1",
      (timeline) => successIn(timeline)?.answered !== undefined,
    );
    const success = successIn({ entries });
    const forged = entries.find(
      // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
      (entry: any) => entry.callbackId === success.callbackId && entry.outcome === "not-authentic",
    );
    expect(forged).toMatchObject({
      kind: "callback-attempt",
      httpStatus: 401,
      reason: "wrong-signature",
      isAuthentic: false,
      faults: ["wrong-key"],
    });
    expect(success).toMatchObject({
      statusAfter: "success",
      statusBefore: expect.stringMatching(/pending|confirming/),
      answered: { httpStatus: 200, keyStage: "current" },
    });
    expect(entries.indexOf(forged)).toBeLessThan(entries.indexOf(success));
  });

  test("has a callback that came again as an attempt of its own", async () => {
    await paidWith("send-twice", "REPORTED-2");
    const repeatsIn = ({ entries }: { entries: { kind: string; isRecorded?: boolean }[] }) =>
      entries.filter(({ kind }) => kind === "callback-attempt");
    // Both callbacks are processed: until then, an attempt that waits in the inbox stands for itself, too.
    const timeline = await untilShown("REPORTED-2", (whole) => {
      const isProcessed = repeatsIn(whole).every(({ isRecorded }) => isRecorded);
      return isPaid(whole) && isProcessed && repeatsIn(whole).length === 2;
    });
    const repeat = { outcome: "accepted", isRecorded: true };
    expect(repeatsIn(timeline)).toMatchObject([repeat, repeat]);
  });

  test.each(["..", "."])("is found at %j, which only a callback can bring", async (orderNo) => {
    await operator(operated).toInbox(callback({ orderNo }));
    const path = `/api/orders/~${orderNo}?merchant=shop-1`;
    await expect.poll(async () => (await api.ask(path)).json.orderNo).toBe(orderNo);
    expect((await find(orderNo)).hits).toMatchObject([{ orderNo }]);
  });
});

describe("on a deployed stack", () => {
  test("the log is searched only when it is asked for, to its end, and in the function's own log group", async () => {
    await paidWith("wrong-key", "LOGS-1", { attempts: 1 });
    const isRefused = ({ outcome }: { outcome?: string }) => outcome === "not-authentic";
    await untilShown("LOGS-1", (timeline) => isPaid(timeline) && timeline.entries.some(isRefused));
    const functionLog = functionLogFile(operated.directory);
    deployed().logLines = readFileSync(functionLog, "utf8").trimEnd().split("\n");
    const served = await serveDeployed();
    const there = await openConsole(served.url);
    const quick = await there.ask(pathOf("LOGS-1"));
    expect(quick.json.searched).toBeUndefined();
    expect(deployed().calls).not.toContain("logs:FilterLogEvents");
    const { json: body } = await there.ask(`${pathOf("LOGS-1")}&attempts=yes`);
    expect(body.searched.isPartial).toBe(false);
    expect(body.entries).toContainEqual(
      expect.objectContaining({ outcome: "not-authentic", reason: "wrong-signature" }),
    );
    expect(JSON.stringify(body)).not.toContain("FIND-");
    await served.stop();
  });

  test("a search that cannot end says that it is partial", async () => {
    deployed().logLines = Array.from({ length: 2_500 }, () => `{"id":"${randomUUID()}"}`);
    const served = await serveDeployed();
    const there = await openConsole(served.url);
    const { json: body } = await there.ask(`${pathOf("LIST-1")}&attempts=yes`);
    expect(body.searched.isPartial).toBe(true);
    await served.stop();
  });
});
