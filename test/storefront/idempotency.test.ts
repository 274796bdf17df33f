import { describe, expect, test } from "vitest";
import { writes } from "../integration/fault-proxy.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { type Answer, useShops } from "./shop.ts";

const makeShop = useShops();
const problem = (kind: string) => `urn:paycast:problem:${kind}`;

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();

/** The answer to a later repeat, which does not ask the service, after the order has expired. */
function asExpired({ checkoutUrl: _url, ...payment }: Record<string, unknown>) {
  return { ...payment, stale: true };
}

describe("of twenty creates of one order at once", () => {
  test("one goes to the service, and the others wait for it", async () => {
    const shop = await makeShop({ instances: 4, simulator: { repeatedOrderNo: "new" } });
    const body = orderBody();
    await shop.creator();
    // It dies before it can store the payment, so for the rest of its lease it may still be at the service.
    for (const { faults } of shop.started) faults.fail(writes, { kind: "die-before" }, { skip: 1 });
    expect(await shop.create(body)).toMatchObject({ status: 500 });
    await shop.replace("create-order");
    const others = await Promise.all(Array.from({ length: 19 }, () => shop.create(body)));
    for (const other of others) {
      expect(other.status).toBe(409);
      expect(other.body).toMatchObject({
        type: problem("order-in-progress"),
        retryAfterSeconds: 5,
      });
      expect(other.headers.get("retry-after")).toBe("5");
    }
    expect(shop.simulator.orders()).toHaveLength(1);
  });

  test("those that come when it is done get the payment", async () => {
    const shop = await makeShop({ instances: 4, simulator: { repeatedOrderNo: "new" } });
    const body = orderBody();
    const { status, body: payment } = await shop.create(body);
    expect(status).toBe(201);
    const others = await Promise.all(Array.from({ length: 19 }, () => shop.create(body)));
    for (const other of others) expect(other).toMatchObject({ status: 200, body: payment });
    expect(shop.simulator.orders()).toHaveLength(1);
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

  test("of twenty different bodies one is taken, and the others are rejected as different", async () => {
    const shop = await makeShop({ instances: 2 });
    const orderNo = orderNoOf(orderBody());
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_item, index) =>
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
  test("is the same though its fields stand in another order, and names the same payment always", async () => {
    const shop = await makeShop();
    const body = orderBody();
    const { body: payment } = await shop.create(body);
    const { order, ...rest } = body;
    expect(await shop.create({ ...rest, order })).toMatchObject({ status: 200, body: payment });
    (await shop.creator()).advance(40 * 86_400_000);
    const later = await shop.create(body);
    expect(later).toMatchObject({ status: 200, body: asExpired(payment) });
    expect(later.body).not.toHaveProperty("checkoutUrl");
  });

  test("is known though its time has run out since, which a new order's may not have", async () => {
    const shop = await makeShop();
    const body = orderBody({ paymentExpiryTime: Date.now() + 20 * 60_000 });
    const { body: payment } = await shop.create(body);
    (await shop.creator()).advance(30 * 60_000);
    expect(await shop.create(body)).toMatchObject({ status: 200, body: asExpired(payment) });
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
