import { expect, test } from "vitest";
import { synthesizeTemplate } from "./stack-template.ts";

/** What may hold something that a new resource would not have, unless it is deleted with the stack. The values: properties that CloudFormation cannot change in place. */
const fixedProperties: Readonly<Record<string, readonly string[]>> = {
  "AWS::DynamoDB::Table": ["TableName", "KeySchema"],
  "AWS::SQS::Queue": ["QueueName", "FifoQueue"],
  // With another GenerateSecretString, CloudFormation would make another key for the stamps.
  "AWS::SecretsManager::Secret": ["Name", "GenerateSecretString"],
  "AWS::Logs::LogGroup": ["LogGroupName"],
  // It holds nothing, but its id is part of the callback URL.
  "AWS::ApiGatewayV2::Api": ["ProtocolType"],
};

const stateful = Object.entries(synthesizeTemplate().Resources)
  .filter(([, { Type, DeletionPolicy }]) => Type in fixedProperties && DeletionPolicy !== "Delete")
  .sort(([left], [right]) => left.localeCompare(right));

/**
 * If an id or a fixed property changes, a deployment makes a new, empty table or queue beside the one in use. If that is
 * wanted: say in the CHANGELOG what users must do, then run this test with `--update`.
 */
test("tables, queues, secrets, logs and the API keep their ids and what cannot change in place", async () => {
  const described = stateful.map(([id, { Type, Properties = {} }]) => {
    const names = (fixedProperties[Type] ?? []).filter((name) => name in Properties);
    return [id, { Type, ...Object.fromEntries(names.map((name) => [name, Properties[name]])) }];
  });
  const text = `${JSON.stringify(Object.fromEntries(described), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("stateful-ids.json");
});

test("the list names everything that holds payments, keys or what operators did", () => {
  const count = (type: string) => stateful.filter(([, { Type }]) => Type === type).length;
  expect(count("AWS::DynamoDB::Table")).toBe(2);
  // Inbox and two subscribers, each with dead letters.
  expect(count("AWS::SQS::Queue")).toBe(6);
  // Two for each of two merchants, and the stamp key.
  expect(count("AWS::SecretsManager::Secret")).toBe(5);
  expect(count("AWS::Logs::LogGroup")).toBe(1);
});
