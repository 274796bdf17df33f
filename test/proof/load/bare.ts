import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import * as dynamodbCommands from "@aws-sdk/client-dynamodb";
import * as sqsCommands from "@aws-sdk/client-sqs";
import { createAwsClients, type ServiceEndpoints } from "../../../tools/local/aws/aws-clients.ts";
import { listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";
import type { Call } from "../../integration/fault-proxy.ts";
import { readOn } from "./drive.ts";

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
const [settings]: BareSettings[] = await once(process, "message");
if (settings === undefined) throw new Error("There are no settings.");
const { emulators, orderNo: recorded, received, processed, inboxUrl, queues, pollers } = settings;
const { sqs, dynamodb } = createAwsClients(emulators);

/** Ids of other orders have the same length. The same id gives the same one within an order. */
function forOrder({ input }: Call, orderNo: string): Record<string, unknown> {
  let mapped = JSON.stringify(input).replaceAll(recorded, orderNo);
  for (const [from, to] of Object.entries(queues)) mapped = mapped.replaceAll(from, to);
  const fresh = mapped.replaceAll(/[0-9a-f][0-9a-f-]{31,63}/g, (id) => {
    const hash = createHash("sha256").update(orderNo).update(id.replaceAll("-", "")).digest("hex");
    let digit = 0;
    return id.replaceAll(/[0-9a-f]/g, () => hash[digit++] ?? "0");
  });
  return JSON.parse(fresh);
}

async function makeAll(calls: readonly Call[], orderNo: string): Promise<void> {
  for (const call of calls) {
    const isSqs = call.service === "sqs";
    const Command = Reflect.get(isSqs ? sqsCommands : dynamodbCommands, `${call.operation}Command`);
    const command = new Command(forOrder(call, orderNo));
    await (isSqs ? sqs.send(command) : dynamodb.send(command));
  }
}

const server = createServer(async (request, response) => {
  await makeAll(received, await text(request));
  response.end("{}");
});
const { endpoint } = await listenOnLoopback(server);
const work = async (bodies: readonly string[]) => {
  const orders = bodies.map((body) => /LOAD-\w+/.exec(body)?.[0] ?? "");
  await Promise.all(orders.map((orderNo) => makeAll(processed, orderNo)));
};
for (let count = 0; count < pollers; count += 1) void readOn(sqs, queues[inboxUrl], work);
process.send?.(endpoint);
