import { describe, expect, test } from "vitest";
import { to } from "../integration/fault-proxy.ts";
import { makeGate, makeOpensslShop, paymentData, success } from "./openssl-shop.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { type Answer, type Shop, useShops } from "./shop.ts";

const makeShop = useShops();
const problem = (kind: string) => `urn:paycast:problem:${kind}`;
const lease = 35_000;

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();

/** The crash of the instance that creates orders; another one takes its place. */
async function createInCrash(shop: Shop, body: unknown): Promise<void> {
  expect(await shop.create(body)).toMatchObject({ status: 500 });
  await shop.replace("create-order");
}

describe("of twenty creates of one order at once", () => {
  test("one goes to the service; the others wait, and get the payment when it is done", async () => {
    const gate = makeGate();
    const { shop, service } = await makeOpensslShop(makeShop, { instances: 4 }, async () => {
      await gate.opened;
      return success(paymentData);
    });
    const body = orderBody();
    await shop.creator();
    const first = shop.create(body);
    await expect.poll(() => service.requests.length, { timeout: 9_000 }).toBe(1);
    const others = await Promise.all(Array.from({ length: 19 }, () => shop.create(body)));
    for (const other of others) {
      expect(other.status).toBe(409);
      expect(other.body).toMatchObject({
        type: problem("order-in-progress"),
        retryAfterSeconds: 5,
      });
      expect(other.headers.get("retry-after")).toBe("5");
    }
    gate.open();
    expect(await first).toMatchObject({ status: 201, body: { paymentId: "P1" } });
    const later = await Promise.all(Array.from({ length: 19 }, () => shop.create(body)));
    const { body: payment } = await first;
    for (const answer of later) expect(answer).toMatchObject({ status: 200, body: payment });
    expect(service.requests).toHaveLength(1);
  });

  test("that all begin in the same moment one goes to the service", async () => {
    const shop = await makeShop({ instances: 4, simulator: { repeatedOrderNo: "new" } });
    await Promise.all(Array.from({ length: 4 }, () => shop.create()));
    const before = shop.simulator.orders().length;
    const body = orderBody();
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.create(body)));
    expect(statuses(answers).filter((status) => status === 201)).toHaveLength(1);
    expect(statuses(answers).every((status) => [200, 201, 409].includes(status))).toBe(true);
    expect(shop.simulator.orders()).toHaveLength(before + 1);
  });

  test("of twenty different bodies one is taken, and the others are told that it is another", async () => {
    const shop = await makeShop({ instances: 2 });
    const orderNo = orderNoOf(orderBody());
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        shop.create(orderBody({ paymentAmount: index + 1 }, { orderNo })),
      ),
    );
    expect(statuses(answers)).toEqual([201, ...Array(19).fill(409)]);
    const types = answers.map(({ body }) => body["type"]).filter((type) => type !== undefined);
    expect(new Set(types)).toEqual(new Set([problem("order-differs")]));
    expect(shop.simulator.orders()).toHaveLength(1);
  });
});

describe("the same order again", () => {
  test("is the same though its fields stand in another order, and names the same payment for ever", async () => {
    const shop = await makeShop();
    const body = orderBody();
    const { body: payment } = await shop.create(body);
    const { order, ...rest } = body;
    expect(await shop.create({ ...rest, order })).toMatchObject({ status: 200, body: payment });
    (await shop.creator()).advance(40 * 86_400_000);
    expect(await shop.create(body)).toMatchObject({ status: 200, body: payment });
  });

  test("is known though its time has run out since, which a new order's may not have", async () => {
    const shop = await makeShop();
    const body = orderBody({ paymentExpiryTime: Date.now() + 20 * 60_000 });
    const { body: payment } = await shop.create(body);
    (await shop.creator()).advance(30 * 60_000);
    expect(await shop.create(body)).toMatchObject({ status: 200, body: payment });
    const another = { ...body, paymentAmount: 24 };
    expect(await shop.create(another)).toMatchObject({ body: { type: problem("order-differs") } });
    const { body: refused } = await shop.create(
      orderBody({ paymentExpiryTime: body["paymentExpiryTime"] }),
    );
    expect(refused).toMatchObject({
      type: problem("body-invalid"),
      errors: [{ pointer: "/paymentExpiryTime" }],
    });
    expect(shop.simulator.orders()).toHaveLength(1);
  });

  test("is another order at another merchant", async () => {
    const shop = await makeShop({ otherMerchants: ["M2"] });
    const { merchantId } = shop.world.merchant;
    const body = orderBody();
    const [first, second] = [
      await shop.create({ ...body, merchantId }),
      await shop.create({ ...body, merchantId: "M2" }),
    ];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.body["paymentId"]).not.toBe(second.body["paymentId"]);
    expect(
      shop.simulator
        .orders()
        .map((order) => order.merchantId)
        .sort(),
    ).toEqual([merchantId, "M2"].sort());
  });
});

