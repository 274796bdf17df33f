import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import * as dynamodbCommands from "@aws-sdk/client-dynamodb";
import * as sqsCommands from "@aws-sdk/client-sqs";
import { createAwsClients, type ServiceEndpoints } from "../../../local/aws/aws-clients.ts";
import { listenOnLoopback } from "../../../local/aws/listen-on-loopback.ts";
import type { Call } from "../../integration/fault-proxy.ts";

export interface BareSettings {
  readonly emulators: ServiceEndpoints;
  /** The order of the callback whose calls were recorded. */
  readonly orderNo: string;
  /** What receive-callback called for it, then process-callback. */
  readonly received: readonly Call[];
  readonly processed: readonly Call[];
  readonly inboxUrl: string;
  /** The queues of the stack, and those that are used instead. */
  readonly queues: Readonly<Record<string, string>>;
  readonly pollers: number;
}

/**
 * Makes the same calls to AWS as the stack, with the same SDK and the same bytes, and does nothing else: no signature,
 * no decryption, no rule. Runs in a process of its own, as the stack does.
 */
const settings: BareSettings = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const { sqs, dynamodb } = createAwsClients(settings.emulators);
const queue = { QueueUrl: settings.queues[settings.inboxUrl] };

/** Ids of other orders have the same length. The same id gives the same one within an order. */
function forOrder({ input }: Call, orderNo: string): Record<string, unknown> {
  let mapped = JSON.stringify(input).replaceAll(settings.orderNo, orderNo);
  for (const [from, to] of Object.entries(settings.queues)) mapped = mapped.replaceAll(from, to);
  const fresh = mapped.replaceAll(/[0-9a-f][0-9a-f-]{31,63}/g, (id) => {
    const hash = createHash("sha256").update(orderNo).update(id.replaceAll("-", "")).digest("hex");
    let digit = 0;
    return id.replaceAll(/[0-9a-f]/g, () => hash[digit++] ?? "0");
  });
  return JSON.parse(fresh);
}

async function make(call: Call, orderNo: string): Promise<void> {
  const isSqs = call.service === "sqs";
  const Command = Reflect.get(isSqs ? sqsCommands : dynamodbCommands, `${call.operation}Command`);
  const command = new Command(forOrder(call, orderNo));
  await (isSqs ? sqs.send(command) : dynamodb.send(command));
}

async function makeAll(calls: readonly Call[], orderNo: string): Promise<void> {
  for (const call of calls) await make(call, orderNo);
}

async function poll(): Promise<void> {
  const batch = { ...queue, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 };
  for (;;) {
    const command = new sqsCommands.ReceiveMessageCommand(batch);
    const { Messages = [] } = await sqs.send(command);
    await Promise.all(Messages.map(({ Body }) => makeAll(settings.processed, orderNoIn(Body))));
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({
      ...{ Id: String(index), ReceiptHandle },
    }));
    if (Entries.length === 0) continue;
    await sqs.send(new sqsCommands.DeleteMessageBatchCommand({ ...queue, Entries }));
  }
}

function orderNoIn(body = ""): string {
  const [orderNo] = /LOAD-\w+/.exec(body) ?? [];
  if (orderNo === undefined) throw new Error("The message names no order.");
  return orderNo;
}

const server = createServer(async (request, response) => {
  await makeAll(settings.received, await text(request));
  response.end("{}");
});
const { endpoint } = await listenOnLoopback(server);
for (let count = 0; count < settings.pollers; count += 1) void poll();
process.send?.(endpoint);
