import type { Template } from "./template.ts";

export type PhysicalIds = ReadonlyMap<string, string>;

/** The property that names a resource, and how its name stands in its physical id. */
const naming: Readonly<Record<string, readonly [string, (physicalId: string) => string]>> = {
  "AWS::DynamoDB::Table": ["TableName", (tableName) => tableName],
  "AWS::SQS::Queue": ["QueueName", (url) => url.split("/").at(-1) ?? ""],
  // An ARN ends in the name, a dash and six characters that Secrets Manager adds.
  "AWS::SecretsManager::Secret": ["Name", (arn) => (arn.split(":").at(-1) ?? "").slice(0, -7)],
};

/** The template with the name of each table, queue and secret: its own where it exists, a new one where it does not. */
export function nameResources(
  template: Template,
  physicalIds: PhysicalIds,
  newName: (logicalId: string) => string,
): Template {
  const named = Object.entries(template.Resources).map(([id, resource]) => {
    const [property, nameOf] = naming[resource.Type] ?? [];
    if (property === undefined || nameOf === undefined) return [id, resource] as const;
    const physicalId = physicalIds.get(id);
    const isFifo = resource.Properties?.FifoQueue === true;
    // CloudFormation shortens names, too: a queue's has 80 characters at most.
    const make = () => `${newName(id).slice(-75)}${isFifo ? ".fifo" : ""}`;
    const name = physicalId ? nameOf(physicalId) : make();
    return [id, { ...resource, Properties: { ...resource.Properties, [property]: name } }] as const;
  });
  return { ...template, Resources: Object.fromEntries(named) };
}
