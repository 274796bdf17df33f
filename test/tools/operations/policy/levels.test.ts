import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GetSecretValueCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { commands } from "../../../../tools/cli/commands.ts";
import {
  compile,
  evaluate,
  type Requirement,
} from "../../../../tools/local/permissions/evaluate.ts";
import {
  identityPolicySchema,
  type Statement,
} from "../../../../tools/local/permissions/policy.ts";
import {
  type PolicyName,
  policyNames,
} from "../../../../tools/operations/policy/operator-policy.ts";
import { orderResult } from "../../../builders/callback.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { createCallbackSender } from "../../../runbook/causes.ts";
import { attentionSetup } from "../attention/attention-setup.ts";
import { callback } from "../attention/put-aside.ts";
import { stackName, useDeployedStack } from "../deployed-stack.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { commandsOf, expectedCodes, type Made, unusedGrants, withoutLevel } from "./levels.ts";

const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
const roleOf = (level: string) => `arn:aws:iam::000000000000:role/${level}`;
const operated = useOperatedStack({
  smoke: true,
  callbacks: { captureUntil: tomorrow },
  operators: [roleOf("act"), roleOf("keys")],
});
const setup = attentionSetup(operated);
const deployed = useDeployedStack(operated);
const paycast = async (...words: readonly string[]) =>
  await operated.paycast(...words, "--stack", stackName);

let made: Made;
/** Of a role with this policy and those before it. */
const statements = new Map<string, readonly Statement[]>();

beforeAll(async () => {
  made = await makeData();
});

/** The allowed calls to services without an emulator. */
const ownUses: Requirement[] = [];

beforeEach(async () => {
  deployed().outputs.set("AccessLogGroup", "Access");
  deployed().mayCall = ({ caller, action, resource }) => {
    const own = statements.get(caller);
    const requirement = { action, resource, context: {} };
    if (own === undefined) return true;
    const { isAllowed } = evaluate(own.map(compile), requirement);
    if (isAllowed) ownUses.push(requirement);
    return isAllowed;
  };
  if (statements.size === 0) await addLevels();
});

async function makeData(): Promise<Made> {
  const paymentId = await operated.paidOrder("PAID");
  await operated.shop().create("OPEN");
  const send = createCallbackSender(operated, "shop-1");
  for (const referOrderNo of ["ODD-1", "ODD-2"]) {
    const result = orderResult({ merchantId: "shop-1", referOrderNo, paymentAmount: "many" });
    expect(await send(result)).toBe(200);
  }
  const [redriven, dismissed] = await until("two items in Attention", async () => {
    const { items } = await operated.paycastJson("attention", "list");
    return items.length < 2 ? undefined : items.map(({ id }: { id: string }) => id);
  });
  const refused = orderResult({ merchantId: "shop-1", referOrderNo: "REFUSED" });
  expect(await send(refused, { profile: { signatureHash: "SHA-512" } })).toBe(401);
  await setup.toDeadLetters(callback({ orderNo: "LATE" }));
  const letter = await buryOneEvent();
  const keysFile = join(operated.directory, "simulator", "shop-1", "callback-keys.json");
  const { aesKey, servicePublicKey } = JSON.parse(readFileSync(keysFile, "utf8"));
  return {
    paidOrder: "PAID",
    openOrder: "OPEN",
    items: [redriven, dismissed],
    letter,
    aesKeyFile: written("aes.txt", aesKey),
    publicKeyFile: written("public.pem", servicePublicKey),
    profileFile: written("profile.json", JSON.stringify({ signatureHash: "SHA-512" })),
    bodyFile: written("query.json", JSON.stringify({ paymentId })),
  };
}

function written(name: string, content: string): string {
  const file = join(operated.directory, name);
  writeFileSync(file, content);
  return file;
}

/** The same keys in another spelling are a new version: there is a previous one to revoke. */
async function keepPrevious(): Promise<void> {
  const clients = operated.clients();
  const { merchants } = operated.target().stack;
  const SecretId = merchants[0]!.callbackKeys;
  const stored = await clients.secretsManager.send(new GetSecretValueCommand({ SecretId }));
  const SecretString = `${stored.SecretString} `;
  await clients.secretsManager.send(new PutSecretValueCommand({ SecretId, SecretString }));
}

async function buryOneEvent(): Promise<string> {
  const clients = operated.clients();
  const { subscribers } = operated.target().queues;
  const { queueUrl: QueueUrl, deadLettersUrl } = subscribers.find(
    ({ name }) => name === "analytics",
  )!;
  const { Messages = [] } = await clients.sqs.send(new ReceiveMessageCommand({ QueueUrl }));
  const MessageBody = Messages[0]!.Body;
  const buried = new SendMessageCommand({ QueueUrl: deadLettersUrl, MessageBody });
  const { MessageId = "" } = await clients.sqs.send(buried);
  return MessageId;
}

