import { once } from "node:events";
import { createServer } from "node:http";
import { ListQueuesCommand } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { getItem } from "../../../../shared/table/items.ts";
import { deployedClients, localClients } from "../../../../tools/operations/aws/aws-clients.ts";
import { openTables } from "../../../../tools/operations/aws/open-tables.ts";
import { explainAwsError } from "../../../../tools/operations/explain-error.ts";

test("no client waits without end, and none ends a long poll too early", async () => {
  const { region: _region, destroy, ...clients } = deployedClients();
  for (const { config } of Object.values(clients)) {
    // The handler reads its settings with the first request, so that the test asks for them as they were given.
    const handler = config.requestHandler as unknown as { configProvider: Promise<object> };
    expect(await handler.configProvider).toMatchObject({
      connectionTimeout: 5_000,
      requestTimeout: 25_000,
      throwOnRequestTimeout: true,
    });
  }
  destroy();
});

test("a table that cannot be reached ends a call at its deadline, and says so", async () => {
  const nowhere = "http://127.0.0.1:9";
  const endpoints = { sqs: nowhere, dynamodb: nowhere, secretsmanager: nowhere };
  const clients = localClients({ region: "us-east-1", ...endpoints });
  const database = openTables(clients.dynamodb, 400);
  const error = await getItem(database, "orders", { aggregateKey: "x" }).catch((thrown) => thrown);
  expect(explainAwsError(error)).toMatchObject({ code: "aws-unreachable" });
  clients.destroy();
});

test.each(["TimeoutError", "AbortError"])("a call without an answer in time: %s", (name) => {
  const error = Object.assign(new Error("Request aborted"), { name });
  expect(explainAwsError(error)).toMatchObject({ code: "aws-unreachable" });
});

const denied = (because: string) => {
  const message = `User: arn:aws:sts::123456789012:assumed-role/on-call/anna is not authorized to perform: sqs:sendmessage on resource: arn:aws:sqs:eu-west-1:123456789012:q.fifo ${because}`;
  return explainAwsError(Object.assign(new Error(message), { name: "AccessDenied" }))?.message;
};

test("a send that the queue's policy refuses says what to configure", () => {
  expect(denied("with an explicit deny in a resource-based policy")).toBe(
    "The policy of the queue denies sqs:sendmessage on arn:aws:sqs:eu-west-1:123456789012:q.fifo. If the config names operators, the queues accept messages only from the functions and from these roles: list the ARN of your role there, with its path, and deploy (docs/configuration.md).",
  );
});

test("a send that IAM does not allow names the permission, and the operators too", () => {
  expect(denied("because no identity-based policy allows the sqs:sendmessage action")).toMatch(
    /^You lack the permission sqs:sendmessage on .+ If the config names operators, .+ list the ARN of your role there/,
  );
});

test("an answer that the SDK cannot read is not called a refusal of AWS", async () => {
  const proxy = createServer((_request, response) => response.end("<html>sign in</html>"));
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const address = proxy.address();
  const { port } = typeof address === "object" && address !== null ? address : { port: 0 };
  const there = `http://127.0.0.1:${port}`;
  const clients = localClients({
    region: "us-east-1",
    sqs: there,
    dynamodb: there,
    secretsmanager: there,
  });
  const error = await clients.sqs.send(new ListQueuesCommand({})).catch((thrown) => thrown);
  expect(explainAwsError(error)).toMatchObject({
    code: "aws-unreadable",
    message: expect.stringMatching(
      /^The response of AWS, .* cannot be read \(SyntaxError: .+\)\. Check/,
    ),
  });
  clients.destroy();
  proxy.close();
});
