import { describe, expect, test } from "vitest";
import { countQueries } from "./count-queries.ts";
import { holdWrite } from "./hold-write.ts";
import { useShops } from "./shop.ts";
import { created } from "./silent-payment.ts";

const makeShop = useShops();

describe("an answer of the service that is news", () => {
  async function expiredInSilence() {
    const shop = await makeShop();
    const { orderNo, paymentId } = await created(shop);
    await shop.processor();
    shop.simulator.addFault({ kind: "lose" });
    shop.simulator.expire(paymentId);
    await shop.simulator.settled();
    const queries = countQueries(shop);
    /** Set back, the clock stays inside the time for which an answer counts. */
    const getSoon = async () => {
      (await shop.querier()).advance(-3_600_000);
      return (await shop.get(`/orders/${orderNo}`)).body;
    };
    return { shop, orderNo, queries, getSoon };
  }
  const expired = { status: "timeout", stale: false };

  test("is stale while it is in the inbox, and not any more when it is recorded", async () => {
    const { shop, orderNo, queries, getSoon } = await expiredInSilence();
    expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject(expired);
    expect(await getSoon()).toMatchObject({ status: "pending", stale: true });
    await shop.pump();
    expect(await getSoon()).toMatchObject(expired);
    expect(await queries()).toBe(1);
  });

  test("is not stale either if it is recorded before its caller could note the answer", async () => {
    const { shop, orderNo, queries, getSoon } = await expiredInSilence();
    const noting = holdWrite(await shop.querier(), 1);
    const asking = shop.get(`/orders/${orderNo}`);
    await noting.held();
    await shop.pump();
    noting.release();
    expect((await asking).body).toMatchObject(expired);
    expect(await getSoon()).toMatchObject(expired);
    expect(await queries()).toBe(1);
  });
});
