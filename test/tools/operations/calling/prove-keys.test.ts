import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { expect, test, vi } from "vitest";
import { dayPlaceOf } from "../../../../shared/orders/day.ts";
import { newOrder } from "../../../../shared/orders/order.ts";
import { findKnownPayment, proveKeys } from "../../../../tools/operations/calling/prove-keys.ts";
import { makeMerchant } from "../../../builders/merchant.ts";
import { putItem } from "../../../integration/aws-stores.ts";
import { useTarget } from "../use-target.ts";

const operated = useTarget();

test("request keys are not proven, and that is no error, while the orders cannot be read", async () => {
  const { orders, ...target } = operated.target();
  const unreadable = { ...target, orders: { ...orders, table: "no-such-table" } };
  const proof = await proveKeys(unreadable, "shop-1", { text: makeMerchant().requestSecret() });
  expect(proof).toMatchObject({
    outcome: "not-asked",
    text: expect.stringMatching(/^not proven: AWS rejected a call: ResourceNotFound/),
  });
});

const putOrder = async (merchantId: string, secondsAgo: number, ...paymentIds: string[]) => {
  const { table } = operated.target().orders;
  const order = newOrder(merchantId, `O-${secondsAgo}`);
  const place = dayPlaceOf(order, Date.now() - secondsAgo * 1_000);
  await putItem(operated.clients().dynamodb, table, { ...order, ...place, paymentIds });
};

test("request keys are proven with the newest payment, behind a page of orders that have none", async () => {
  for (let age = 0; age < 25; age += 1) await putOrder("refused-shop", age);
  await putOrder("refused-shop", 25, "PAY-OLD");
  expect(await findKnownPayment(operated.target(), "refused-shop")).toBe("PAY-OLD");
});

test("request keys are proven with a payment of two weeks ago, and two weeks are read only if none is newer", async () => {
  const find = () => findKnownPayment(operated.target(), "quiet-shop");
  await putOrder("quiet-shop", 13 * 86_400, "PAY-OLD");
  expect(await find()).toBe("PAY-OLD");
  await putOrder("quiet-shop", 3_600, "PAY-NEW");
  const calls = vi.spyOn(operated.target().orders.database.client, "send").mock.calls;
  expect(await find()).toBe("PAY-NEW");
  const queries = calls.filter(([command]) => command instanceof QueryCommand);
  expect(queries).toHaveLength(2 * 8);
});
