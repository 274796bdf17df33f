import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { eventSchema, type PaycastEvent } from "../../shared/events/event.ts";
import { growingPauses } from "../../tools/operations/growing-pauses.ts";
import {
  descriptionSchema,
  type LocalDescription,
} from "../../tools/operations/local-stack/local-description.ts";
import { expectCleanLog } from "../redaction/clean-log.ts";
import { faultsOfStored } from "./stored-events.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface StackUnderTest {
  readonly description: LocalDescription;
  readonly output: () => string;
  /** Interrupts it as Ctrl-C does, and waits until it has cleared up. Fails if it published an event that breaks the contract. */
  readonly stop: () => Promise<void>;
}

/** `npm start` as a user types it, in a process of its own, on free ports and with a folder of its own. */
export async function startAsUser(
  extraArguments: readonly string[] = [],
  environment: Record<string, string> = {},
): Promise<StackUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), "paycast-end-to-end-"));
  const child = spawn("npm", ["start", "--", ...extraArguments], {
    cwd: root,
    detached: true,
    env: { ...process.env, PORT: "0", PAYCAST_DIRECTORY: folder, ...environment },
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const file = join(environment["PAYCAST_DIRECTORY"] ?? folder, "local.json");
  await until(
    () => `npm start to be ready:\n${output}`,
    () => {
      if (child.exitCode !== null) throw new Error(`npm start ended:\n${output}`);
      return existsSync(file) && output.includes("It started in") ? true : undefined;
    },
    120_000,
  );
  const stop = async () => {
    const faults = await faultsOfStored(description);
    await interrupt(child);
    await until("local.json to go", () => (existsSync(file) ? undefined : true));
    expectCleanLog(folder);
    rmSync(folder, { recursive: true, force: true });
    if (faults.length > 0) throw new Error(faults.join("\n"));
  };
  const description = descriptionSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  return { description, output: () => output, stop };
}

/** To the whole group, as a terminal does. */
async function interrupt(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const exited = once(child, "exit");
  process.kill(-child.pid, "SIGINT");
  await exited;
}

/**
 * Asks again until there is an answer; the bound is for a machine that is busy, not a claim about speed. A question that
 * takes long is asked less often, because it takes the time of what it waits for.
 */
export async function until<T>(
  what: string | (() => string),
  ask: () => Promise<T | undefined> | T | undefined,
  mostMilliseconds = 120_000,
): Promise<T> {
  const endsAt = Date.now() + mostMilliseconds;
  const pauses = growingPauses(100);
  while (Date.now() < endsAt) {
    const askedAt = Date.now();
    const answer = await ask();
    if (answer !== undefined) return answer;
    const pause = Math.max(pauses.next().value, Date.now() - askedAt);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(`Timed out waiting for ${typeof what === "string" ? what : what()}`);
}

/** A subscriber's team, reading its queue with an ordinary SQS client. */
export function readQueue({ aws, region }: LocalDescription, queueUrl: string) {
  const client = new SQSClient({
    endpoint: aws.sqs,
    region,
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
    useQueueUrlAsEndpoint: false,
  });
  const messages: QueueMessage[] = [];
  /** Takes what is there; gives all that has come so far. */
  const takeMessages = async (): Promise<readonly QueueMessage[]> => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ["All"],
      }),
    );
    for (const { Body = "", ReceiptHandle, MessageAttributes = {} } of Messages) {
      const attributes = Object.entries(MessageAttributes);
      messages.push({
        body: Body,
        attributes: Object.fromEntries(
          attributes.map(([name, value]) => [name, value.StringValue]),
        ),
      });
      await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
    }
    return messages;
  };
  const take = async () => (await takeMessages()).map(({ body }) => body);
  return { take, takeMessages };
}

interface QueueMessage {
  readonly body: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

/** The events of one order in the order of their arrival, once there are so many. */
export async function eventsOf(
  queue: ReturnType<typeof readQueue>,
  orderNo: string,
  count: number,
): Promise<readonly PaycastEvent[]> {
  return await until(`${count} events of ${orderNo}`, async () => {
    const events = (await queue.take()).map((body) => eventSchema.parse(JSON.parse(body)));
    const own = events.filter(({ subject }) => subject === orderNo);
    return own.length >= count ? own : undefined;
  });
}
