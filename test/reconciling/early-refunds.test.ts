import { expect, test } from "vitest";
import { queuedPayment, queuedRefund } from "../integration/callbacks.ts";
import { eventsOf, openNotices, process } from "../integration/flow.ts";
import type { Queued } from "../integration/lambda-events.ts";
import { makeOpensslShop, paymentData, success } from "../storefront/openssl-shop.ts";
import { orderBody, orderNoOf } from "../storefront/order.ts";
import { useShops } from "../storefront/shop.ts";
import { dueOf, minute, timeOf } from "./overdue.ts";

const makeShop = useShops();

/** An order whose refund is reported before its payment. The service answers queries as arranged. */
async function refundedFirst() {
  let answer: object = { status: "pending" };
  const { shop } = await makeOpensslShop(makeShop, {}, ({ method }) =>
    success(method === "service.trade.query" ? answer : paymentData),
  );
  const body = orderBody();
  const orderNo = orderNoOf(body);
  expect((await shop.create(body)).status).toBe(201);
  const receive = async (message: Queued) => {
    expect(await process(await shop.processor(), message)).toEqual([]);
  };
  const refund = { refundId: "R1", paymentId: "P1", refundAmount: 25 };
  await receive(queuedRefund(shop.world, refund));
  const get = async (query = "") => (await shop.get(`/orders/${orderNo}${query}`)).body;
  const answerWith = (next: object) => {
    answer = next;
  };
  const noticed = async () =>
    (await openNotices(shop.world)).map(({ attention }) => Object(attention).kind).sort();
  const pay = () => queuedPayment(shop.world, { referOrderNo: orderNo, paymentAmount: 25 });
  return { shop, orderNo, receive, pay, get, answerWith, noticed };
}

test("an order whose refund is reported first is not paid again, and somebody is told", async () => {
  const { shop, orderNo, receive, pay, get, noticed } = await refundedFirst();
  const time = timeOf(shop);
  expect(await dueOf(shop, orderNo)).toBeLessThanOrEqual(time.now());
  const first = await get();
  expect(first).toMatchObject({ status: "pending", stale: true, refundStatus: "refund_success" });
  expect(first).not.toHaveProperty("checkoutUrl");
  expect(await noticed()).toEqual([]);
  // GET has just queried the service about the order, which does not keep the check waiting for long.
  expect(await time.runAt(time.now() + minute)).toMatchObject({ Asked: 1 });
  expect(await noticed()).toEqual(["mismatch"]);
  expect(await get()).toMatchObject({ status: "pending", stale: true, flags: ["mismatch"] });
  await receive(pay());
  expect(await get()).toMatchObject({ status: "success", flags: ["mismatch", "refunded"] });
  expect(await noticed()).toEqual(["mismatch", "refunded"]);
  const events = await eventsOf(shop.world, "books");
  const paid = events.find(({ type }) => type === "payment.order.success");
  expect(paid?.data.flags).toEqual(["refunded"]);
});

test("the query finds its payment, and GET follows the refund as long as the caller wants", async () => {
  const { shop, get, answerWith, noticed } = await refundedFirst();
  const paid = { payAmount: 25, currency: "EUR", transactionId: "T1" };
  answerWith({ ...paid, status: "success" });
  const time = timeOf(shop);
  expect(await time.run()).toMatchObject({ News: 1 });
  await shop.pump();
  expect(await get()).toMatchObject({ status: "success", stale: false, flags: ["refunded"] });
  expect(await noticed()).toEqual(["refunded"]);
  answerWith({ ...paid, status: "refunding" });
  expect(await get()).toMatchObject({ refundStatus: "refund_success" });
  // The claim of the check is over.
  time.moveTo(time.now() + minute);
  const asked = await get("?refresh=true");
  expect(asked).toMatchObject({ refundStatus: "refunding", stale: false });
  await shop.pump();
  expect(await get()).toMatchObject({
    refundStatus: "refunding",
    refundedAmount: { value: "25.00" },
  });
});