/** The policies as `npx paycast policy` prints them. */
async function addLevels(): Promise<void> {
  let sum: readonly Statement[] = [];
  for (const name of policyNames) {
    const { out } = await paycast("policy", name, "--json");
    const documents = identityPolicySchema.array().parse(JSON.parse(out));
    sum = [...sum, ...documents.flatMap(({ Statement: own }) => own)];
    statements.set(name, sum);
    operated.stack().guard.add({ name, arn: roleOf(name), statements: sum });
  }
}

async function runAs(level: PolicyName, words: readonly string[]) {
  vi.stubEnv("AWS_ACCESS_KEY_ID", level);
  const before = operated.stack().guard.denials().length;
  const run = await paycast(...words);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "operator");
  return { ...run, denials: operated.stack().guard.denials().slice(before) };
}

const lacking = /You lack the permission [a-z-]+:\w+/i;

const codeOf = (words: readonly string[]) =>
  expectedCodes[words.slice(0, 2).join(" ")] ?? expectedCodes[words[0]!] ?? 0;

describe.each(policyNames)("with the policy %s", (level) => {
  // Before the others: a denial is noted once.
  test("every command of it passes, and nothing that it calls is denied", async () => {
    const found: string[] = [];
    for (const words of commandsOf(made)[level]) {
      if (words[1] === "revoke") await keepPrevious();
      const { code, out, err, denials } = await runAs(level, words);
      const isDenied = denials.length > 0 || lacking.test(`${out}${err}`);
      if (code !== codeOf(words) || isDenied) {
        found.push(`${words.join(" ")}: ${code} ${JSON.stringify(denials)} ${out} ${err}`);
      }
    }
    expect(found).toEqual([]);
  });

  if (level === "keys") return;
  test("every command above it is denied, and the message names the permission", async () => {
    const above = policyNames.slice(policyNames.indexOf(level) + 1);
    const found: string[] = [];
    for (const words of above.flatMap((name) => commandsOf(made)[name])) {
      const { code, out, err } = await runAs(level, words);
      const isDenied = code !== 0 && lacking.test(`${out}${err}`);
      if (!isDenied) found.push(`${words.join(" ")}: ${code} ${out} ${err}`);
    }
    expect(found).toEqual([]);
  });
});

test("people who look see all of check but the values of keys", async () => {
  const { out } = await runAs("look", ["check"]);
  const lacked = out.match(/You lack the permission \S+/g) ?? [];
  expect(new Set(lacked)).toEqual(
    new Set(["You lack the permission secretsmanager:GetSecretValue"]),
  );
});

/** All subscribers are alike, and so are the logs of all functions. */
function kindOf(resource: string): string {
  const log = /:log-group:(.+):\*$/.exec(resource)?.[1];
  if (log !== undefined) return /logs/i.test(log) ? "a function's log" : log;
  const [, name = resource, index = ""] =
    /Paycast-(\w+?)[0-9A-F]{8}(?:\.fifo)?(\/index\/.+)?/.exec(resource) ?? [];
  return `${name}${index}`.replace(/^Subscribers(?!paycastsmoke)[a-z]+/, "Subscriber");
}

function grantsOf() {
  return [...new Set([...statements.values()].flat())].flatMap((statement) =>
    statement.Action.flatMap((action) =>
      statement.Resource.map((resource) => ({ statement, action, resource })),
    ),
  );
}

test("the policies allow nothing that no command uses, except for a reason", () => {
  const uses = [
    ...operated
      .stack()
      .guard.uses()
      .map((use) => use.requirement),
    ...ownUses,
  ];
  const isUsed = ({ statement, action, resource }: ReturnType<typeof grantsOf>[number]) => {
    const alone = { ...statement, Action: [action], Resource: [resource] };
    return uses.some((use) => evaluate([compile(alone)], use).isAllowed);
  };
  const name = (grant: ReturnType<typeof grantsOf>[number]) =>
    `${grant.action} ${kindOf(grant.resource)}`;
  const used = new Set(grantsOf().filter(isUsed).map(name));
  const unused = grantsOf()
    .map(name)
    .filter((grant) => !used.has(grant));
  expect([...new Set(unused)].sort()).toEqual(Object.keys(unusedGrants).sort());
});

test("every operation of every command has a level, or a reason to have none", async () => {
  const named = policyNames.flatMap((name) => commandsOf(made)[name]);
  const without: string[] = [];
  for (const { name, load } of commands) {
    const { group } = await load();
    const verbs = group.operations.map(({ verb }) => verb);
    const isRun = (verb: string | undefined) =>
      named.some(
        ([command, second]) => command === name && (verb === undefined || second === verb),
      );
    if (!verbs.every(isRun)) without.push(name);
  }
  expect(without.sort()).toEqual(Object.keys(withoutLevel).sort());
});
