import * as z from "zod";
import { describeIssues } from "../../../shared/describe-issues.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";

const section = z.record(z.string(), z.unknown()).default({});

const resourceSchema = z.object({
  Type: z.string(),
  Properties: section,
  Metadata: section,
  Condition: z.string().optional(),
});

const templateSchema = z.object({
  Resources: z.record(z.string(), resourceSchema),
  Parameters: z.record(z.string(), z.object({ Default: z.unknown().optional() })).default({}),
  Conditions: section,
  Mappings: z.record(z.string(), z.record(z.string(), section)).default({}),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })).default({}),
});

export type Template = z.infer<typeof templateSchema>;
export type Resource = z.infer<typeof resourceSchema>;

/** What the stack is made of cannot be run here; the message names the resource and the reason. */
export class StackError extends PaycastError {}

export function readTemplate(input: unknown): Template {
  const parsed = templateSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new StackError(
    "local-template-invalid",
    `This is not a CloudFormation template: ${describeIssues(parsed.error, "template")}.`,
  );
}

/** A property that means nothing on one machine. Any that is not listed as such is refused. */
export const ignored = z.unknown().optional();

/** Where the resource stands in the CDK app, for messages and for finding it again. */
export function constructPath(resource: Resource): string | undefined {
  const path = resource.Metadata["aws:cdk:path"];
  return typeof path === "string" ? path.replace(/\/(Resource|Default)$/, "") : undefined;
}

/** Reads properties that have no intrinsics left in them. */
export function readProperties<Output>(
  schema: z.ZodType<Output>,
  logicalId: string,
  type: string,
  properties: unknown,
): Output {
  const parsed = schema.safeParse(properties);
  if (parsed.success) return parsed.data;
  throw new StackError(
    "local-properties-unknown",
    `${logicalId} (${type}) cannot be made here: ${describeIssues(parsed.error, "Properties")}.`,
  );
}
