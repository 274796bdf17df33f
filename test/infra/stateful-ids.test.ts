import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { acceptedFile, type StatefulResources, statefulResources } from "./stateful-resources.ts";

const accepted: StatefulResources = JSON.parse(readFileSync(acceptedFile, "utf8"));
const actual = statefulResources();

/**
 * If an id or a fixed property changes, a deployment makes a new, empty table or queue beside the one in use. If that is
 * wanted: tell in the CHANGELOG what users must do, then run `npx tsx test/infra/accept-ids.ts`.
 */
test("tables, queues, secrets, logs and the API are those of the last release", () => {
  const kept = Object.keys(accepted).map((id) => [id, actual[id]]);
  expect(Object.fromEntries(kept)).toEqual(accepted);
});

test("a new one is accepted before it is released", () => {
  expect(Object.keys(actual)).toEqual(Object.keys(accepted));
});

test("the list names everything that holds payments, keys or what operators did", () => {
  const types = Object.values(accepted).map(({ Type }) => Type);
  const count = (type: string) => types.filter((one) => one === type).length;
  expect(count("AWS::DynamoDB::Table")).toBe(2);
  // Inbox and two subscribers, each with dead letters.
  expect(count("AWS::SQS::Queue")).toBe(6);
  expect(count("AWS::SecretsManager::Secret")).toBe(4);
  expect(count("AWS::Logs::LogGroup")).toBe(1);
});
