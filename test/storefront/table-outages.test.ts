import { beforeAll, describe, expect, test } from "vitest";
import {
  answerMarginMilliseconds,
  askMilliseconds,
  createCallMilliseconds,
  createTimeoutMilliseconds,
  storeMilliseconds,
} from "../../shared/timing.ts";
import { type AwsError, type Call, type Fault, writes } from "../integration/fault-proxy.ts";
import { logOf } from "../integration/flow.ts";
import { countQueries } from "./count-queries.ts";
import { cancelled, dynamodbError } from "./dynamodb-faults.ts";
import { holdWrite } from "./hold-write.ts";
import { invokeAndSkip, leastMilliseconds } from "./invoke-and-skip.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { type Shop, useShops } from "./shop.ts";

const makeShop = useShops();

const refuse = (error: AwsError) => ({ kind: "refuse", error }) as const;
const troubles: [string, Fault][] = [
  ["throttles the order's item", refuse(cancelled("ThrottlingError", "None"))],
  ["is at its limit", refuse(cancelled("None", "ProvisionedThroughputExceeded"))],
  ["finds another transaction at work", refuse(cancelled("TransactionConflict", "None"))],
  ["throttles the whole call", refuse(dynamodbError("ThrottlingException"))],
  ["fails", refuse({ status: 500, type: "InternalServerError" })],
  ["cuts connections", { kind: "cut" }],
];

describe("after the service has answered a create, while DynamoDB", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await makeShop();
  });

  test.each(troubles)(
    "%s for seconds, storing is tried again: no payment is lost",
    async (_case, fault) => {
      const creator = await shop.creator();
      const callsBefore = creator.faults.calls.length;
      let endsAt: number | undefined;
      const isInTrouble = (call: Call) => {
        if (!writes(call)) return false;
        endsAt ??= creator.now() + 4_000;
        return creator.now() < endsAt;
      };
      creator.faults.fail(isInTrouble, fault, { skip: 1 });
      const body = orderBody();
      const created = await shop.create(body);
      const made = shop.simulator.orders().filter(({ orderNo }) => orderNo === orderNoOf(body));
      expect(made).toHaveLength(1);
      const [{ paymentId } = {}] = made;
      expect(created).toMatchObject({ status: 201, body: { paymentId } });
      const calls = creator.faults.calls.slice(callsBefore);
      expect(calls.filter(writes).length).toBeGreaterThan(3);
      creator.faults.heal();
      expect(await shop.create(body)).toMatchObject({ status: 200 });
    },
  );

  test("does not recover, the answer is 504 in time and the line names the payment", async () => {
    const own = await makeShop();
    const creator = await own.creator();
    const error = cancelled("ThrottlingError", "None");
    creator.faults.fail(writes, { kind: "refuse", error }, { skip: 1 });
    const body = orderBody();
    const event = { body: JSON.stringify(body), isBase64Encoded: false };
    const outcome = await invokeAndSkip(creator, event);
    expect(outcome).toMatchObject({ kind: "returned", value: { statusCode: 504 } });
    expect(JSON.stringify(outcome)).toContain("urn:paycast:problem:outcome-unknown");
    expect(creator.faults.calls.filter(writes).length).toBeGreaterThan(4);
    const [made] = own.simulator.orders();
    expect(logOf(creator)).toMatchObject([
      {
        outcome: "problem",
        merchantId: own.world.merchant.merchantId,
        orderNo: orderNoOf(body),
        paymentId: made?.paymentId,
        errorName: "TransactionCanceledException",
        stage: "table",
        reason: "table-throttled",
        httpStatus: 504,
        ServerFault: 1,
      },
    ]);
  });
});

describe("a table that does not answer at all after the service has", () => {
  test("costs 504 inside the time of the function, not the whole answer", {
    timeout: 2 * createTimeoutMilliseconds,
  }, async () => {
    const shop = await makeShop();
    const creator = await shop.creator();
    creator.faults.fail(writes, { kind: "stall" }, { skip: 1 });
    const event = { body: JSON.stringify(orderBody()), isBase64Encoded: false };
    const outcome = await invokeAndSkip(creator, event);
    expect(outcome).toMatchObject({ kind: "returned", value: { statusCode: 504 } });
  });
});

describe("before anything is sent", () => {
  test("throttling only makes a create slower", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    faults.fail(writes, { kind: "refuse", error: cancelled("ThrottlingError") }, { times: 3 });
    expect(await shop.create()).toMatchObject({ status: 201 });
    expect(shop.simulator.orders()).toHaveLength(1);
  });

  test("an attempt whose write was cut off frees the number at once", async () => {
    const shop = await makeShop();
    const creator = await shop.creator();
    // It is written, and no answer of it comes back until the time to begin is over.
    const beginnings = (call: Call) =>
      writes(call) && JSON.stringify(call.input).includes("sending");
    creator.faults.fail(beginnings, { kind: "lose-answer" });
    const body = orderBody();
    const event = { body: JSON.stringify(body), isBase64Encoded: false };
    const outcome = await creator.invoke(event, leastMilliseconds + 3_000);
    expect(outcome).toMatchObject({ kind: "returned", value: { statusCode: 503 } });
    expect(creator.faults.calls.filter(beginnings)[0]).toMatchObject({ arrived: true });
    expect(shop.simulator.orders()).toEqual([]);
    creator.faults.heal();
    expect(await shop.create(body)).toMatchObject({ status: 201 });
  });

  test("a table that never takes the attempt is 503, and the service gets no call", async () => {
    const shop = await makeShop();
    const creator = await shop.creator();
    creator.faults.fail(writes, { kind: "refuse", error: cancelled("ThrottlingError") });
    const event = { body: JSON.stringify(orderBody()), isBase64Encoded: false };
    const outcome = await creator.invoke(event, leastMilliseconds + 2_000);
    expect(outcome).toMatchObject({ kind: "returned", value: { statusCode: 503 } });
    expect(shop.simulator.orders()).toEqual([]);
  });
});

describe("an attempt whose record is throttled", () => {
  test("is not sent when there is no time left to store what comes of it", async () => {
    const shop = await makeShop();
    const creator = await shop.creator();
    const error = cancelled("ThrottlingError");
    creator.faults.fail(writes, { kind: "refuse", error }, { times: 6 });
    const event = { body: JSON.stringify(orderBody()), isBase64Encoded: false };
    // Six pauses take more than a second.
    const needed = createCallMilliseconds + storeMilliseconds + answerMarginMilliseconds;
    const outcome = await creator.invoke(event, needed + 1_000);
    expect(outcome).toMatchObject({ kind: "returned", value: { statusCode: 503 } });
    expect(shop.simulator.orders()).toEqual([]);
  });
});

describe("a query whose claim takes long", () => {
  test("does not ask when there is no time left for the answer, and says that it is stale", async () => {
    const shop = await makeShop();
    const body = orderBody();
    await shop.create(body);
    const querier = await shop.querier();
    const claiming = holdWrite(querier);
    const queries = countQueries(shop);
    const routeKey = "GET /orders/{orderNo+}";
    const event = { routeKey, pathParameters: { orderNo: orderNoOf(body) } };
    const asking = querier.invoke(event, askMilliseconds + answerMarginMilliseconds + 1_000);
    await claiming.held();
    // Now the answer could come too late.
    querier.advance(1_500);
    claiming.release();
    const outcome = await asking;
    expect(await queries()).toBe(0);
    expect(outcome).toMatchObject({ kind: "returned", value: { statusCode: 200 } });
    expect(logOf(querier)).toMatchObject([{ outcome: "stale", orderNo: orderNoOf(body) }]);
  });
});
