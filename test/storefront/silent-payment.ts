import { orderBody, orderNoOf } from "./order.ts";
import type { Shop } from "./shop.ts";

/** An order at the service, created through the storefront. */
export async function created(
  shop: Shop,
  wanted: Parameters<typeof orderBody>[0] = {},
): Promise<{ orderNo: string; paymentId: string }> {
  const body = orderBody(wanted);
  const answer = await shop.create(body);
  return { orderNo: orderNoOf(body), paymentId: String(answer.body["paymentId"]) };
}

/** It is paid, and the service's callbacks never arrive. */
export async function payInSilence(shop: Shop, paymentId: string): Promise<void> {
  shop.simulator.addFault({ kind: "lose" });
  shop.simulator.pay(paymentId);
  shop.simulator.jumpClock(2);
  await shop.simulator.settled();
  shop.simulator.clearFaults();
}
