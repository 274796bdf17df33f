import { execFileSync } from "node:child_process";
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
} from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { checkDeployment } from "../../../../tools/operations/check/check.ts";
import type { Finding } from "../../../../tools/operations/check/finding.ts";
import { findTarget } from "../../../../tools/operations/target/find-target.ts";
import { stackName, useDeployedStack } from "../deployed-stack.ts";
import { useOperatedStack } from "../operated-stack.ts";

const operated = useOperatedStack({
  operators: ["arn:aws:iam::000000000000:role/operators/*"],
  subscribers: [
    { name: "fulfilment", types: ["*"], readers: ["111122223333"], maxWaitMinutes: 60 },
    { name: "analytics", types: ["*"], ordered: false },
  ],
});
useDeployedStack(operated);

const kinds = [["local"], ["deployed"]] as const;
type Kind = (typeof kinds)[number][0];

const check = async (kind: Kind): Promise<readonly Finding[]> => {
  const stack = kind === "local" ? undefined : stackName;
  const target = await findTarget({ stack, directory: operated.directory });
  const context = { now: Date.now, fetch, commandVersion: "0.1.0", limitMilliseconds: 120_000 };
  const findings = await checkDeployment(target, context);
  target.clients.destroy();
  return findings.filter(({ status }) => status !== "ok");
};

/** What the AWS command line gets from a shell: the credentials of the environment and its words. */
function wordsOf(command: string): string[] {
  const print = 'aws() { printf \'%s\\0\' "$AWS_ACCESS_KEY_ID" "$@"; }';
  const text = execFileSync("sh", ["-c", `${print}; ${command}`], {
    encoding: "utf8",
    env: { AWS_ACCESS_KEY_ID: "operator" },
  });
  return text.split("\0").slice(0, -1);
}

/** Does what the AWS command line would do. */
async function paste(command: string): Promise<readonly string[]> {
  const words = wordsOf(command);
  const option = (name: string) => words[words.indexOf(`--${name}`) + 1];
  const { sqs } = operated.target().clients;
  const Attributes = JSON.parse(option("attributes") ?? "");
  expect(words[1]).toBe("sqs");
  if (words[2] === "create-queue") {
    await sqs.send(new CreateQueueCommand({ QueueName: option("queue-name"), Attributes }));
  } else {
    expect(words[2]).toBe("set-queue-attributes");
    const QueueUrl = option("queue-url");
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  }
  return words;
}

const attributesOf = async (QueueUrl: string) => {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
  const { Attributes = {} } = await operated.target().clients.sqs.send(command);
  const { CreatedTimestamp: _created, LastModifiedTimestamp: _modified, ...rest } = Attributes;
  return rest;
};

const queuesOf = () => {
  const { inbox, subscribers } = operated.target();
  const pairs = [
    inbox,
    ...subscribers.map((subscriber) => ({ ...subscriber, url: subscriber.queueUrl })),
  ];
  return pairs.flatMap(({ url, deadLettersUrl }) => [deadLettersUrl, url]);
};

test.each(kinds)(
  "on a %s stack, queues that were deleted are made again as they were",
  async (kind) => {
    const { sqs } = operated.target().clients;
    const before = await Promise.all(queuesOf().map(attributesOf));
    for (const QueueUrl of queuesOf()) await sqs.send(new DeleteQueueCommand({ QueueUrl }));
    const found = (await check(kind)).filter(({ message }) => message.startsWith("The queue does"));
    expect(found).toHaveLength(queuesOf().length);
    for (const { action = "" } of found) await paste(action);
    expect(await Promise.all(queuesOf().map(attributesOf))).toEqual(before);
    expect(await check(kind)).toEqual([]);
  },
);

