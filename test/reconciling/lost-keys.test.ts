import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { expect, test } from "vitest";
import { keysKeptMilliseconds } from "../../shared/timing.ts";
import { getItem } from "../integration/aws-stores.ts";
import { logOf } from "../integration/flow.ts";
import type { SeenRequest } from "../storefront/openssl-service.ts";
import { makeOpensslShop, success } from "../storefront/openssl-shop.ts";
import { type Shop, useShops } from "../storefront/shop.ts";
import { dueOrder, store, storeDue } from "./due-orders.ts";
import { minute } from "./overdue.ts";

const makeShop = useShops();
const paid = { status: "success", payAmount: 25, currency: "EUR", transactionId: "T1" };
const ordersOfM2 = 6;

/**
 * One run over six orders of M2 and two of another merchant. After the first query for M2, its secret changes, and the
 * cached keys become old.
 */
async function runWhile(loseKeys: (shop: Shop, SecretId: string) => Promise<unknown>) {
  let isLost = false;
  const { shop, service } = await makeOpensslShop(
    makeShop,
    { otherMerchants: ["M2"] },
    async ({ merchantId }: SeenRequest) => {
      if (merchantId === "M2" && !isLost) {
        isLost = true;
        const reconciler = await shop.reconciler();
        await loseKeys(shop, secretOf(reconciler.faults.calls));
        reconciler.advance(keysKeptMilliseconds);
      }
      return success(paid);
    },
  );
  const ofM2 = Array.from({ length: ordersOfM2 }, (_item, index) =>
    dueOrder(shop, { orderNo: `M2-${index}`, lateMilliseconds: 10 * minute, merchantId: "M2" }),
  );
  await store(shop, ofM2);
  await storeDue(shop, 2);
  const reconciler = await shop.reconciler();
  // Time for the jump of the clock, too.
  await reconciler.invoke({}, keysKeptMilliseconds + minute);
  const lines = logOf(reconciler);
  const asked = service.requests.filter(({ merchantId }) => merchantId === "M2");
  return { shop, reconciler, ofM2, lines, asked };
}

/** The request keys that the instance has read last: those of the merchant that it is asking for. */
function secretOf(calls: Shop["started"][number]["faults"]["calls"]): string {
  const ids = calls.map(({ input }) => String(input["SecretId"]));
  return ids.findLast((id) => id.startsWith("requestSecret")) ?? "";
}

test("a merchant whose keys are replaced by unusable ones in the middle of a run is postponed and reported", async () => {
  const { shop, reconciler, ofM2, lines, asked } = await runWhile(({ world }, SecretId) =>
    world.secrets.send(new PutSecretValueCommand({ SecretId, SecretString: "{}" })),
  );
  expect(asked).toHaveLength(1);
  expect(lines).toMatchObject([
    { outcome: "keys-problem", merchantId: "M2", reason: "keys-invalid", KeysProblem: 1 },
    {
      outcome: "reconciled",
      reason: "keys-invalid",
      News: 3,
      QueryFailed: 1,
      SetAside: ordersOfM2 - 2,
    },
  ]);
  const items = await Promise.all(
    ofM2.map(({ aggregateKey }) =>
      getItem(shop.world.dynamodb, shop.world.tables.orders, { aggregateKey }),
    ),
  );
  for (const item of items) {
    expect(item).toMatchObject({ status: "pending" });
    expect(item!["dueAtMilliseconds"]).toBeGreaterThan(reconciler.now());
  }
});

test("a merchant whose secret cannot be read any more in the middle of a run is checked with the cached keys", async () => {
  const { lines, asked } = await runWhile(async (shop, SecretId) => {
    const error = { status: 400, type: "ResourceNotFoundException" };
    const { faults } = await shop.reconciler();
    faults.fail(({ input }) => input["SecretId"] === SecretId, { kind: "refuse", error });
  });
  expect(asked).toHaveLength(ordersOfM2);
  expect(lines).toMatchObject([
    { outcome: "keys-problem", merchantId: "M2", KeysProblem: 1 },
    { outcome: "reconciled", News: ordersOfM2 + 2 },
  ]);
  expect(lines.at(-1)).not.toHaveProperty("QueryFailed");
});
