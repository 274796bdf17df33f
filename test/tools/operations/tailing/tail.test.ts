import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import type { PublishedRecord } from "../../../../shared/records/callback-record.ts";
import { followEvents } from "../../../../tools/operations/tailing/follow-events.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { command } from "../../../setup/command.ts";
import { runHere } from "../../cli/run-paycast.ts";
import { useOperatedStack } from "../operated-stack.ts";

const operated = useOperatedStack();

/** Follows until `isEnough`, and gives what has come. */
async function follow(
  subscribers: string[],
  sinceMilliseconds: number,
  isEnough: (records: readonly PublishedRecord[]) => boolean,
) {
  const stop = new AbortController();
  const records: PublishedRecord[] = [];
  const following = { subscribers, sinceMilliseconds, stopped: stop.signal };
  for await (const record of followEvents(operated.target(), following)) {
    records.push(record);
    if (isEnough(records)) stop.abort();
  }
  return records;
}

describe("following the events", () => {
  test("gives each once, those from before as well, and leaves them in the queues", async () => {
    const since = Date.now() - 1_000;
    await operated.paidOrder("TAIL-1");
    const isLast = ({ event }: PublishedRecord) =>
      event.includes("TAIL-2") && event.includes('"payment.order.success"');
    const following = follow([], since, (records) => records.some(isLast));
    await operated.paidOrder("TAIL-2");
    const records = await following;
    const names = records.map(({ callbackKey, receipt }) => `${callbackKey} ${receipt}`);
    expect(new Set(names).size).toBe(names.length);
    const successes = records.filter(({ type }) => type === "payment.order.success");
    expect(successes.map(({ event }) => JSON.parse(event).subject)).toEqual(["TAIL-1", "TAIL-2"]);
    const { sqs } = operated.clients();
    const [fulfilment] = operated.target().queues.subscribers;
    const AttributeNames = ["ApproximateNumberOfMessages" as const];
    const QueueUrl = fulfilment!.queueUrl;
    const inQueue = async () =>
      (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))).Attributes;
    await expect.poll(inQueue, { timeout: 20_000 }).toEqual({ ApproximateNumberOfMessages: "2" });
  });

  test("gives a subscriber only what it gets", async () => {
    const since = Date.now();
    await operated.paidOrder("TAIL-3");
    const records = await follow(["fulfilment"], since, (found) => found.length > 0);
    expect(records.map(({ type }) => type)).toEqual(["payment.order.success"]);
  });

  test("an unknown subscriber is refused, with the names that there are", async () => {
    const { code, err } = await operated.paycast("tail", "nobody");
    expect(code).toBe(2);
    expect(err).toContain("It has: fulfilment, order-history, analytics.");
  });

  test.each(["yesterday", "3 h", "2026-13-01"])("--since %s is wrong usage", async (since) => {
    expect((await operated.paycast("tail", "--since", since)).code).toBe(2);
  });
});

test("a reader that closes the pipe ends the command without a trace", async () => {
  await operated.paidOrder("PIPE-1");
  const script = `"${process.execPath}" "${command}" tail --since 1h | head -1`;
  let hasEnded = false;
  const running = promisify(execFile)("sh", ["-c", script]).finally(() => {
    hasEnded = true;
  });
  let orders = 1;
  // A closed pipe is noticed by the next line that is written to it, so there has to be one.
  await until("the command to end", async () => {
    orders += 1;
    await operated.paidOrder(`PIPE-${orders}`);
    return hasEnded ? true : undefined;
  });
  const { stdout, stderr } = await running;
  expect(stdout).toMatch(/^\S+Z {2}payment\.order\.\S+ .*\n$/);
  expect(stderr).toBe("Waiting for events. Ctrl-C ends it.\n");
});

test("the columns of short and long order numbers are aligned", async () => {
  await operated.paidOrder("T");
  await operated.paidOrder("TAIL-OF-16-CHARS");
  const stop = new AbortController();
  const lines: string[] = [];
  const isEnough = () => ["T", "TAIL-OF-16-CHARS"].every((name) => isAmong(name, lines));
  const out = (line: string) => {
    lines.push(line);
    if (isEnough()) stop.abort();
  };
  await runHere(["tail", "fulfilment", "--since", "1h"], { out, stopped: stop.signal });
  const places = lines.map((line) => [line.indexOf("12.30 USD"), line.indexOf("sequence ")]);
  expect(new Set(places.map(String))).toEqual(new Set([String(places[0])]));
  for (const line of lines) expect(line).toMatch(/ {2}to fulfilment, order-history, analytics\n$/);
});

const isAmong = (orderNo: string, lines: readonly string[]) =>
  lines.some((line) => line.split(/ {2,}/)[2] === orderNo);

test("env lets a shell of its own reach the stack with any AWS tool", async () => {
  const { out } = await operated.paycast("env");
  const script = `${out}
    node --input-type=module -e '
      import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
      const client = new SQSClient({ useQueueUrlAsEndpoint: false });
      const QueueUrl = process.env.SUBSCRIBER_FULFILMENT_QUEUE_URL;
      const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
      console.log(Attributes.QueueArn);
    '`;
  const environment = { PATH: process.env["PATH"] ?? "" };
  const { stdout } = await promisify(execFile)("sh", ["-c", script], { env: environment });
  expect(stdout).toMatch(/^arn:aws:sqs:us-east-1:\d+:.*fulfilment.*\.fifo\n$/);
  expect((await operated.paycastJson("env"))["PAYCAST_API"]).toBe(operated.target().stack.api);
});
