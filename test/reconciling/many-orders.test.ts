import { expect, test } from "vitest";
import { to } from "../integration/fault-proxy.ts";
import { makeOpensslShop, success } from "../storefront/openssl-shop.ts";
import { useShops } from "../storefront/shop.ts";
import { dueOrder, store, storeDue } from "./due-orders.ts";
import { hour, timeOf } from "./overdue.ts";

const makeShop = useShops();
const open = 100;
const due = 10;
/** More than a run has in AWS: all that are due must be asked about, however slow the machine is. */
const enoughMilliseconds = 110_000;

test("of 100 open orders only the 10 that are due cost reads and questions", async () => {
  const pending = success({ status: "pending" });
  const { shop, service } = await makeOpensslShop(makeShop, {}, () => pending);
  const later = Array.from({ length: open - due }, (_item, index) =>
    dueOrder(shop, { orderNo: `LATER-${index}`, lateMilliseconds: -hour }),
  );
  await store(shop, later);
  await storeDue(shop, due);
  const time = timeOf(shop);
  expect(await time.run(enoughMilliseconds)).toMatchObject({
    outcome: "reconciled",
    Answered: due,
  });
  expect(service.requests).toHaveLength(due);
  const { calls } = (await shop.reconciler()).faults;
  const count = (operation: string) => calls.filter(to("dynamodb", operation)).length;
  // One page of each shard of two indexes; each order is read once with its payment and written twice; the lease is one more
  // write.
  expect(count("Query")).toBe(16);
  expect(count("GetItem")).toBe(2 * due);
  expect(count("PutItem")).toBe(2 * due + 1);
  expect(count("Scan")).toBe(0);
  for (const { input } of calls.filter(to("dynamodb", "Query"))) {
    expect(input).toMatchObject({
      IndexName: expect.stringMatching(/^by-(due|early)$/),
      Limit: 25,
    });
    const values = Object.values(
      input["ExpressionAttributeValues"] as Record<string, { N?: string }>,
    );
    const until = Math.max(...values.map(({ N = "0" }) => Number(N)));
    expect(until).toBeGreaterThan(0);
    expect(until).toBeLessThan(time.now() + hour / 2);
  }
  const idle = calls.length;
  expect(await time.runAt(time.now() + 70_000)).toMatchObject({ OldestDueSeconds: 0 });
  // The lease and the eight shards of each index.
  expect(calls.length - idle).toBe(17);
});
