import { expect, test } from "vitest";
import { stackName, useDeployedStack } from "../deployed-stack.ts";
import { useTarget } from "../use-target.ts";

const operated = useTarget();
const deployed = useDeployedStack(operated);
const policy = (...args: string[]) =>
  operated.paycast("policy", ...args, "--stack", stackName).then((run) => {
    return { ...run, resources: resourcesIn(run.out) };
  });

function resourcesIn(text: string): string[] {
  if (!text.startsWith("{")) return [];
  const { Statement } = JSON.parse(text) as { Statement: { Resource: string[] }[] };
  return Statement.flatMap(({ Resource }) => Resource);
}

test("each policy names the queues, tables, logs and secrets of the stack that it was asked about", async () => {
  deployed().outputs.set("AccessLogGroup", "/aws/vendedlogs/Paycast-access-1A");
  deployed().outputs.set("EncryptionKeyArn", "arn:aws:kms:us-east-1:000000000000:key/k-1");
  const { tables } = operated.parts().description;
  const { inbox, subscribers } = operated.target().queues;
  const { merchants } = operated.target().stack;
  const nameOf = (url: string) => url.split("/").at(-1)!;
  const look = await policy("look");
  expect(look.code).toBe(0);
  const sqs = (url: string) => `arn:aws:sqs:us-east-1:000000000000:${nameOf(url)}`;
  for (const { queueUrl, deadLettersUrl } of subscribers) {
    expect(look.resources).toContain(sqs(queueUrl));
    expect(look.resources).toContain(sqs(deadLettersUrl));
  }
  expect(look.resources).toContain(
    `arn:aws:dynamodb:us-east-1:000000000000:table/${tables.orders}`,
  );
  expect(look.resources).toContain("arn:aws:kms:us-east-1:000000000000:key/k-1");
  expect(look.resources).toContain(
    "arn:aws:logs:us-east-1:000000000000:log-group:/aws/vendedlogs/Paycast-access-1A:*",
  );
  const act = await policy("act");
  expect(act.resources).toContain(sqs(inbox.url));
  expect(act.resources).toContain("arn:aws:logs:us-east-1:000000000000:log-group:PaycastAudit:*");
  const { resources } = await policy("keys", "--part", "1");
  expect(resources).toEqual([merchants[0]!.callbackKeys, merchants[0]!.requestKeys]);
});

test("a policy, a stack or a part that does not exist is refused with what there is", async () => {
  deployed().outputs.set("AccessLogGroup", "access");
  expect(await policy("everything")).toMatchObject({
    code: 2,
    err: expect.stringContaining('look|act|keys must be one of "look", "act", "keys".'),
  });
  expect(await policy("look", "--part", "2")).toMatchObject({
    code: 2,
    err: expect.stringContaining("parts from 1 to 1"),
  });
  const local = await operated.paycast("policy", "look", "--local");
  expect(local).toMatchObject({ code: 2, err: expect.stringContaining("--stack NAME") });
});
