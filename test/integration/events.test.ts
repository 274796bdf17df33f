import { randomUUID } from "node:crypto";
import { CloudEvent, HTTP } from "cloudevents";
import { beforeAll, describe, expect, test } from "vitest";
import { type Fields, paymentCallback, queuedPayment, queuedRefund } from "./callbacks.ts";
import { sendTo } from "./fault-proxy.ts";
import { messagesOf, orderItem, post, process, pump, subscriber } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const hex64 = /^[0-9a-f]{64}$/;
const ascii = /^[\x20-\x7e]+$/;

const astral = "\u{1d49c}".repeat(64);
const orderNumbers: [name: string, orderNo: string][] = [
  ["Latin", "ORDER-2026/000042"],
  ["Chinese", "订单二〇二六"],
  ["Arabic, right to left", "طلب ٤٢ \u202e"],
  ["Hebrew", "הזמנה־42"],
  ["Thai", "คำสั่งซื้อ"],
  ["emoji of several code points", "👩‍👩‍👧‍👦🇨🇭"],
  ["combining marks", "e\u0301\u0302\u0303"],
  ["control characters", "\u0000\u0001\u001f\u007f\u0085"],
  ["code points that SQS refuses", "\ufffe\uffff\u000b\u000c"],
  ["line ends", "a\r\nb\tc\u2028\u2029"],
  ["an ampersand and an equals sign", "a=1&b=2&merchantId=other"],
  ["quotes and backslashes", "\"'`\\\\u0041"],
  ["markup", "<script>alert(1)</script>"],
  ["separators of keys", "#order#x#"],
  ["a name that objects have", "__proto__"],
  ["spaces alone", "   "],
  ["64 characters outside of the basic plane", astral],
];

describe("an order number of any characters goes all the way", () => {
  test("through one inbox, each in a group of its own, unchanged to the subscriber", async () => {
    const world = await makeWorld();
    const receiver = await world.start("receive-callback");
    const processor = await world.start("process-callback");
    for (const [name, referOrderNo] of orderNumbers) {
      const { statusCode } = await post(receiver, paymentCallback(world, { referOrderNo }));
      expect(statusCode, name).toBe(200);
    }
    await pump(world, processor);
    const messages = await messagesOf(world, "books");
    const events = messages.map(({ Body }) => JSON.parse(Body!));
    const numbers = orderNumbers.map(([, orderNo]) => orderNo).sort();
    expect(events.map(({ subject }) => subject).sort()).toEqual(numbers);
    expect(events.map(({ data }) => data.orderNo).sort()).toEqual(numbers);
    const groups = messages.map(({ Attributes }) => Attributes!["MessageGroupId"]);
    expect(new Set(groups).size).toBe(orderNumbers.length);
    for (const orderNo of numbers) {
      expect(await orderItem(world, orderNo)).toMatchObject({ orderNo, status: "success" });
    }
  });
});

const facts: [type: string, fact: Fields][] = [
  ["payment.order.confirming", { status: "confirming" }],
  ["payment.order.timeout", { status: "timeout", transactionId: undefined, msg: "order timeout" }],
  ["payment.order.failed", { status: "failed", msg: "订单 declined" }],
  ["payment.order.success", { status: "success" }],
  ["payment.refund.failed", { status: "refund_failed", refundAmount: undefined }],
  ["payment.refund.success", { status: "refund_success" }],
];

describe("an event", () => {
  let world: World;
  let processor: Instance;
  beforeAll(async () => {
    world = await makeWorld({
      subscribers: [{ name: "books" }, { name: "loose", ordered: false }],
    });
    processor = await world.start("process-callback");
  });

  test.each(facts)("is a CloudEvent that others can read: %s", async (type, fact) => {
    const isRefund = type.startsWith("payment.refund");
    const message = isRefund
      ? queuedRefund(world, { paymentId: randomUUID(), refundId: randomUUID(), ...fact })
      : queuedPayment(world, { referOrderNo: randomUUID(), ...fact });
    expect(await process(processor, message)).toEqual([]);
    const [ordered] = await messagesOf(world, "books");
    const [loose] = await messagesOf(world, "loose");
    expect(loose!.Body).toBe(ordered!.Body);
    const headers = { "content-type": "application/cloudevents+json" };
    const parsed = HTTP.toEvent({ headers, body: ordered!.Body! });
    if (!(parsed instanceof CloudEvent)) throw new Error("one event, not many");
    expect(parsed.validate()).toBe(true);
    expect(parsed).toMatchObject({ type, specversion: "1.0", source: "urn:paycast:test" });
    expect(parsed.id).toMatch(hex64);
    expect(parsed["sequence"]).toBe("0000000001");
    expect(parsed["traceparent"]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/);
    expect(parsed["origin"]).toBe("callback");
    expect(parsed.time).toBe("2026-11-15T01:22:44.123Z");
  });

  test("carries its type as an attribute, hex ids for the queue, and nothing but ASCII", async () => {
    const message = queuedPayment(world, { referOrderNo: astral, msg: "\u0000\ufffe订单" });
    expect(await process(processor, message)).toEqual([]);
    for (const name of ["books", "loose"]) {
      const [sent] = await messagesOf(world, name);
      expect(sent!.Body).toMatch(ascii);
      expect(sent!.MessageAttributes).toEqual({
        type: expect.objectContaining({ DataType: "String", StringValue: "payment.order.success" }),
      });
      expect(JSON.parse(sent!.Body!).data.reason).toBe("\u0000\ufffe订单");
    }
    const lastSendTo = (name: string) =>
      processor.faults.calls.filter(sendTo(subscriber(world, name).queueUrl)).at(-1)?.input;
    // They are sent side by side, and may arrive in either order.
    const [ordered, loose] = [lastSendTo("books"), lastSendTo("loose")];
    expect(ordered).toMatchObject({
      MessageGroupId: message.group,
      MessageDeduplicationId: expect.stringMatching(hex64),
    });
    expect(message.group).toMatch(hex64);
    expect(loose).not.toHaveProperty("MessageGroupId");
    expect(loose).not.toHaveProperty("MessageDeduplicationId");
  });

  test("whose words are as long as can be, and many refunds, stay far below what a queue takes", async () => {
    await messagesOf(world, "books");
    const msg = "订".repeat(4096);
    const refunds = Array.from({ length: 8 }, (_item, index) =>
      queuedRefund(world, { paymentId: "MANY", refundId: `R${index}`, msg }),
    );
    expect(await process(processor, ...refunds)).toEqual([]);
    const messages = await messagesOf(world, "books");
    expect(messages).toHaveLength(8);
    for (const { Body } of messages) expect(Body!.length).toBeLessThan(1_048_576);
  });
});
