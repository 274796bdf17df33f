import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DeleteTableCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { testEvent } from "../../shared/consumer/test-events.ts";
import { until } from "../end-to-end/running-stack.ts";
import { resourcesOf } from "../infra/stack-template.ts";
import { drain } from "../integration/aws-stores.ts";
import { copyExample } from "./example-project.ts";
import { TableName, useLambdaConsumer } from "./running-consumer.ts";

const consumer = useLambdaConsumer();
const { operated, project, handle, logged, items, keys, sourceOf, receiveEvents, consume } =
  consumer;

describe("the Lambda consumer, installed outside of the repository", () => {
  test("has tests of its own, and they pass", () => {
    expect(project().npmRun("test")).toMatch(/^[#ℹ] pass [1-9][0-9]*\n[#ℹ] fail 0$/m);
  });

  test("stores the work of a paid order and its refund, once, with a mark that outlives replays", async () => {
    const paymentId = await operated.paidOrder("SHIP-1");
    await operated.shop().act(paymentId, "refund", { amount: "4.10" });
    expect(await consume("fulfilment", 2)).toEqual([]);
    expect(
      logged()
        .map(({ type, outcome }) => [type, outcome])
        .sort(),
    ).toEqual([
      ["payment.order.success", "stored"],
      ["payment.refund.success", "stored"],
    ]);
    const stored = await items();
    const marks = stored.filter(({ pk }) => String(pk).startsWith("event#"));
    expect(marks.map(({ pk }) => pk).sort()).toEqual(
      logged()
        .map(({ id }) => `event#${id}`)
        .sort(),
    );
    const days = (Number(marks[0]!["expiresAt"]) * 1000 - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(120);
    const shipment = stored.find(({ pk }) => pk === "shipment#shop-1#SHIP-1");
    expect(JSON.parse(String(shipment?.["work"]))).toMatchObject({ amount: { minor: "1230" } });
    expect(await keys()).toEqual(
      expect.arrayContaining([
        "order#shop-1#SHIP-1",
        `payment#shop-1#${paymentId}`,
        expect.stringMatching(`^refund#shop-1#${paymentId}#`),
      ]),
    );
  });

  test("does nothing twice when two instances get a message, it comes again, or it is replayed", async () => {
    await operated.paidOrder("SHIP-2");
    const [record] = await receiveEvents("fulfilment", "SHIP-2", 1);
    await Promise.all([handle([record!]), handle([record!])]);
    await handle([record!]);
    expect(logged().filter(({ outcome }) => outcome === "stored")).toHaveLength(1);
    const before = await items();
    const args = ["--to", "fulfilment", "--order", "SHIP-2", "--yes"];
    expect(await operated.paycast("replay", ...args)).toMatchObject({ code: 0 });
    consumer.forget();
    expect(await consume("fulfilment", 1)).toEqual([]);
    expect(logged()).toMatchObject([{ outcome: "duplicate", isReplay: true, subject: "SHIP-2" }]);
    expect(await items()).toEqual(before);
  });

  test("an event that cannot be read fails alone, and the others are handled", async () => {
    await operated.paidOrder("SHIP-3");
    await consumer.send("somebody-else", "not an event");
    const [broken, ...others] = await consume("fulfilment", 1);
    expect(logged()).toMatchObject([{ outcome: "stored", subject: "SHIP-3" }]);
    const message = await until("the message again", async () => {
      const [record] = await sourceOf("fulfilment").receive();
      return record;
    });
    expect(message).toMatchObject({ messageId: broken, body: "not an event" });
    expect(others.every((other) => other === broken)).toBe(true);
    await sourceOf("fulfilment").settle([message], { batchItemFailures: [] });
  });

  test("an event that always fails is a dead letter after ten receives, and the success behind it is stored", async () => {
    await consumer.emptied("fulfilment");
    const orderNo = "SHIP-10";
    const confirming = { ...testEvent("payment.order.confirming", { orderNo }), data: null };
    const success = testEvent("payment.order.success", { orderNo, sequence: 2 });
    for (const event of [confirming, success]) await consumer.send(orderNo, JSON.stringify(event));
    const sizes: number[] = [];
    for (let receive = 1; receive <= 11; receive += 1) {
      const records = await sourceOf("fulfilment").receive();
      sizes.push(records.length);
      await sourceOf("fulfilment").settle(records, await handle(records));
    }
    // Both come together, until the success is tried on the eighth receive.
    expect(sizes).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 0]);
    expect(logged()).toMatchObject([{ outcome: "stored", type: success.type, subject: orderNo }]);
    const clients = operated.clients();
    const { subscribers } = operated.target().queues;
    const { deadLettersUrl } = subscribers.find(({ name }) => name === "fulfilment")!;
    const dead = await drain(clients.sqs, deadLettersUrl);
    expect(dead.map(({ Body = "" }) => JSON.parse(Body).type)).toEqual([confirming.type]);
  });

  test("an older event does not replace the snapshot of a newer one", async () => {
    await operated.paidOrder("SHIP-6");
    // The service sends both at once here, so either may be the older one.
    const [older, newer] = await receiveEvents("order-history", "SHIP-6", 2);
    const snapshot = async () =>
      (await items()).find(({ pk }) => pk === "order#shop-1#SHIP-6")?.["content"];
    await handle([newer!]);
    const before = await snapshot();
    await handle([older!]);
    expect(await snapshot()).toBe(before);
    expect(JSON.parse(String(before))).toMatchObject({ status: "success" });
  });

  test("while its table is away every message is returned to the queue, and later each is handled", async () => {
    await consumer.emptied("fulfilment");
    await operated.paidOrder("SHIP-7");
    const { dynamodb } = operated.clients();
    await dynamodb.send(new DeleteTableCommand({ TableName }));
    const Records = await until("the event", async () => {
      const records = await sourceOf("fulfilment").receive();
      return records.length > 0 ? records : undefined;
    });
    const answer = await handle(Records);
    expect(answer.batchItemFailures).toHaveLength(Records.length);
    await sourceOf("fulfilment").settle(Records, answer);
    await consumer.makeTable();
    expect(await consume("fulfilment", 1)).toEqual([]);
    expect(logged()).toMatchObject([{ outcome: "stored", subject: "SHIP-7" }]);
  });

  test("two payments of one order are one shipment and one question", async () => {
    await operated.paidOrder("SHIP-8");
    const [record] = await receiveEvents("fulfilment", "SHIP-8", 1);
    const event = JSON.parse(record!.body);
    const data = { ...event.data, transactionId: "T-2", flags: ["duplicatePayment"] };
    const second = { ...event, id: "f".repeat(64), sequence: "0000000003", data };
    const Records = [record!, { ...record!, body: JSON.stringify(second) }];
    expect(await handle(Records)).toEqual({ batchItemFailures: [] });
    expect((await keys()).filter((key) => /^(shipment|question)#/.test(key))).toEqual([
      `question#${second.id}`,
      "shipment#shop-1#SHIP-8",
    ]);
  });

  test("its stack asks for partial batch responses, and the table expires the marks", () => {
    const queueArn = "arn:aws:sqs:eu-west-1:123456789012:Paycast-SubscribersfulfilmentQueue.fifo";
    const cdk = { CDK_OUTDIR: join(project().folder, "out"), CDK_VALIDATION: "false" };
    const env = { ...process.env, QUEUE_ARN: queueArn, ...cdk };
    execFileSync(process.execPath, ["build/app.js"], { cwd: project().folder, env });
    const template = JSON.parse(
      readFileSync(join(project().folder, "out/Shipping.template.json"), "utf8"),
    );
    const [, mapping] = resourcesOf(template, "AWS::Lambda::EventSourceMapping")[0]!;
    expect(mapping.Properties).toMatchObject({
      EventSourceArn: queueArn,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    });
    const [, table] = resourcesOf(template, "AWS::DynamoDB::GlobalTable")[0]!;
    expect(table.Properties.TimeToLiveSpecification).toEqual({
      AttributeName: "expiresAt",
      Enabled: true,
    });
    const [, consumer] = resourcesOf(template, "AWS::Lambda::Function")[0]!;
    expect(consumer.Properties.Timeout).toBeLessThanOrEqual(30);
  });
});

describe("the order-wide view", () => {
  test("joins the real events of an order and of its payment, in whatever order they come", async () => {
    const example = await copyExample("order-view");
    expect(example.npmRun("test")).toMatch(/^[#ℹ] pass [1-9][0-9]*\n[#ℹ] fail 0$/m);
    const { keepSnapshot, viewOrder } = await import(join(example.folder, "build/order-view.js"));
    const paymentId = await operated.paidOrder("VIEW-1");
    await operated.shop().act(paymentId, "refund", { amount: "4.10" });
    const events = (await receiveEvents("order-history", "VIEW-1", 3)).map(({ body }) =>
      JSON.parse(body),
    );
    for (const arriving of [events, events.toReversed()]) {
      const snapshots = { orders: new Map(), payments: new Map() };
      for (const event of arriving) keepSnapshot(snapshots, event);
      expect(viewOrder(snapshots, "shop-1", "VIEW-1")).toMatchObject({
        order: { status: "success", paymentIds: [paymentId] },
        payments: [{ paymentId, orderNo: "VIEW-1" }],
        refundedMinor: 410n,
      });
    }
  });
});
