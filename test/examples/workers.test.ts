import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { until } from "../end-to-end/running-stack.ts";
import { drain } from "../integration/aws-stores.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { findPython } from "../setup/python.ts";
import { copyExample, type ExampleProject } from "./example-project.ts";
import { nodeWorker, pythonWorker, startWorker, type Worker } from "./running-worker.ts";

const slow = 120_000;
const operated = useOperatedStack();
const python = findPython("the Python worker");

let environment: Record<string, string>;
let nodeProject: ExampleProject;
beforeAll(async () => {
  environment = await operated.paycastJson("env");
  nodeProject = await copyExample("node-worker");
}, slow);
afterAll(() => nodeProject?.remove());

const kinds = [
  { name: "Node", kind: nodeWorker, isHere: true },
  { name: "Python", kind: pythonWorker(python ?? ""), isHere: python !== undefined },
];

for (const { name, kind, isHere } of kinds) {
  describe.runIf(isHere)(`the ${name} worker`, { timeout: slow }, () => {
    const queue = () =>
      operated.target().subscribers.find((subscriber) => subscriber.name === kind.subscriber)!;
    let folder: string;
    let book: string;
    let worker: Worker;

    const start = async () => {
      const variables = { ...environment, QUEUE_URL: queue().queueUrl, BOOK: book };
      worker = startWorker(kind.command(nodeProject.folder), variables);
      await worker.untilTold("Ctrl-C ends it.");
    };
    const send = async (MessageGroupId: string, MessageBody: string) => {
      const message = { MessageGroupId, MessageBody, MessageDeduplicationId: randomUUID() };
      const QueueUrl = queue().queueUrl;
      await operated.target().clients.sqs.send(new SendMessageCommand({ QueueUrl, ...message }));
    };
    const replay = (orderNo: string) =>
      operated.paycast("replay", "--to", kind.subscriber, "--order", orderNo, "--yes");
    const bookOf = (orderNo: string) =>
      kind.readBook(book).filter((entry) => entry.orderNo === orderNo);

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), "paycast-worker-"));
      book = join(folder, "book");
      await drain(operated.target().clients.sqs, queue().queueUrl);
      await start();
    });
    afterEach(async () => {
      expect(await worker.stop(), worker.output()).toBe(0);
      rmSync(folder, { recursive: true });
    });

    test("books a payment and its refund exactly, once, also after a restart and a replay", async () => {
      const orderNo = `${name}-1`;
      const paymentId = await operated.paidOrder(orderNo);
      await operated.shop().act(paymentId, "refund", { amount: "4.10" });
      await worker.untilTold(`booked 1230 USD: payment.order.success of ${orderNo}`);
      await worker.untilTold(`booked -410 USD: payment.refund.success of ${orderNo}`);
      const before = bookOf(orderNo);
      expect(before.map(({ minor, currency }) => [minor, currency]).sort()).toEqual([
        ["-410", "USD"],
        ["1230", "USD"],
      ]);
      expect(await worker.stop()).toBe(0);
      expect(worker.output()).toContain("Stopped. No message is left half done.");
      await start();
      expect(await replay(orderNo)).toMatchObject({ code: 0 });
      await worker.untilTold(`booked already: payment.order.success of ${orderNo}`);
      await worker.untilTold(`booked already: payment.refund.success of ${orderNo}`);
      expect(bookOf(orderNo)).toEqual(before);
    });

    test("a message is deleted only after its work: what could not be booked comes again", async () => {
      const orderNo = `${name}-2`;
      const unblock = await kind.blockBook(book);
      await operated.paidOrder(orderNo);
      await worker.untilTold("failed: ");
      await unblock();
      await worker.untilTold(`booked 1230 USD: payment.order.success of ${orderNo}`);
      expect(bookOf(orderNo)).toHaveLength(1);
    });

    test("what cannot be read is a dead letter soon, and other events go on", async () => {
      await send("strange", "{");
      await operated.paidOrder(`${name}-3`);
      await worker.untilTold(`booked 1230 USD: payment.order.success of ${name}-3`);
      const dead = await until("the dead letter", async () => {
        const [message] = await drain(operated.target().clients.sqs, queue().deadLettersUrl);
        return message;
      });
      expect(dead.Body).toBe("{");
    });
  });
}
