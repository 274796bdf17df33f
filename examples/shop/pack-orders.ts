import { setTimeout as wait } from "node:timers/promises";
import { DeleteMessageCommand, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";
import type { Memory } from "./memory.ts";
import { describeLines } from "./teas.ts";

/** The fields of Paycast's events that this shop uses. `docs/subscribing.md` describes all of them. */
const eventSchema = z.object({
  id: z.string(),
  type: z.string(),
  data: z.object({
    orderNo: z.string().optional(),
    amount: z.object({ value: z.string(), currency: z.string().optional() }).optional(),
    flags: z.array(z.string()),
  }),
});
type Event = z.output<typeof eventSchema>;

export interface PackOrders {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly memory: Memory;
  readonly tell: (line: string) => void;
  readonly stopped: AbortSignal;
}

const pauseMilliseconds = 3_000;

/** With one of these flags nothing is packed before a person has looked. `docs/subscribing.md` describes them. */
const questions = new Map([
  ["mismatch", "the amount paid is not the amount of the order."],
  ["duplicatePayment", "it was paid twice. Refund one payment."],
  ["unknownOrder", "it was not created through Paycast."],
  ["refunded", "the payment service has a refund of it."],
  ["refusedOrder", "the payment service had refused the order."],
]);

/**
 * The shop's fulfilment. It acts on the event and not on the page: a customer who pays and closes the browser gets the
 * tea all the same, and nobody gets tea by opening an address.
 */
export async function packOrders(deps: PackOrders): Promise<void> {
  const handled = new Set<string>();
  while (!deps.stopped.aborted) {
    try {
      await takeMessages(deps, handled);
    } catch (error) {
      if (deps.stopped.aborted) return;
      deps.tell(`The queue cannot be read: ${error instanceof Error ? error.message : error}`);
      await wait(pauseMilliseconds, undefined, { signal: deps.stopped }).catch(() => {});
    }
  }
}

async function takeMessages(deps: PackOrders, handled: Set<string>): Promise<void> {
  const { sqs, queueUrl, stopped } = deps;
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 20,
    }),
    { abortSignal: stopped },
  );
  for (const { Body = "", ReceiptHandle } of Messages) {
    const event = readEvent(Body);
    if (event === undefined) {
      // It stays in the queue. After ten receives SQS moves it to the dead letters, where a person looks at it.
      deps.tell("A message in the queue is not an event of Paycast.");
      continue;
    }
    // An event may come twice. Its id is the same each time.
    if (!handled.has(event.id)) handleEvent(event, deps);
    handled.add(event.id);
    // Deleted only after it was handled: if the shop crashes before, the event comes again.
    await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
  }
}

function handleEvent(event: Event, { memory, tell }: Pick<PackOrders, "memory" | "tell">) {
  const { orderNo = "", flags, amount } = event.data;
  const purchase = memory.find(orderNo);
  const question = flags.find((flag) => questions.has(flag));
  if (purchase === undefined) {
    tell(`${orderNo || "An order"} is not an order of this shop. Nothing to pack.`);
  } else if (event.type.startsWith("payment.refund.")) {
    const outcome = event.type === "payment.refund.success" ? "was refunded" : "refund failed";
    tell(`${orderNo} ${outcome}: ${amount?.value ?? "an amount"} ${amount?.currency ?? ""}`.trim());
  } else if (event.type !== "payment.order.success") {
    tell(`${orderNo} ${event.type}: nothing to pack.`);
  } else if (purchase.packedFor !== undefined) {
    tell(`do not pack ${orderNo} again: it was paid twice. Refund one payment.`);
  } else if (question !== undefined) {
    tell(`do not pack ${orderNo}: ${questions.get(question)}`);
  } else {
    memory.notePacked(orderNo);
    tell(`pack ${describeLines(purchase.lines)} for ${orderNo}`);
  }
}

function readEvent(body: string): Event | undefined {
  try {
    return eventSchema.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}
