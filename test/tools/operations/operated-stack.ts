import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { receiptsOf } from "../../../tools/console/tour/shared-steps.ts";
import { readOrderTimeline } from "../../../tools/operations/timeline/order-timeline.ts";
import type { ReceiptEntry } from "../../../tools/operations/timeline/receipt-entry.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { openShop } from "../../end-to-end/shop.ts";
import { keptStackOf } from "../../setup/kept-stack.ts";
import { startTestStack, type TestStack } from "../../setup/start-stack.ts";
import { sampleConfig } from "./sample-config.ts";
import { type OperatedTarget, useOperator } from "./use-operator.ts";

export interface OperatedStack extends OperatedTarget {
  readonly stack: () => TestStack;
  /** What the terminal of `npm start` shows. */
  readonly printed: () => readonly string[];
  /** The time of its last line. */
  readonly printedAtMilliseconds: () => number;
  /** The storefront, and the control of the simulated payment service. */
  readonly shop: () => ReturnType<typeof openShop>;
  /** Creates an order, pays it, and waits until all its callbacks are processed and all its events sent. Gives the payment's id. */
  readonly paidOrder: (orderNo: string) => Promise<string>;
}

/** Synthesizing and making keys take seconds: what the first file with a config made is kept for the others. */
const keptNames = ["template.json", "simulator"];

function takeKept(directory: string, config: object): void {
  for (const name of keptNames) {
    const kept = join(keptStackOf(config), name);
    if (existsSync(kept)) cpSync(kept, join(directory, name), { recursive: true });
  }
}

/** Renamed when it is whole: another test file may read it at the same time. */
function keep(directory: string, config: object): void {
  const folder = keptStackOf(config);
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

/** The whole local stack for a test file, as `npm start` runs it, with an operator beside it. */
export function useOperatedStack(config: object = {}, clockSpeed = 100): OperatedStack {
  const directory = mkdtempSync(join(tmpdir(), "paycast-operated-"));
  let stack: TestStack;
  const printed: string[] = [];
  let printedAt = 0;
  beforeAll(async () => {
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
  });
  afterAll(async () => {
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const operator = useOperator(directory);
  const shop = () => openShop(stack.description);
  /** The status is stored before the event is sent, and an earlier callback may arrive after a later one. */
  const untilSent = async (orderNo: string, paymentId: string) => {
    await until(`the events of ${orderNo} to be sent`, async () => {
      const timeline = await readOrderTimeline(operator.target(), orderNo);
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
    ...operator,
    stack: () => stack,
    parts: () => ({ description: stack.description, principals: stack.guard.principals() }),
    printed: () => printed,
    printedAtMilliseconds: () => printedAt,
    shop,
    paidOrder: async (orderNo) => {
      const { body } = await shop().create(orderNo);
      await shop().act(body.paymentId, "pay");
      await untilSent(orderNo, body.paymentId);
      return body.paymentId;
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
