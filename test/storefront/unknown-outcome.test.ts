import { describe, expect, test } from "vitest";
import { creationLeaseMilliseconds as lease } from "../../shared/timing.ts";
import { writes } from "../integration/fault-proxy.ts";
import { makeBarrier, makeOpensslShop, paymentData, success } from "./openssl-shop.ts";
import { createEvent, orderBody, orderNoOf } from "./order.ts";
import { useShops } from "./shop.ts";

const makeShop = useShops();
const problem = (kind: string) => `urn:paycast:problem:${kind}`;

describe("an order whose outcome is unknown", () => {
  test("keeps every payment that the service returns for it, and each leads to the order", async () => {
    const barrier = makeBarrier();
    const { shop, service } = await makeOpensslShop(makeShop, {}, async (_request, count) => {
      if (count === 1) await barrier.opened;
      return success({ ...paymentData, paymentId: `P${count}` });
    });
    const body = orderBody();
    const earlier = await shop.creator();
    (await shop.replace("create-order")).advance(lease);
    const late = earlier.invoke(createEvent(body));
    await expect.poll(() => service.requests.length, { timeout: 9_000 }).toBe(1);
    expect(await shop.create(body)).toMatchObject({ status: 201, body: { paymentId: "P2" } });
    barrier.open();
    const answered = { statusCode: 201, body: expect.stringContaining('"paymentId":"P2"') };
    expect(await late).toMatchObject({ value: answered });
    const { body: order } = await shop.get(`/orders/${orderNoOf(body)}`);
    expect(order).toMatchObject({
      paymentId: "P2",
      payments: [{ paymentId: "P2" }, { paymentId: "P1" }],
    });
    for (const paymentId of ["P1", "P2"]) {
      expect((await shop.get(`/payments/${paymentId}`)).body["orderNo"]).toBe(orderNoOf(body));
    }
  });

  test("is known after all when only the table's answers were lost", async () => {
    const shop = await makeShop();
    const body = orderBody();
    const { faults } = await shop.creator();
    faults.fail(writes, { kind: "lose-answer" }, { skip: 1, times: 3 });
    const created = await shop.create(body);
    const [{ paymentId = "" } = {}] = shop.simulator.orders();
    expect(created).toMatchObject({ status: 201, body: { paymentId } });
    expect(await shop.create(body)).toMatchObject({ status: 200, body: created.body });
  });

  test.each([
    ["cannot be reached", "closed"],
    ["refuses the repeat", "refuse-creates"],
  ])(
    "stays so when the service %s: it may have the order from the first time",
    async (_case, how) => {
      const shop = await makeShop();
      const body = orderBody();
      const orderNo = orderNoOf(body);
      shop.simulator.addFault({ kind: "reset-connections", when: "after", times: 1 });
      expect(await shop.create(body)).toMatchObject({ status: 504 });
      if (how === "closed") await shop.stopService();
      else shop.simulator.addFault({ kind: "refuse-creates", times: 1 });
      expect((await shop.create(body)).status).toBe(how === "closed" ? 503 : 502);
      expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({ outcomeUnknown: true });
      const another = orderBody({ paymentAmount: 24 }, { orderNo });
      expect(await shop.create(another)).toMatchObject({
        body: { type: problem("order-differs") },
      });
    },
  );
});
