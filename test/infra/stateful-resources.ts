import { fileURLToPath } from "node:url";
import { type StackTemplate, synthesizeTemplate } from "./stack-template.ts";

/** The ids of the last release. `npx tsx test/infra/accept-ids.ts` writes the file again. */
export const acceptedFile = fileURLToPath(new URL("stateful-ids.json", import.meta.url));

/** What may hold something that a new resource would not have, unless it is deleted with the stack. The values: properties that CloudFormation cannot change in place. */
const fixedProperties: Readonly<Record<string, readonly string[]>> = {
  "AWS::DynamoDB::Table": ["TableName", "KeySchema"],
  "AWS::SQS::Queue": ["QueueName", "FifoQueue"],
  "AWS::SecretsManager::Secret": ["Name"],
  "AWS::Logs::LogGroup": ["LogGroupName"],
  // It holds nothing, but its id is part of the callback URL.
  "AWS::ApiGatewayV2::Api": ["ProtocolType"],
};

export type StatefulResources = Record<string, Record<string, unknown>>;

/** Logical id, type and fixed properties of each. A change of one makes a new, empty resource at the next deployment. */
export function statefulResources(): StatefulResources {
  const { Resources }: StackTemplate = synthesizeTemplate();
  const stateful = Object.entries(Resources).filter(
    ([, { Type, DeletionPolicy }]) => Type in fixedProperties && DeletionPolicy !== "Delete",
  );
  const described = stateful.map(([id, { Type, Properties = {} }]) => {
    const names = fixedProperties[Type] ?? [];
    const fixed = names
      .filter((name) => name in Properties)
      .map((name) => [name, Properties[name]]);
    return [id, { Type, ...Object.fromEntries(fixed) }] as const;
  });
  return Object.fromEntries(described.sort(([one], [other]) => one.localeCompare(other)));
}
