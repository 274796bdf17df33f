import type { DynamoDBClient, GetItemCommandInput } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { openNotice, type Revealed } from "../../../../shared/attention/notice.ts";
import { newOrder } from "../../../../shared/orders/order.ts";
import { aggregateItem } from "../../../../shared/orders/stored-aggregate.ts";
import { toAttributes } from "../../../../shared/table/attributes.ts";
import { foundItem } from "../../../../tools/operations/attention/item.ts";
import { addMoney } from "../../../../tools/operations/attention/show-notice.ts";
import { openTables } from "../../../../tools/operations/aws/open-tables.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";

const subject = { kind: "order" as const, merchantId: "shop-1", orderNo: "ORDER-1" };
const settings = { recordExpiryDays: 90, now: () => Date.parse("2026-11-15T10:00:00Z") };

/** What a list says about a notice of an order that was created for 12.30 EUR and is not paid. */
async function detailOf(revealed: Revealed): Promise<string | undefined> {
  const notice = openNotice({ subject, kind: "mismatch", revealed }, settings);
  const expected = { value: "12.30", currency: "EUR", minor: "1230" };
  const order = aggregateItem({ ...newOrder("shop-1", "ORDER-1"), revision: 1, expected });
  const send = async ({ input: { TableName } }: { input: GetItemCommandInput }) => ({
    Item: toAttributes(TableName === "callbacks" ? notice : order),
    Items: [],
  });
  const database = openTables({ send } as unknown as DynamoDBClient);
  const target = {
    queues: { subscribers: [] },
    records: { table: "callbacks", database },
    orders: { table: "orders", database },
  } as unknown as Target;
  const [item] = await addMoney(target, [foundItem(target, notice)]);
  return item?.detail;
}

test.each<[Revealed, string]>([
  [
    { type: "payment.order.success", amount: "9.00 EUR", transactionId: "T1" },
    "Reported payment.order.success of 9.00 EUR, transaction T1; created for 12.30 EUR.",
  ],
  [
    { type: "payment.refund.success", amount: "99.00 EUR", refundId: "R1" },
    "Reported payment.refund.success of 99.00 EUR, refund R1; created for 12.30 EUR.",
  ],
])(
  "a mismatch that %j revealed names the amounts that are stored, and no others",
  async (revealed, text) => {
    expect(await detailOf(revealed)).toBe(text);
  },
);