describe("a crash", () => {
  test("between record and send: nothing is sent until the lease has ended, then once", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    faults.fail(to("dynamodb", "UpdateItem"), { kind: "die-after" });
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
    faults.fail(to("dynamodb", "TransactWriteItems"), { kind: "die-before" });
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
    faults.fail(to("dynamodb", "TransactWriteItems"), { kind: "die-after" });
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
    faults.fail(to("dynamodb", "UpdateItem"), { kind: "lose-answer" }, { times: 1 });
    const body = orderBody();
    expect(await shop.create(body)).toMatchObject({ status: 201 });
    expect(shop.simulator.orders()).toHaveLength(1);
    expect(await shop.create(body)).toMatchObject({ status: 200 });
  });

  test("still frees the number when the service refuses", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    faults.fail(to("dynamodb", "UpdateItem"), { kind: "lose-answer" }, { times: 1 });
    shop.simulator.addFault({ kind: "refuse-creates", times: 1 });
    const body = orderBody();
    expect(await shop.create(body)).toMatchObject({ status: 422 });
    const mended = orderBody({ paymentAmount: 24 }, { orderNo: orderNoOf(body) });
    expect(await shop.create(mended)).toMatchObject({ status: 201 });
  });
});

describe("an order whose outcome is unknown", () => {
  test("keeps every payment that the service returns for it, and each leads to the order", async () => {
    const gate = makeGate();
    const { shop, service } = await makeOpensslShop(makeShop, {}, async (_, count) => {
      if (count === 1) await gate.opened;
      return success({ ...paymentData, paymentId: `P${count}` });
    });
    const body = orderBody();
    await shop.creator();
    const late = shop.create(body);
    await expect.poll(() => service.requests.length, { timeout: 9_000 }).toBe(1);
    (await shop.replace("create-order")).advance(lease);
    expect(await shop.create(body)).toMatchObject({ status: 201, body: { paymentId: "P2" } });
    gate.open();
    expect(await late).toMatchObject({ status: 201, body: { paymentId: "P1" } });
    const order = await shop.order(orderNoOf(body));
    expect(new Set(order?.["paymentIds"] as string[])).toEqual(new Set(["P1", "P2"]));
    for (const paymentId of ["P1", "P2"]) {
      expect((await shop.get(`/payments/${paymentId}`)).body["orderNo"]).toBe(orderNoOf(body));
    }
  });

  test("is known again when only the table's answer was lost", async () => {
    const shop = await makeShop();
    const body = orderBody();
    const { faults } = await shop.creator();
    faults.fail(to("dynamodb", "TransactWriteItems"), { kind: "lose-answer" }, { times: 3 });
    expect(await shop.create(body)).toMatchObject({ status: 504 });
    const [{ paymentId = "" } = {}] = shop.simulator.orders();
    expect(await shop.create(body)).toMatchObject({ status: 200, body: { paymentId } });
  });

  test.each([
    ["cannot be reached", "closed"],
    ["refuses the repeat", "refuse-creates"],
  ])("stays so when the service %s: it may have the order from the first time", async (_, how) => {
    const shop = await makeShop();
    const body = orderBody();
    const orderNo = orderNoOf(body);
    shop.simulator.addFault({ kind: "reset-connections", when: "after", times: 1 });
    expect(await shop.create(body)).toMatchObject({ status: 504 });
    if (how === "closed") await shop.simulator.stop();
    else shop.simulator.addFault({ kind: "refuse-creates", times: 1 });
    expect((await shop.create(body)).status).toBe(how === "closed" ? 503 : 422);
    expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({ outcomeUnknown: true });
    const another = orderBody({ paymentAmount: 24 }, { orderNo });
    expect(await shop.create(another)).toMatchObject({ body: { type: problem("order-differs") } });
  });

  test("is not sent again once the service has told of it: it could be paid twice", async () => {
    const shop = await makeShop({ simulator: { repeatedOrderNo: "new" } });
    const body = orderBody();
    shop.simulator.addFault({ kind: "reset-connections", when: "after", times: 1 });
    expect(await shop.create(body)).toMatchObject({ status: 504 });
    const [{ paymentId = "" } = {}] = shop.simulator.orders();
    await shop.pay(paymentId);
    const repeated = await shop.create(body);
    expect(repeated).toMatchObject({ status: 409, body: { type: problem("order-exists") } });
    expect(repeated.headers.get("retry-after")).toBeNull();
    expect((await shop.get(`/orders/${orderNoOf(body)}`)).body).toMatchObject({
      status: "success",
      outcomeUnknown: false,
    });
    expect(shop.simulator.orders()).toHaveLength(1);
  });
});
