import { readFile } from "node:fs/promises";
import { GetTemplateCommand, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { readStack } from "../target/find-target.ts";
import type { Target } from "../target/target.ts";
import { createResolver, type Resolve } from "./resolve-intrinsics.ts";
import { arnOf, queueName } from "./resource-identity.ts";

const values = z.record(z.string(), z.string());

const templateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })).default({}),
});

/** A template, and what CloudFormation or the local stack made of it. */
const stackTemplateSchema = z.object({
  template: templateSchema,
  place: z.object({ partition: z.string(), region: z.string(), accountId: z.string() }),
  /** The ids of the resources, by their logical ids. */
  physicalIds: values,
  parameters: values,
  outputs: values,
});
export type StackTemplate = z.output<typeof stackTemplateSchema>;

/** Throws `template-unreadable`, or the error of CloudFormation. */
export async function readStackTemplate(target: Target): Promise<StackTemplate> {
  const { templateFile } = target;
  const found =
    templateFile === undefined
      ? await readDeployed(target)
      : parseJson(await readFile(templateFile, "utf8"));
  const read = stackTemplateSchema.safeParse(found);
  if (read.success) return read.data;
  const message =
    "The template of the stack cannot be read: it is not the JSON that `cdk deploy` writes.";
  throw new PaycastError("template-unreadable", message, { cause: read.error });
}

async function readDeployed({ clients, name }: Target): Promise<unknown> {
  const { stackId, outputs, parameters } = await readStack(clients, name);
  const { cloudFormation } = clients;
  const { TemplateBody = "" } = await cloudFormation.send(
    new GetTemplateCommand({ StackName: name }),
  );
  const physicalIds: Record<string, string> = {};
  const pages = paginateListStackResources({ client: cloudFormation }, { StackName: name });
  for await (const { StackResourceSummaries = [] } of pages) {
    for (const { LogicalResourceId = "", PhysicalResourceId } of StackResourceSummaries) {
      if (PhysicalResourceId !== undefined) physicalIds[LogicalResourceId] = PhysicalResourceId;
    }
  }
  // arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/ID
  const [, partition, , region, accountId] = stackId.split(":");
  return {
    template: parseJson(TemplateBody),
    place: { partition, region, accountId },
    physicalIds,
    parameters: Object.fromEntries(parameters),
    outputs: Object.fromEntries(outputs),
  };
}

/** Replaces the intrinsics of the template with the stack's own values. */
export function resolverOf(stack: StackTemplate): Resolve {
  const { template, place, physicalIds, parameters, outputs } = stack;
  const { partition, region, accountId } = place;
  const given = new Map([
    ...Object.entries(parameters),
    ...Object.entries(physicalIds),
    ["AWS::Partition", partition],
    ["AWS::Region", region],
    ["AWS::AccountId", accountId],
  ]);
  // CloudFormation has resolved the outputs, also those that name a resource of another stack.
  const known = Object.entries(template.Outputs).flatMap(([name, { Value }]) => {
    const value = outputs[name];
    return value === undefined ? [] : [[JSON.stringify(Value), value] as const];
  });
  const attributeOf = (logicalId: string, attribute: string) => {
    const physicalId = physicalIds[logicalId];
    const type = template.Resources[logicalId]?.Type;
    if (physicalId === undefined || type === undefined) return undefined;
    if (attribute === "QueueName") return queueName(physicalId);
    return attribute === "Arn" ? arnOf(type, physicalId, place) : undefined;
  };
  return createResolver({ refOf: (name) => given.get(name), attributeOf, known: new Map(known) });
}
