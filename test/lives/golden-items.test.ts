import { readFileSync } from "node:fs";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { noticeSchema } from "../../shared/attention/notice.ts";
import { stateKinds } from "../../shared/orders/order-state.ts";
import { refundedTotal } from "../../shared/orders/payment.ts";
import { aggregateItem, readOrder, readPayment } from "../../shared/orders/stored-aggregate.ts";
import { readRecord, recordItem } from "../../shared/records/stored-record.ts";
import { viewOrder } from "../../shared/storefront/order-view.ts";
import { fromAttributes, toAttributes } from "../../shared/table/attributes.ts";
import type { Item } from "../../shared/table/items.ts";
import { fieldsOf, writeFields } from "./describe.ts";

const text = readFileSync(new URL("golden-items.txt", import.meta.url), "utf8");
const [head = "", ...blocks] = text.split(/^## /m);
const nowMilliseconds = Date.UTC(2026, 10, 15, 2);

interface Golden {
  readonly title: string;
  readonly origin: string;
  readonly attributes: Record<string, AttributeValue>;
}

const goldens = blocks.map((block): Golden => {
  const [title = "", origin = "", ...lines] = block.split("\n");
  const stored = lines.flatMap((line) => {
    const [, name, json] = /^(\w+): (.*)$/.exec(line) ?? [];
    return name === undefined || json === undefined ? [] : [[name, JSON.parse(json)]];
  });
  return { title, origin, attributes: Object.fromEntries(stored) };
});

/** What a reader makes of an item, and the item that it would write again. */
function readAgain(item: Item): { readonly says: object; readonly written: object } {
  if (item["kind"] === "order") {
    const order = readOrder(item);
    const says = viewOrder(order, [], { stale: false, nowMilliseconds });
    return {
      says: { ...says, state: order.state, question: order.question },
      written: aggregateItem(order),
    };
  }
  if (item["kind"] === "payment") {
    const payment = readPayment(item);
    return {
      says: { ...payment, refunded: refundedTotal(payment) },
      written: aggregateItem(payment),
    };
  }
  if (item["outcome"] === "notice") {
    const notice = noticeSchema.parse(item);
    return { says: notice, written: notice };
  }
  const record = readRecord(item);
  return { says: record, written: recordItem(record) };
}

function write({ title, origin, attributes }: Golden): string {
  const stored = Object.entries(attributes).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}`,
  );
  const { says } = readAgain(fromAttributes(attributes));
  const read = Object.entries(fieldsOf(says)).map(
    ([name, value]) => `> ${writeFields({ [name]: value })}`,
  );
  return [`## ${title}`, origin, "", ...stored, ...read, "", ""].join("\n");
}

test("every item says what it said when it was stored", async () => {
  const written = [head, ...goldens.map(write)].join("").trimEnd();
  await expect(`${written}\n`).toMatchFileSnapshot("golden-items.txt");
});

describe("nothing of an item is lost when it is written again:", () => {
  test.each(goldens)("$title", ({ attributes }) => {
    const item = fromAttributes(attributes);
    const again = fromAttributes(toAttributes(readAgain(item).written));
    // Fields that only an operator or an update writes are in no record that is written whole.
    expect(item).toMatchObject(again);
  });
});

test("there is an order in every state that is stored", () => {
  const states = goldens.map(
    ({ attributes }) => fromAttributes(attributes)["state"] as { kind: string },
  );
  const kinds = new Set(states.map((state) => state?.kind));
  expect(stateKinds.filter((kind) => !kinds.has(kind))).toEqual(["new"]);
});
