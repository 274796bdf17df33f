import { describe, expect, test } from "vitest";
import { creationLeaseMilliseconds as lease } from "../../shared/timing.ts";
import { writes } from "../integration/fault-proxy.ts";
import { dynamodbError } from "./dynamodb-faults.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { type Shop, useShops } from "./shop.ts";

const makeShop = useShops();
const problem = (kind: string) => `urn:paycast:problem:${kind}`;

/** The crash of the instance that creates orders; another one takes its place. */
async function createInCrash(shop: Shop, body: unknown): Promise<void> {
  expect(await shop.create(body)).toMatchObject({ status: 500 });
  await shop.replace("create-order");
}

describe("a crash", () => {
  test("between record and send: nothing is sent until the lease has ended, then once", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    faults.fail(writes, { kind: "die-after" });
    const body = orderBody();
    await createInCrash(shop, body);
    expect(shop.simulator.orders()).toEqual([]);
    expect(await shop.create(body)).toMatchObject({
      status: 409,
      body: { type: problem("order-in-progress") },
    });
    const other = orderBody({ paymentAmount: 24 }, { orderNo: orderNoOf(body) });
    expect(await shop.create(other)).toMatchObject({ body: { type: problem("order-differs") } });
    (await shop.creator()).advance(lease);
    (await shop.querier()).advance(lease);
    expect((await shop.get(`/orders/${orderNoOf(body)}`)).body["outcomeUnknown"]).toBe(true);
    expect((await shop.create(other)).body["type"]).toBe(problem("order-differs"));
    expect(await shop.create(body)).toMatchObject({ status: 201 });
    expect(shop.simulator.orders()).toHaveLength(1);
  });

  test("between send and store: a repeat after the lease sends it again under the same number", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    faults.fail(writes, { kind: "die-before" }, { skip: 1 });
    const body = orderBody();
    await createInCrash(shop, body);
    const [made] = shop.simulator.orders();
    expect(await shop.create(body)).toMatchObject({ status: 409 });
    (await shop.creator()).advance(lease);
    expect(await shop.create(body)).toMatchObject({
      status: 201,
      body: { paymentId: made?.paymentId },
    });
    expect(shop.simulator.orders()).toHaveLength(1);
  });

  test("after the payment was stored: a repeat gets it", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    faults.fail(writes, { kind: "die-after" }, { skip: 1 });
    const body = orderBody();
    await createInCrash(shop, body);
    const [made] = shop.simulator.orders();
    expect(await shop.create(body)).toMatchObject({
      status: 200,
      body: { paymentId: made?.paymentId },
    });
  });
});

describe("a record of the order whose answer is lost", () => {
  test("is known by who wrote it: the order is sent, once", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    faults.fail(writes, { kind: "lose-answer" }, { times: 1 });
    const body = orderBody();
    expect(await shop.create(body)).toMatchObject({ status: 201 });
    expect(shop.simulator.orders()).toHaveLength(1);
    expect(await shop.create(body)).toMatchObject({ status: 200 });
  });

  test("is known by who wrote it, though DynamoDB is still at work on it when it is sent again", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    faults.fail(writes, { kind: "lose-answer" }, { times: 1 });
    const error = dynamodbError("TransactionInProgressException");
    // As often as the SDK itself tries again; the next try is a new transaction.
    faults.fail(writes, { kind: "refuse", error }, { times: 2 });
    expect(await shop.create()).toMatchObject({ status: 201 });
    expect(shop.simulator.orders()).toHaveLength(1);
  });

  test("still frees the number when the service refuses", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    faults.fail(writes, { kind: "lose-answer" }, { times: 1 });
    shop.simulator.addFault({ kind: "refuse-creates", times: 1 });
    const body = orderBody();
    expect(await shop.create(body)).toMatchObject({ status: 502 });
    const fixed = orderBody({ paymentAmount: 24 }, { orderNo: orderNoOf(body) });
    expect(await shop.create(fixed)).toMatchObject({ status: 201 });
  });
});
