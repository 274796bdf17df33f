import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll } from "vitest";
import { receiptsOf } from "../../../tools/console/tour/shared-steps.ts";
import { holdMilliseconds } from "../../../tools/operations/queues/message-queue.ts";
import { findTarget } from "../../../tools/operations/target/find-target.ts";
import type { Target } from "../../../tools/operations/target/target.ts";
import { readOrderTimeline } from "../../../tools/operations/timeline/order-timeline.ts";
import type { ReceiptEntry } from "../../../tools/operations/timeline/receipt-entry.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { openShop } from "../../end-to-end/shop.ts";
import { startTestStack, type TestStack } from "../../setup/start-stack.ts";
import { type Run, runHere } from "../cli/run-paycast.ts";

const sampleConfig = {
  merchants: ["shop-1"],
  subscribers: [
    { name: "fulfilment", types: ["payment.order.success", "payment.refund.*"] },
    { name: "order-history", types: ["*"] },
    { name: "analytics", types: ["*"], ordered: false },
  ],
  gateway: { baseUrl: "https://payments.example.com" },
  storefront: { access: "iam", redirectOrigins: ["https://shop.example.com"] },
};

export interface OperatedStack {
  readonly directory: string;
  readonly stack: () => TestStack;
  /** What the terminal of `npm start` shows. */
  readonly printed: () => readonly string[];
  /** The time of its last line. */
  readonly printedAtMilliseconds: () => number;
  readonly target: () => Target;
  /** The storefront, and the control of the simulated payment service. */
  readonly shop: () => ReturnType<typeof openShop>;
  /** Runs `npx paycast` with these words on this stack, in this process. */
  readonly paycast: (...args: string[]) => Promise<Run>;
  /** The same with `--json`, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
  readonly paycastJson: (...args: string[]) => Promise<any>;
  /** The audit log, one line of JSON for each act. */
  readonly auditLines: () => string[];
  /** Waits until the order has the status in the table, without asking the service as the storefront does. */
  readonly untilStored: (orderNo: string, status: string) => Promise<void>;
  /** Creates an order, pays it, and waits until all its callbacks are processed and all its events sent. Gives the payment's id. */
  readonly paidOrder: (orderNo: string) => Promise<string>;
}

/**
 * Synthesizing and making keys take seconds, and most test files have the same config: what the first one made is kept
 * for the others. The template has a key, so that the template of other sources is never used (tools/local/synthesize-template.ts).
 */
function keptFolder(config: object): string {
  const name = createHash("sha256").update(JSON.stringify(config)).digest("hex").slice(0, 16);
  return join("node_modules/.cache/paycast/test-stacks", name);
}

const keptNames = ["template.json", "simulator"];

function takeKept(directory: string, config: object): void {
  for (const name of keptNames) {
    const kept = join(keptFolder(config), name);
    if (existsSync(kept)) cpSync(kept, join(directory, name), { recursive: true });
  }
}

/** Renamed when it is whole: another test file may read it at the same time. */
function keep(directory: string, config: object): void {
  const folder = keptFolder(config);
  mkdirSync(folder, { recursive: true });
  for (const name of keptNames) {
    const draft = join(folder, `${name}.${process.pid}`);
    cpSync(join(directory, name), draft, { recursive: true });
    try {
      renameSync(draft, join(folder, name));
    } catch {
      // A folder of keys does not replace another one. Any keys are as good.
      rmSync(draft, { recursive: true });
    }
  }
}

/**
 * The emulator is one server: an operator who looks into a queue finds at once what a long poll of SQS would find, and
 * does not wait for the end of a queue.
 */
function lookWithoutWaiting(): () => void {
  const { send } = SQSClient.prototype;
  const sendAtOnce = function (this: SQSClient, command: object, ...how: unknown[]) {
    // The stack's own pollers hold messages for another time.
    const isLook =
      command instanceof ReceiveMessageCommand &&
      command.input.VisibilityTimeout === holdMilliseconds / 1000;
    if (isLook) command.input.WaitTimeSeconds = 0;
    return Reflect.apply(send, this, [command, ...how]);
  };
  Object.assign(SQSClient.prototype, { send: sendAtOnce });
  return () => void Object.assign(SQSClient.prototype, { send });
}

/** The whole local stack for a test file, as `npm start` runs it, with an operator beside it. */
export function useOperatedStack(config: object = {}, clockSpeed = 100): OperatedStack {
  const directory = mkdtempSync(join(tmpdir(), "paycast-operated-"));
  let stack: TestStack;
  let target: Target;
  const printed: string[] = [];
  let printedAt = 0;
  let waitAgain: () => void;
  beforeAll(async () => {
    waitAgain = lookWithoutWaiting();
    takeKept(directory, config);
    stack = await startTestStack({
      config: { ...sampleConfig, ...config },
      clockSpeed,
      directory,
      sharesDynamodb: true,
      print: (line, atMilliseconds) => {
        printed.push(line);
        printedAt = atMilliseconds;
      },
    });
    keep(directory, config);
    target = await findTarget({ directory });
    process.env["PAYCAST_DIRECTORY"] = directory;
  });
  afterAll(async () => {
    waitAgain();
    target.clients.destroy();
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const paycast = (...args: string[]) => runHere(args);
  const shop = () => openShop(stack.description);
  const untilStored = async (orderNo: string, status: string) => {
    await until(`${orderNo} to be stored as ${status}`, async () => {
      const { order } = await readOrderTimeline(target, orderNo);
      return order?.status === status ? true : undefined;
    });
  };
  /** The status is stored before the event is sent, and an earlier callback may arrive after a later one. */
  const untilSent = async (orderNo: string, paymentId: string) => {
    await until(`the events of ${orderNo} to be sent`, async () => {
      const timeline = await readOrderTimeline(target, orderNo);
      // Asked later than the order: the callback that brought the status is among them.
      const { callbacks } = await shop().control("GET", `/orders/${paymentId}`);
      await sendFailedAgain(shop(), callbacks);
      const receipts = receiptsOf(timeline);
      const isDone = ({ id }: SentCallback) =>
        receipts.some(({ callbackId, published }) => callbackId === id && isSent(published));
      return timeline.order?.status === "success" && callbacks.every(isDone) ? true : undefined;
    });
  };
  return {
    directory,
    stack: () => stack,
    printed: () => printed,
    printedAtMilliseconds: () => printedAt,
    target: () => target,
    shop,
    untilStored,
    paidOrder: async (orderNo) => {
      const { body } = await shop().create(orderNo);
      await shop().act(body.paymentId, "pay");
      await untilSent(orderNo, body.paymentId);
      return body.paymentId;
    },
    auditLines: () => {
      const file = join(directory, "audit.log");
      return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    },
    paycast,
    paycastJson: async (...args) => {
      const { out, err } = await paycast(...args, "--json");
      if (out === "") throw new Error(`paycast ${args.join(" ")} printed nothing: ${err}`);
      return JSON.parse(out);
    },
  };
}

interface SentCallback {
  readonly id: string;
  readonly state: string;
  readonly attempts: readonly object[];
}

/** A stack that is just starting on a busy machine may answer 503, and the service's next try may be too late for a test. */
async function sendFailedAgain(
  { control }: ReturnType<typeof openShop>,
  callbacks: readonly SentCallback[],
): Promise<void> {
  for (const { id, state, attempts } of callbacks) {
    const hasFailed = state === "waiting" && attempts.length > 0;
    if (hasFailed) await control("POST", `/callbacks/${id}/send-again`);
  }
}

const isSent = (published: ReceiptEntry["published"]) =>
  published?.deliveries.every(({ state }) => state === "sent") ?? true;