test.each(kinds)(
  "on a %s stack, a queue that was made with SQS's defaults is corrected",
  async (kind) => {
    const { clients, inbox } = operated.target();
    const before = await attributesOf(inbox.url);
    await clients.sqs.send(new DeleteQueueCommand({ QueueUrl: inbox.url }));
    const QueueName = inbox.url.split("/").at(-1);
    const Policy =
      '{"Statement":{"Effect":"Allow","Principal":"*","Action":"sqs:*","Resource":"*"}}';
    const Attributes = { FifoQueue: "true", DelaySeconds: "3", Policy };
    await clients.sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
    const [found, ...others] = await check(kind);
    expect(others).toEqual([]);
    expect(found?.check).toBe("inbox");
    for (const part of [
      "VisibilityTimeout is 30; the template has 180.",
      "DelaySeconds is 3; the template has 0.",
      "MessageRetentionPeriod is 345600; the template has 1209600.",
      "RedrivePolicy is not set; the template has {",
      'The policy lacks the statement {"Action":"sqs:SendMessage",',
      'The policy has a statement that is not in the template: {"Action":"sqs:*","Effect":"Allow","Principal":{"AWS":"*"},"Resource":"*"}.',
    ]) {
      expect(found?.message).toContain(part);
    }
    const words = await paste(found?.action ?? "");
    const { SqsManagedSseEnabled: _sse, ...after } = await attributesOf(inbox.url);
    expect({ SqsManagedSseEnabled: "true", ...after }).toEqual(before);
    expect(await check(kind)).toEqual([]);
    const { aws, region } = operated.stack().description;
    const place =
      kind === "local" ? ["--region", region, "--endpoint-url", aws.sqs] : ["--region", region];
    expect(words.slice(7)).toEqual(place);
    expect(words[0]).toBe(kind === "local" ? "local" : "operator");
  },
);

test("what was in a subscriber's queue when it was deleted is counted, and the replay sends it again", async () => {
  const { clients, subscribers } = operated.target();
  const { queueUrl: QueueUrl } = subscribers.find(({ name }) => name === "fulfilment")!;
  await operated.paidOrder("LOST-1");
  await operated.paidOrder("LOST-2");
  const inQueue = async () => Number((await attributesOf(QueueUrl))["ApproximateNumberOfMessages"]);
  const count = await inQueue();
  // SQS reports its counts once a minute.
  await operated.shop().control("POST", "/clock", { jumpSeconds: 65 });
  await clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));

  const [gone, lost] = (await check("local")).filter(
    ({ check: name }) => name === "queue of fulfilment",
  );
  expect(lost?.message).toMatch(
    new RegExp(`^About ${count} events were in it at \\S+Z and were deleted with it\\.$`),
  );
  // SQS accepts the name of a deleted queue a minute later.
  await operated.shop().control("POST", "/clock", { jumpSeconds: 60 });
  await paste(gone?.action ?? "");
  const [still, ...others] = await check("local");
  expect(others).toEqual([]);
  expect(still?.message).toMatch(/^The queue was recreated at \S+Z\. About /);
  const [, replay = ""] = /replay them: npx paycast (.*)$/.exec(lost?.action ?? "") ?? [];
  expect(replay).toMatch(/^replay --to fulfilment --since '\S+Z' --yes$/);
  expect(still?.action).toBe(`Send them: npx paycast ${replay}`);
  const words = replay.replaceAll("'", "").split(" ");
  expect(await operated.paycast(...words)).toMatchObject({ code: 0 });
  expect(await inQueue()).toBe(count);
  expect(await check("local")).toEqual([]);
});

test("a queue that nobody reads is a problem after its own time, with a time that stays", async () => {
  const analytics = () => find("queue of analytics");
  const find = async (name: string) =>
    (await check("local")).filter((finding) => finding.check === name);
  await operated.paidOrder("UNREAD-1");
  await operated.shop().control("POST", "/clock", { jumpSeconds: 16 * 60 });
  expect(await find("queue of fulfilment")).toEqual([]);
  const [first] = await analytics();
  expect(first?.message).toMatch(
    /^The oldest of \d+ events has waited since \S+Z, longer than 15 minutes: its consumer does not run, fails or is too slow\.$/,
  );
  await operated.shop().control("POST", "/clock", { jumpSeconds: 60 });
  expect(await analytics()).toEqual([first]);
  const { out } = await operated.paycast("status");
  expect(out).toMatch(
    /^analytics +\d+ in the queue, oldest \d+ min, since \S+Z, longer than 15 minutes$/m,
  );
});
