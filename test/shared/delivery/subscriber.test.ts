import { describe, expect, test } from "vitest";
import {
  locateSubscribers,
  type Subscriber,
  subscribersTo,
} from "../../../shared/delivery/subscriber.ts";
import { smokeName } from "../../../shared/smoke-merchant.ts";

const subscriber = (name: string, wants: Partial<Subscriber> = {}): Subscriber => ({
  name,
  types: ["*"],
  queueUrl: `https://sqs.example/${name}`,
  ordered: true,
  ...wants,
});

const subscribers = [
  subscriber("all"),
  subscriber("first", { merchants: ["M1"] }),
  subscriber("both", { merchants: ["M1", "M2"], types: ["payment.order.*"] }),
  subscriber(smokeName, { merchants: [smokeName] }),
];

function namesFor(merchantId: string, type = "payment.order.success" as const): string[] {
  return subscribersTo({ type, merchantId }, subscribers).map(({ name }) => name);
}

describe("a subscriber", () => {
  test("gets the events of the merchants that it names", () => {
    expect(namesFor("M1")).toEqual(["all", "first", "both"]);
    expect(namesFor("M2")).toEqual(["all", "both"]);
  });

  test("that names no merchants gets those of all", () => {
    expect(namesFor("M3")).toEqual(["all"]);
  });

  test("gets only the types that it names, also of its merchants", () => {
    const fact = { type: "payment.refund.success", merchantId: "M1" } as const;
    expect(subscribersTo(fact, subscribers).map(({ name }) => name)).toEqual(["all", "first"]);
  });

  test("never gets an event of a smoke test, unless it is the smoke test's own", () => {
    expect(namesFor(smokeName)).toEqual([smokeName]);
  });
});

test.each([
  ["https://sqs.eu-west-1.amazonaws.com/123456789012/"],
  ["https://sqs.cn-north-1.amazonaws.com.cn/123456789012/"],
  ["https://sqs.us-gov-west-1.amazonaws.com/123456789012/"],
  ["https://eu-west-1.queue.amazonaws.com/123456789012/"],
  ["http://127.0.0.1:3003/000000000000/"],
])("a queue is beside the inbox, in the same account: %s", (address) => {
  const listed = ["Paycast-Subscribersbooks-1A_b.fifo", "Paycast-Subscriberscrm-2B"].map(
    (queue) => ({ name: "books", types: ["*"], queue }),
  );
  const located = locateSubscribers(listed, `${address}Paycast-InboxMessages-0Z.fifo`);
  expect(located.map(({ queueUrl }) => queueUrl)).toEqual(
    listed.map(({ queue }) => `${address}${queue}`),
  );
  expect(located.map(({ ordered }) => ordered)).toEqual([true, false]);
});
