import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { PurgeQueueCommand, ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { aggregateKeyOf } from "../../../../shared/facts/subject.ts";
import { toAttributes } from "../../../../shared/table/attributes.ts";
import type { ReceiptEntry } from "../../../../tools/operations/timeline/receipt-entry.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { putItem, scan } from "../../../integration/aws-stores.ts";
import { useOperatedStack } from "../operated-stack.ts";

const operated = useOperatedStack();

const receipts = (timeline: { readonly entries: readonly { kind: string }[] }) =>
  timeline.entries.filter(({ kind }) => kind === "receipt") as ReceiptEntry[];

describe("an order's timeline", () => {
  test("tells its creation, its callbacks, their events, who got them, and its refunds", async () => {
    const paymentId = await operated.paidOrder("TIME-1");
    await operated.shop().act(paymentId, "refund", { amount: "2.00" });
    const timeline = await until("the refund's event to be sent", async () => {
      const read = await operated.paycastJson("order", "TIME-1");
      const refund = receipts(read).find(({ type }) => type === "payment.refund.success");
      const isSent = refund?.published?.deliveries.every(({ state }) => state === "sent");
      return isSent === true ? read : undefined;
    });
    expect(timeline.order).toMatchObject({ status: "success", paidAmount: { value: "12.30" } });
    expect(timeline.entries[0]).toMatchObject({ kind: "attempt", state: "created", paymentId });
    const success = receipts(timeline).find(({ type }) => type === "payment.order.success");
    expect(success).toMatchObject({
      origin: "callback",
      about: "order",
      keyVersion: expect.stringMatching(/^[\w-]{8,}$/),
      payload: { text: expect.stringContaining('"referOrderNo":"TIME-1"') },
      published: {
        event: { type: "payment.order.success", subject: "TIME-1" },
        deliveries: ["fulfilment", "order-history", "analytics"].map((subscriber) => {
          return { subscriber, state: "sent", at: expect.stringMatching(/Z$/) };
        }),
      },
    });
    expect(receipts(timeline).at(-1)).toMatchObject({ about: "payment", paymentId });
    const times = timeline.entries.map(({ at }: { at: string }) => at);
    expect(times).toEqual([...times].sort());
  });

  test("says of what was delivered that its subscriber has dead letters, without receiving them", async () => {
    await operated.paidOrder("TIME-DEAD");
    const clients = operated.clients();
    const { subscribers } = operated.target().queues;
    const { deadLettersUrl: QueueUrl } = subscribers.find(({ name }) => name === "fulfilment")!;
    const group = { MessageGroupId: "group", MessageDeduplicationId: "dead" };
    await clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "{}", ...group }));
    const { out } = await operated.paycast("order", "TIME-DEAD");
    expect(out).toMatch(
      /^ {2}fulfilment delivered \S+Z; fulfilment has 1 dead letter {2}order-history, analytics delivered \S+Z$/m,
    );
    expect(out).toContain(
      "fulfilment has 1 dead letter. It may be an event of this order.\nTo list them: npx paycast dead-letters list fulfilment\n",
    );
    const { Messages } = await clients.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, AttributeNames: ["ApproximateReceiveCount" as "All"] }),
    );
    expect(Messages?.[0]?.Attributes?.["ApproximateReceiveCount"]).toBe("1");
    await clients.sqs.send(new PurgeQueueCommand({ QueueUrl }));
    expect((await operated.paycast("order", "TIME-DEAD")).out).not.toContain("dead letter");
  });

  test("is shown also if a newer version has written flags and fields that this one does not know", async () => {
    const paymentId = await operated.paidOrder("TIME-NEW");
    const clients = operated.clients();
    const { tables } = operated.stack().description;
    const { dynamodb } = clients;
    for (const item of await scan(dynamodb, tables.callbacks)) {
      if (!String(item["message"]).includes("TIME-NEW")) continue;
      const pending = new Set<string>();
      const newer = { ...item, pending, flags: ["fromTomorrow"], attention: { kind: 7 } };
      await putItem(dynamodb, tables.callbacks, newer);
    }
    for (const item of await scan(dynamodb, tables.orders)) {
      const [, , id] = String(item["aggregateKey"]).split("#");
      if (id !== "TIME-NEW" && id !== paymentId) continue;
      await putItem(dynamodb, tables.orders, { ...item, flags: ["fromTomorrow"], newer: [1] });
    }
    const { out, code } = await operated.paycast("order", "TIME-NEW");
    expect(code).toBe(0);
    expect(out).toMatch(/^status +success/m);
    expect(out).toContain("fromTomorrow");
    const [receipt] = receipts(await operated.paycastJson("order", "TIME-NEW"));
    expect(await operated.paycast("order", receipt!.callbackId!)).toMatchObject({ code: 0 });
    const { orders } = await operated.paycastJson("orders", "--text", "time-new");
    expect(orders).toMatchObject([{ orderNo: "TIME-NEW", status: "success", flags: [] }]);
  });

  test("as text names the same, and the payload only when asked", async () => {
    await operated.paidOrder("TIME-2");
    const { out, code } = await operated.paycast("order", "TIME-2");
    expect(code).toBe(0);
    expect(out).toMatch(/^status +success {2}by callback/m);
    expect(out).toMatch(/Z {2}create {4}created {2}payment [0-9a-f]+$/m);
    expect(out).toMatch(
      /Z {2}callback {2}payment\.order\.success {2}published {2}(pending|confirming) → success$/m,
    );
    expect(out).toMatch(/^ {2}fulfilment, order-history, analytics delivered \S+Z$/m);
    expect(out).not.toContain("referOrderNo");
    const { out: whole } = await operated.paycast("order", "TIME-2", "--payload");
    expect(whole).toContain('"referOrderNo": "TIME-2"');
  });

  test("of an order that the service refused has the status refused and its words once, as GET and the list", async () => {
    const shop = operated.shop();
    const said = { code: "50007", msg: "limit reached" };
    await shop.fault("refuse-creates", "TIME-REFUSED", { ...said, code: Number(said.code) });
    expect((await shop.create("TIME-REFUSED")).status).toBe(502);

    const timeline = await operated.paycastJson("order", "TIME-REFUSED");
    expect(timeline.order).toMatchObject({ status: "refused", service: said });
    expect(timeline.entries).toEqual([
      { kind: "attempt", at: expect.any(String), state: "refused", refusal: said },
    ]);
    const { out } = await operated.paycast("order", "TIME-REFUSED");
    expect(out).toMatch(/^status +refused {2}by create/m);
    expect(out.match(/limit reached/g)).toHaveLength(1);
    expect(out).toMatch(/Z {2}create {4}rejected with 50007: limit reached$/m);

    const got = await shop.get("TIME-REFUSED");
    expect(got).toMatchObject({ status: 200, order: { status: "refused", service: said } });
    const listed = await operated.paycastJson("orders", "--status", "refused");
    expect(listed).toMatchObject({
      orders: [{ orderNo: "TIME-REFUSED", status: "refused", refusal: said, paymentIds: [] }],
    });
    const text = await operated.paycast("orders", "--status", "refused");
    expect(text.code).toBe(0);
    expect(text.out).toMatch(/TIME-REFUSED +shop-1 +refused: 50007 limit reached +\d/);
  });

  test("has what is quarantined of the order, with the reason", async () => {
    const shop = operated.shop();
    const { body } = await shop.create("TIME-3");
    await shop.fault("unknown-event", "TIME-3");
    await shop.act(body.paymentId, "pay");
    const timeline = await until("a quarantined callback", async () => {
      const read = await operated.paycastJson("order", "TIME-3");
      return receipts(read).some(({ quarantined }) => quarantined) ? read : undefined;
    });
    expect(receipts(timeline)[0]).toMatchObject({
      outcome: "quarantined",
      quarantined: { reason: "event-unknown" },
      payload: { text: expect.stringContaining('"referOrderNo":"TIME-3"') },
    });
    const { out } = await operated.paycast("order", "TIME-3");
    const [, top = ""] = out.split("\n\n");
    expect(top).toMatch(
      /^A callback has not been understood since \S+:\d\dZ: The event name is not known \(event-unknown\)\.$/m,
    );
    expect(top).toMatch(
      /^To retry: npx paycast attention redrive --order TIME-3 --merchant shop-1$/m,
    );
  });

  test.each(["\u202eX", "订单".repeat(32), "a'b $(x) ;"])(
    "is found for the order number %j, and cannot drive the terminal",
    async (orderNo) => {
      expect((await operated.shop().create(orderNo)).status).toBe(201);
      const { out, code } = await operated.paycast("order", orderNo);
      expect(code).toBe(0);
      expect(out.replaceAll("\n", "")).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
      expect((await operated.paycastJson("order", orderNo)).orderNo).toBe(orderNo);
    },
  );

  test("says when the service is asked about the order next", async () => {
    await operated.shop().create("TIME-6");
    const { order, nextCheckAt } = await operated.paycastJson("order", "TIME-6");
    expect(Date.parse(nextCheckAt) - Date.parse(order.expiresAt)).toBe(2 * 60_000);
  });

  test("says the result of the last query, and until when no other is sent", async () => {
    const clients = operated.clients();
    const { tables } = operated.stack().description;
    await operated.shop().create("TIME-7");
    const asked = async (untilMilliseconds: number, result: object, origin = "callback") => {
      await clients.dynamodb.send(
        new UpdateItemCommand({
          TableName: tables.orders,
          Key: toAttributes({
            aggregateKey: aggregateKeyOf({
              kind: "order",
              merchantId: "shop-1",
              orderNo: "TIME-7",
            }),
          }),
          UpdateExpression: "SET question = :question, payment = :payment",
          ExpressionAttributeValues: toAttributes({
            ":question": { untilMilliseconds, ...result },
            ":payment": { origin },
          }),
        }),
      );
      return (await operated.paycast("order", "TIME-7")).out;
    };
    const later = Date.now() + 60_000;
    const next = "; the next is not sent before 2";
    const notConfirmed = "last query  the service has not confirmed the status";
    expect(await asked(later, { kind: "asking", by: 7 })).toContain(`${notConfirmed}${next}`);
    expect(await asked(Date.now() - 1, { kind: "asking", by: 7 })).toContain(`${notConfirmed}\n`);
    // An earlier query found the status of the open order. It says nothing about this one.
    expect(await asked(later, { kind: "asking", by: 7 }, "query")).toContain(
      `${notConfirmed}${next}`,
    );
    expect(await asked(later, { kind: "awaiting", factId: "fact" })).toContain(
      `last query  the service reported a new status${next}`,
    );
    expect(await asked(later, { kind: "answered", isConfirmation: false })).toContain(
      `${notConfirmed}${next}`,
    );
    expect(await asked(later, { kind: "answered", isConfirmation: true })).toContain(
      "last query  the service confirmed the status\n",
    );
  });

  test("of an item that this version cannot read is a clear error, also in the quarantine", async () => {
    const clients = operated.clients();
    const { tables } = operated.stack().description;
    const subject = { kind: "order", merchantId: "shop-1", orderNo: "TIME-8" } as const;
    await putItem(clients.dynamodb, tables.orders, {
      aggregateKey: aggregateKeyOf(subject),
      revision: "one",
    });
    for (const words of [
      ["order", "TIME-8"],
      ["attention", "list", "--order", "TIME-8"],
    ]) {
      const { code, err } = await operated.paycast(...words);
      expect(err).toContain(
        "Something in the stack does not have the form that this version expects",
      );
      expect(err).not.toContain("    at ");
      expect(code).toBe(3);
    }
  });

  test("of an unknown merchant is wrong usage", async () => {
    const { code, err } = await operated.paycast("order", "TIME-4", "--merchant", "other");
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("It has: shop-1") });
  });
});
