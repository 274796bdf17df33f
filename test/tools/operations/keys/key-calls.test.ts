import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { expect, test, vi } from "vitest";
import { checkKeys } from "../../../../tools/operations/keys/check-keys.ts";
import { readVersionUse } from "../../../../tools/operations/records/version-use.ts";
import { attentionSetup } from "../attention/attention-setup.ts";
import { callback } from "../attention/put-aside.ts";
import { useTarget } from "../use-target.ts";
import { keySetup } from "./key-setup.ts";

const operated = useTarget({ merchants: ["shop-1", "shop-2", "shop-3"] });
const setup = keySetup(operated);
const attention = attentionSetup(operated);

/** The calls of one look at the keys, by the table that they read or the service that they ask. */
async function callsOf(look: () => Promise<unknown>) {
  const tables = vi.spyOn(operated.target().records.database.client, "send");
  const secrets = vi.spyOn(SecretsManagerClient.prototype, "send");
  await look();
  const tableOf = ([{ input }]: (typeof tables.mock.calls)[number]) =>
    "TableName" in input ? input.TableName : undefined;
  const to = (table: string) => tables.mock.calls.filter((call) => tableOf(call) === table).length;
  const { records, orders } = operated.target();
  const counts = {
    callbacks: to(records.table),
    orders: to(orders.table),
    secrets: secrets.mock.calls.length,
  };
  tables.mockRestore();
  secrets.mockRestore();
  return counts;
}

/** A callback that the merchant's current keys verified. */
async function verified(merchantId: string) {
  const { stack } = operated.target();
  const { callbackKeys } = stack.merchants.find((merchant) => merchant.merchantId === merchantId)!;
  const { AWSCURRENT } = await setup.stagesOf(callbackKeys);
  const aside = callback({ merchantId, keyVersion: AWSCURRENT });
  await attention.toInbox(aside);
  await attention.published(aside);
}

test("keys check of three merchants reads two hours, if each version was seen in the newest one or is younger", async () => {
  for (const merchantId of ["shop-1", "shop-2"]) await verified(merchantId);
  const { callbacks, secrets } = await callsOf(() => checkKeys(operated.target()));
  // The version of shop-3 was not seen, so the hour before it was made is read, too. Another hour, if one has begun since.
  expect([16, 24]).toContain(callbacks);
  // A look at the stages, and one at the value, of two secrets of each merchant.
  // One more for each secret, since it was set just now: whether there were keys before.
  expect(secrets).toBe(3 * 2 * 3);
});

test("a version that is old and not used costs a day once, and its empty hours nothing the next time", async () => {
  // Another object, for which no empty hour is known yet.
  const target = { ...operated.target() };
  const unused = [{ versionId: "unused", createdAtMilliseconds: 0 }];
  const look = () => readVersionUse(target, unused);
  expect((await callsOf(look)).callbacks).toBe(24 * 8);
  // Not sure of the hour of now, and of the one before during its first ten minutes.
  expect((await callsOf(look)).callbacks).toBeLessThanOrEqual(2 * 8);
});
