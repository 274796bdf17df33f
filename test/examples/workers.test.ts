import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import {
  GetQueueAttributesCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from "@aws-sdk/client-sqs";
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { defaultMaxReceiveCount } from "../../shared/consumer/handle-batch.ts";
import { testEvent } from "../../shared/consumer/test-events.ts";
import { until } from "../end-to-end/running-stack.ts";
import { drain } from "../integration/aws-stores.ts";
import { findPython } from "../setup/python.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { useOperatedStack } from "../tools/operations/operated-stack.ts";
import { copyExample, type ExampleProject } from "./example-project.ts";
import { nodeWorker, pythonWorker, startWorker, type Worker } from "./running-worker.ts";

/** Fewer than in production, where an event that cannot be read fails for a minute. */
const fewReceives = 3;
const operated = useOperatedStack();
const python = findPython("the Python worker");

let environment: Record<string, string>;
let nodeProject: ExampleProject;
beforeAll(async () => {
  environment = await operated.paycastJson("env");
  nodeProject = await copyExample("node-worker");
});

const kinds = [
  { name: "Node", kind: nodeWorker, isHere: true },
  { name: "Python", kind: pythonWorker(python ?? ""), isHere: python !== undefined },
];

for (const { name, kind, isHere } of kinds) {
  describe.runIf(isHere)(`the ${name} worker`, () => {
    const queue = () =>
      operated
        .target()
        .queues.subscribers.find((subscriber) => subscriber.name === kind.subscriber)!;
    let folder: string;
    let book: string;
    let worker: Worker;

    const setMaxReceiveCount = async (maxReceiveCount: number) => {
      const { queueUrl: QueueUrl } = queue();
      const { sqs } = operated.clients();
      const AttributeNames = ["RedrivePolicy" as const];
      const read = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
      const { deadLetterTargetArn } = JSON.parse(read.Attributes!["RedrivePolicy"]!);
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount });
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy } }));
    };

    const start = async (more: Record<string, string> = {}) => {
      const variables = { ...environment, QUEUE_URL: queue().queueUrl, BOOK: book, ...more };
      worker = startWorker(kind.command(nodeProject.folder), variables);
      await worker.untilShown("Ctrl-C ends it.");
    };
    const send = async (MessageGroupId: string, MessageBody: string) => {
      const message = { MessageGroupId, MessageBody, MessageDeduplicationId: randomUUID() };
      const QueueUrl = queue().queueUrl;
      await operated.clients().sqs.send(new SendMessageCommand({ QueueUrl, ...message }));
    };
    const replay = (orderNo: string) =>
      operated.paycast("replay", "--to", kind.subscriber, "--order", orderNo, "--yes");
    const bookOf = (orderNo: string) =>
      kind.readBook(book).filter((entry) => entry.orderNo === orderNo);

    beforeEach(async () => {
      folder = temporaryFolder("worker");
      book = join(folder, "book");
      await drain(operated.clients().sqs, queue().queueUrl);
      await start();
    });
    afterEach(async () => {
      expect(await worker.stop(), worker.output()).toBe(0);
    });

    test("books a payment and its refund exactly, once, also after a restart and a replay", async () => {
      const orderNo = `${name}-1`;
      const paymentId = await operated.paidOrder(orderNo);
      await operated.shop().act(paymentId, "refund", { amount: "4.10" });
      await worker.untilShown(`booked 1230 USD: payment.order.success of ${orderNo}`);
      await worker.untilShown(`booked -410 USD: payment.refund.success of ${orderNo}`);
      const before = bookOf(orderNo);
      expect(before.map(({ minor, currency }) => [minor, currency]).sort()).toEqual([
        ["-410", "USD"],
        ["1230", "USD"],
      ]);
      expect(await worker.stop()).toBe(0);
      expect(worker.output()).toContain("Stopped. Every received message was handled or returned.");
      await start();
      expect(await replay(orderNo)).toMatchObject({ code: 0 });
      await worker.untilShown(`booked already: payment.order.success of ${orderNo}`);
      await worker.untilShown(`booked already: payment.refund.success of ${orderNo}`);
      expect(bookOf(orderNo)).toEqual(before);
    });

    if (name === "Node") {
      test("drops an incomplete last line after a crash, and only it", async () => {
        const [first, second] = [`${name}-whole`, `${name}-again`];
        await operated.paidOrder(first);
        await worker.untilShown(`booked 1230 USD: payment.order.success of ${first}`);
        expect(await worker.stop()).toBe(0);
        appendFileSync(book, '{"id":"€');
        await start();
        await operated.paidOrder(second);
        await worker.untilShown(`booked 1230 USD: payment.order.success of ${second}`);
        expect(kind.readBook(book).map(({ orderNo }) => orderNo)).toEqual([first, second]);
      });
    }

    test("a message is deleted only after its work: what could not be booked comes again", async () => {
      const orderNo = `${name}-2`;
      const unblock = await kind.blockBook(book);
      await operated.paidOrder(orderNo);
      await worker.untilShown("failed: ");
      await unblock();
      await worker.untilShown(`booked 1230 USD: payment.order.success of ${orderNo}`);
      expect(bookOf(orderNo)).toHaveLength(1);
    });

    test("a confirming that always fails is a dead letter, the success behind it is booked, and other orders go on", async () => {
      const orderNo = `${name}-3`;
      const confirming = { ...testEvent("payment.order.confirming", { orderNo }), data: null };
      const success = testEvent("payment.order.success", { orderNo, sequence: 2 });
      // Both are there before the worker reads, so that it gets them in one batch.
      expect(await worker.stop()).toBe(0);
      await setMaxReceiveCount(fewReceives);
      onTestFinished(() => setMaxReceiveCount(defaultMaxReceiveCount));
      await send(orderNo, JSON.stringify(confirming));
      await send(orderNo, JSON.stringify(success));
      await operated.paidOrder(`${name}-4`);
      await start({ MAX_RECEIVE_COUNT: String(fewReceives) });
      await worker.untilShown(`booked 1230 USD: payment.order.success of ${name}-4`);
      await worker.untilShown(`booked 1230 USD: payment.order.success of ${orderNo}`);
      const { sqs } = operated.clients();
      const dead = await until("the dead letter", async () => {
        const messages = await drain(sqs, queue().deadLettersUrl);
        return messages.length > 0 ? messages : undefined;
      });
      expect(dead.map(({ Body = "" }) => JSON.parse(Body).type)).toEqual([confirming.type]);
    });
  });
}
